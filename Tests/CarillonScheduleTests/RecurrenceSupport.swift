import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime

/// A reading of the clock by its text.
func reading(_ text: String) throws -> CivilTime {
  guard case .local(let time) = try WrittenTime(parsing: text) else {
    throw Refusal(.invalid, "\(text) has an offset")
  }
  return time
}

func recurrence(_ text: String, from start: String, except: [String] = []) throws -> RecurrenceRule {
  try RecurrenceRule(
    parsing: text, start: try reading(start), except: except.map { try WrittenTime(parsing: $0) })
}

extension RecurrenceRule {
  /// The first occurrences from the start on, as wall time.
  func occurrences(_ count: Int, in name: String = "UTC") throws -> [String] {
    let zone = try installed(name)
    return upcoming(count, after: -100_000_000_000_000, in: zone).map {
      zone.reading(at: WallTime(milliseconds: $0.due)).description
    }
  }
}

/// A recurrence rule and its firings as another implementation finds them.
struct RecurrenceReference: Sendable {
  var rule: ReferenceRule
  var start: String
  var text: String
  /// Whether no firing follows.
  var isWhole: Bool

  init?(_ line: Substring) {
    let isWhole = line.hasSuffix(".")
    guard let rule = ReferenceRule(isWhole ? line.dropLast() : line),
      let blank = rule.rule.firstIndex(of: " ")
    else { return nil }
    self.rule = rule
    self.isWhole = isWhole
    start = String(rule.rule[..<blank])
    text = String(rule.rule[rule.rule.index(after: blank)...])
  }

  static func all() throws -> [RecurrenceReference] {
    try ReferenceFile.lines("rrule.txt").dropFirst().compactMap(RecurrenceReference.init)
  }

  /// What the rule does otherwise; `nil` where it does the same.
  ///
  /// - Parameter change: an error that is put into the zone with which the rule is asked.
  func difference(in change: (Zone) -> Zone = { $0 }) throws -> String? {
    let zone = change(try ReferenceClocks.shared.zone(named: rule.zone))
    let recurrence = try recurrence(text, from: start)
    var found: [Int64] = []
    var time = WallTime(seconds: rule.start)
    while found.count < rule.firings.count + (isWhole ? 1 : 0),
      let next = recurrence.next(after: time, in: zone)
    {
      found.append(next.seconds)
      time = next
    }
    guard found != rule.firings else { return nil }
    let texts = [found, rule.firings].map { firings in
      firings.map { zone.timestamp(WallTime(seconds: $0), milliseconds: false) }.joined(separator: " ")
    }
    let after = zone.timestamp(WallTime(seconds: rule.start), milliseconds: false)
    return "\(text) from \(start) in \(rule.zone), after \(after):\n  \(texts[0])\n  not \(texts[1])"
  }
}
