import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import FoundationEssentials
import Glibc

/// An instant by its RFC 3339 text.
func instant(_ text: String) throws -> WallTime {
  guard case .instant(let time) = try WrittenTime(parsing: text) else {
    throw Refusal(.invalid, "\(text) has no offset")
  }
  return time
}

/// A zone of the installed tzdata.
func installed(_ name: String) throws -> Zone {
  try ZoneDatabase(directory: ZoneDatabase.systemDirectory).zone(named: name)
}

func calendar(_ json: JSON) throws -> CalendarRule {
  CalendarRule(try CalendarComponents.read(json, at: "trigger.calendar"))
}

func cron(_ text: String) throws -> CronRule { try CronRule(parsing: text) }

extension WallRule {
  /// The firings after one instant and not after another, as text in UTC.
  func firings(after start: String, through end: String, in zone: String) throws -> [String] {
    let (zone, end) = (try installed(zone), try instant(end))
    var found: [String] = []
    var time = try instant(start)
    while let next = next(after: time, in: zone), next <= end, found.count < 1000 {
      found.append(timestamp(utc: next, milliseconds: false))
      time = next
    }
    return found
  }

  /// The first firings after an instant, as text in the zone.
  func firings(_ count: Int, after start: String, in zone: String) throws -> [String] {
    let zone = try installed(zone)
    return upcoming(count, after: try instant(start).milliseconds, in: zone).map {
      zone.timestamp(WallTime(milliseconds: $0.due), milliseconds: false)
    }
  }
}

/// The time for which a processor works on something, however busy the machine is otherwise.
func processorTime(_ work: () throws -> Void) rethrows -> Duration {
  func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
  let start = now()
  try work()
  return now() - start
}

/// A file of `Tests/Reference`: the release of tzdata by which it was made, and its rules.
struct ReferenceFile {
  var release: Substring
  var rules: [ReferenceRule]

  init(_ name: String) throws {
    let lines = try ReferenceFile.lines(name)
    release = lines.first?.dropFirst(2) ?? ""
    rules = lines.dropFirst().compactMap(ReferenceRule.init)
  }

  /// The lines of a file of `Tests/Reference`.
  static func lines(_ name: String) throws -> [Substring] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Reference/\(name)")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
  }

  /// The rules of which `next` does not find exactly the firings of the file.
  ///
  /// - Parameters:
  ///   - isTried: which rules are looked at; default all.
  ///   - change: an error that is put into the zone with which a rule is asked.
  func differences(
    parse: (String) throws -> any WallRule, where isTried: (ReferenceRule) throws -> Bool = { _ in true },
    in change: (Zone) -> Zone = { $0 }
  ) throws -> [String] {
    try rules.filter(isTried).compactMap { reference in
      let zone = change(try ReferenceClocks.shared.zone(named: reference.zone))
      let rule = try parse(reference.rule)
      var found: [Int64] = []
      var time = WallTime(seconds: reference.start)
      while found.count < max(reference.firings.count, 1), let next = rule.next(after: time, in: zone) {
        found.append(next.seconds)
        time = next
      }
      // Where the file has no firing, it looked no further than some years.
      if reference.firings.isEmpty, let first = found.first, first > reference.start + 10 * 366 * 86_400 {
        return nil
      }
      if found == reference.firings { return nil }
      let texts = [found, reference.firings].map { firings in
        firings.map { zone.timestamp(WallTime(seconds: $0), milliseconds: false) }.joined(separator: " ")
      }
      let start = zone.timestamp(WallTime(seconds: reference.start), milliseconds: false)
      return "\(reference.rule) in \(reference.zone) from \(start):\n  \(texts[0])\n  not \(texts[1])"
    }
  }
}
