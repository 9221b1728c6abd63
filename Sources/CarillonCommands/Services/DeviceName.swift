import CarillonCompanion
import CarillonModel
import Glibc

/// Which device of this machine is meant.
enum DeviceName {
  static let option = Option("device", "NAME", "The device's name. Default: the host's name, cleaned.")

  /// The one that `--device` or a companion's configuration names, else the host's name.
  static func named(_ call: Invocation) throws -> Name {
    if let setting = call.settings["device"] {
      do throws(Refusal) { return try Name(setting.value) } catch { throw setting.failure(error.message) }
    }
    do throws(Refusal) { return try CompanionConfiguration.device(fromHost: host()) } catch {
      throw Failure(
        .configuration, "the host's name is no device's: \(error.message); name one with --device")
    }
  }

  private static func host() -> String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
