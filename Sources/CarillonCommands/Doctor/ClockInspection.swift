import CarillonLoop
import CarillonModel
import CarillonTime
import Glibc

/// The clock, the rules of the time zones, and the zone of this machine.
enum ClockInspection {
  static func run(_ site: Site) -> [Finding] {
    let zones = ZoneDatabase()
    let now = site.surroundings.now()
    return [clock(now, zones), rules(now, zones), zone(zones)]
  }

  private static func clock(_ now: WallTime, _ zones: ZoneDatabase) -> Finding {
    let set = ["timedatectl set-ntp true, or date --set"]
    var status = stat()
    // Nothing on this machine has been installed after now.
    if stat(zones.directory, &status) == 0 {
      let installed = WallTime(milliseconds: Int64(status.st_mtim.tv_sec) * 1000)
      if now < installed - .seconds(86_400) {
        return Finding(
          "clock", .wrong, "it shows \(timestamp(utc: now, milliseconds: false)), which is over", set)
      }
    }
    guard SystemClock.isSynchronised else {
      return Finding(
        "clock", .warning,
        "it shows \(timestamp(utc: now, milliseconds: false)); the kernel does not count it as synchronised",
        set)
    }
    return Finding("clock", .ok, "set and synchronised")
  }

  /// Zones change several times a year; beyond so many months the rules of some are old.
  private static let months = 18

  private static func rules(_ now: WallTime, _ zones: ZoneDatabase) -> Finding {
    guard !zones.allNames().isEmpty else {
      return Finding("tzdata", .wrong, "there are no zones in \(zones.directory)", ["apt install tzdata"])
    }
    let release = zones.version.prefix { $0 != "-" && $0 != " " }
    guard let (year, month) = date(ofRelease: release) else {
      return Finding(
        "tzdata", .warning, "its release is not told in \(zones.directory)", ["apt install tzdata"])
    }
    let date = CivilTime(utc: now).date
    let age = (date.year - year) * 12 + date.month - month
    return age > months
      ? Finding(
        "tzdata", .warning, "release \(release) is about \(age) months old",
        ["apt install --only-upgrade tzdata; the relay takes it over while it runs"])
      : Finding("tzdata", .ok, "release \(release)")
  }

  /// `2026f` is a year and a letter; there are about six a year.
  static func date(ofRelease release: Substring) -> (year: Int, month: Int)? {
    let digits = release.prefix { $0.isNumber }
    guard digits.count == 4, let year = Int(digits),
      let letter = release.dropFirst(4).first?.asciiValue, (0x61...0x7A).contains(letter)
    else { return nil }
    return (year, min(12, 1 + 2 * Int(letter - 0x61)))
  }

  private static func zone(_ zones: ZoneDatabase) -> Finding {
    let local = zones.local()
    guard let problem = local.problem else { return Finding("timezone", .ok, local.zone.name) }
    return Finding(
      "timezone", .warning, problem,
      ["timedatectl set-timezone Europe/Berlin, or timezone in relay.json5, with your own zone"])
  }
}
