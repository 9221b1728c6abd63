import CarillonModel
import CarillonStore
import Glibc

/// The relay's store, where it is on this machine, and the room that it has.
enum StoreInspection {
  static func run(_ site: Site) -> [Finding] {
    guard let call = site.relay else {
      return [Finding("store", .skipped, "the relay's settings cannot be read")]
    }
    let path: String
    do { path = try RelayStore.path(call) } catch let failure as Failure {
      return [Finding("store", .skipped, failure.message)]
    } catch {
      return [Finding("store", .wrong, "\(error)")]
    }
    guard access(path, F_OK) == 0 else {
      return [Finding("store", .skipped, "no relay has a store in \(visible(path))")]
    }
    guard access(path, R_OK) == 0 else {
      return [Finding("store", .skipped, "\(visible(path)) is not for this user to read")]
    }
    return [store(path), space(path)]
  }

  private static func store(_ path: String) -> Finding {
    do throws(StoreError) {
      let contents = try Maintenance.examine(path)
      return Finding(
        "store", .ok, "\(visible(path)) is sound: store \(contents.store), \(contents.pending) pending")
    } catch {
      switch error {
      case .corrupt(let finding):
        return Finding(
          "store", .wrong, "\(visible(path)) is damaged: \(finding)",
          [
            "stop the relay, then carillon restore FILE with the newest backup; the damaged store is kept beside it"
          ])
      case .busy, .cannotOpen:
        return Finding("store", .skipped, "\(visible(path)) cannot be read now: \(error)")
      default:
        return Finding("store", .wrong, "\(visible(path)): \(error)", ["--store sqlite:PATH names another"])
      }
    }
  }

  /// The store's log alone may take 64 MiB while a large store is checked.
  private static let (little, tooLittle): (UInt64, UInt64) = (512 << 20, 64 << 20)

  private static func space(_ path: String) -> Finding {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else {
      return Finding("free space", .skipped, "the file system of \(visible(path)) does not tell")
    }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    let message = "\(free >> 20) MiB are free for \(visible(path))"
    guard free < little else { return Finding("free space", .ok, message) }
    return Finding(
      "free space", free < tooLittle ? .wrong : .warning, message,
      ["make room on that file system; while it is full the relay takes no commands"])
  }
}
