import CarillonModel
import CarillonStore

/// `carillon restore`: a backup in the place of the relay's store.
enum Restore {
  static let verb = CommandLineVerb(
    "restore", "Put a backup in the place of the relay's store", forms: ["FILE [OPTION…]"],
    operands: .init("FILE", 1...1), configuration: .relay,
    groups: [OptionGroup("Restore", [RelayStore.option])],
    discussion:
      "Only while no relay runs on the store. FILE is checked first; the store that it replaces stays beside it as "
      + "….before-restore-DATE. A backup of an older program is migrated when the relay starts. "
      + "The store gets a new id, so that no delivery id is used twice: the relay logs in at the broker under a new "
      + "client id, and what has fired since the backup, or had not been received then, may be sent again under a new "
      + "delivery id. Commands that wait at the broker for the old client id stay there; send them again.",
    examples: [
      .init("With the relay stopped:", "carillon restore /var/backups/carillon-2026-12-01.db")
    ], run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let (file, store) = (call.operands[0], try RelayStore.path(call))
    guard !isSameFile(file, store) else { throw Failure(.data, "\(visible(file)) is the store itself") }
    let old = try examine(file)
    do throws(StoreError) {
      let date = date(call.surroundings.now())
      let (contents, kept) = try Maintenance.restore(file, to: store, date: date)
      call.console.print("\(visible(store)): store \(contents.store), \(contents.pending) pending")
      if let kept { call.console.say("the store of before is \(visible(kept))") }
      call.console.say(
        "the store's id was \(old.store) and is \(contents.store): what the broker keeps for the client id "
          + "…-relay-\(old.store) is not read any more")
      return .done
    } catch {
      throw Service.failure(error, store: store, option: "--store sqlite:PATH")
    }
  }

  /// - Throws: `Failure` (65) where the file is no backup that this program can go on with.
  private static func examine(_ file: String) throws -> Maintenance.Contents {
    do throws(StoreError) {
      return try Maintenance.examine(file)
    } catch {
      switch error {
      case .busy: throw Failure(.temporary, "\(visible(file)): \(error)")
      case .cannotOpen(_, let reason): throw Failure(.data, "\(visible(file)) cannot be read: \(reason)")
      case .corrupt(let finding): throw Failure(.data, "\(visible(file)) is damaged: \(finding)")
      case .foreign(let text): throw Failure(.data, visible(text))
      default: throw Failure(.data, "\(visible(file)): \(error)")
      }
    }
  }

  /// For a file's name: `20261201T183000Z`.
  private static func date(_ time: WallTime) -> String {
    let text = CivilTime(utc: time).description.filter { $0 != "-" && $0 != ":" }
    return String(text.prefix(15)) + "Z"
  }
}
