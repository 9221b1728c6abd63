import CarillonModel

/// The time zones that are installed on this machine, by name: compiled tzdata in a folder, read on demand and kept.
///
/// It belongs to one thread. What it hands out are values, which stay as they are when tzdata is replaced; after
/// `refresh()` has said so, they are asked for anew.
public final class ZoneDatabase {
  /// The folder of compiled zones.
  public let directory: String
  /// A text that is another as soon as anything in the folder is: the release that tzdata states (`2026f`), and a
  /// fingerprint of names, sizes and times of the files and folders. Due times that were computed under another are stale.
  public private(set) var version: String
  private var zones: [String: Zone] = [:]
  private var names: [String]?

  /// Where Debian, Fedora and most others install tzdata.
  public static let systemDirectory = "/usr/share/zoneinfo"

  /// - Parameter directory: default: the environment's `TZDIR`, else `systemDirectory`.
  public init(directory: String? = nil) {
    let directory = directory ?? environmentVariable("TZDIR").flatMap { $0.isEmpty ? nil : $0 }
    self.directory = directory ?? ZoneDatabase.systemDirectory
    version = ZoneFolder(self.directory).fingerprint()
  }

  /// The zone of that name. `UTC` is known without tzdata.
  ///
  /// - Parameter path: the place that a refusal names.
  /// - Throws: `invalid`, naming the zone and, where one resembles it, the zone that was probably meant.
  public func zone(named name: String, at path: String = "timezone") throws(Refusal) -> Zone {
    if let known = zones[name], known.name.isIdentical(to: name) { return known }
    guard ZoneDatabase.isName(name) else {
      throw Refusal(
        .invalid, at: path,
        "\"\(printable(name))\" is not the name of a time zone; write one such as \"Europe/Berlin\"")
    }
    let zone = try read(name, at: path)
    zones[name] = zone
    return zone
  }

  /// Looks whether tzdata has been replaced. If so, zones are read anew from now on, and `version` is another.
  public func refresh() -> Bool {
    let current = ZoneFolder(directory).fingerprint()
    guard current != version else { return false }
    version = current
    zones = [:]
    names = nil
    return true
  }

  /// The names of all installed zones, sorted; without the copies under `posix/` and `right/`.
  public func allNames() -> [String] {
    if let names { return names }
    let found = ZoneFolder(directory).files().filter {
      ZoneDatabase.isName($0) && $0.first?.isUppercase == true
    }
    let sorted = found.sorted()
    names = sorted
    return sorted
  }

  /// Whether a text has the form of an IANA name: letters, digits, `+`, `-` and `_`, in parts between single slashes. No
  /// part can be `..`, and no name is an absolute path.
  ///
  /// `right/…` counts leap seconds, which POSIX time does not; `localtime` and `posixrules` are no zones but names of
  /// whatever is set at present, and a request keeps its zone.
  static func isName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard (1...longestName).contains(bytes.count) else { return false }
    let allowed = bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "/"):
        true
      default: false
      }
    }
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return allowed && parts.allSatisfy { !$0.isEmpty } && !parts[0].elementsEqual("right".utf8)
      && name != "localtime" && name != "posixrules"
  }

  /// Twice the longest name that there is.
  private static let longestName = 64

  private func read(_ name: String, at path: String) throws(Refusal) -> Zone {
    guard let bytes = ZoneFolder.contents(of: directory + "/" + name) else {
      // The one zone that means the same everywhere, for machines without tzdata.
      if name == "UTC" { return .utc }
      throw unknown(name, at: path)
    }
    do {
      return try Zone(name: name, tzif: bytes)
    } catch .notTZif {
      throw unknown(name, at: path)
    } catch {
      throw Refusal(.invalid, at: path, "the time zone \"\(name)\" cannot be used: \(error)")
    }
  }

  private func unknown(_ name: String, at path: String) -> Refusal {
    let hint = suggestion(for: name).map { "; did you mean \"\($0)\"?" } ?? ""
    return Refusal(
      .invalid, at: path, "there is no time zone \"\(printable(name))\" in \(directory)\(hint)")
  }

  /// A city alone, another case, or a slip of the keys.
  private func suggestion(for name: String) -> String? {
    let names = allNames()
    let city = name.lowercased()
    return names.first { $0.lowercased().split(separator: "/").last.map(String.init) == city }
      ?? nearest(to: name, among: names)
  }
}
