import CarillonModel
import CarillonStore
import Glibc

/// `carillon backup`: the relay's store as it stands now, in one file, beside a relay that goes on.
enum Backup {
  static let verb = CommandLineVerb(
    "backup", "Copy the relay's store into a file, also while the relay runs", forms: ["FILE [OPTION…]"],
    operands: .init("FILE", 1...1), configuration: .relay,
    groups: [
      OptionGroup(
        "Backup", [RelayStore.option, Option("force", key: .none, "Replace FILE where it is there.")])
    ],
    discussion:
      "The file holds the store as it stood at one moment, with all that the relay has acknowledged by then. It has "
      + "its name once it is whole, checked and on disk; before that there is no FILE, or the one of before. "
      + "A large store's log grows by all that is written meanwhile.",
    examples: [
      .init(
        "Each night, in the place of the one before:", "carillon backup /var/backups/carillon.db --force"),
      .init("Of another store:", "carillon backup relay-copy.db --store sqlite:/var/lib/carillon/relay.db"),
    ], run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let (file, store) = (call.operands[0], try RelayStore.path(call))
    let replaces = call.settings.has("force")
    guard access(store, F_OK) == 0 else {
      throw Failure(
        .configuration, "there is no store \(visible(store)); --store sqlite:PATH names another")
    }
    var status = stat()
    guard lstat(file, &status) != 0 || replaces else {
      throw Failure(.data, "\(visible(file)) is there already; give another name, or --force to replace it")
    }
    guard !isSameFile(file, store) else {
      throw Failure(.data, "\(visible(file)) is the store itself")
    }
    do throws(StoreError) {
      let contents = try Maintenance.backUp(store, to: file, replaces: replaces)
      call.console.print("\(visible(file)): store \(contents.store), \(contents.pending) pending")
      return .done
    } catch {
      if case .cannotOpen(let path, let reason) = error, path.hasPrefix(file) || path.isEmpty {
        throw Failure(.failure, "\(visible(file)) cannot be written: \(reason)")
      }
      throw Service.failure(error, store: store, option: "--store sqlite:PATH")
    }
  }
}

/// Whether two names lead to one file.
func isSameFile(_ first: String, _ second: String) -> Bool {
  var (one, other) = (stat(), stat())
  guard stat(first, &one) == 0, stat(second, &other) == 0 else { return false }
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino
}
