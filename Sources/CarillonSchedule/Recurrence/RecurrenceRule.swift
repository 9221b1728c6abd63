import CarillonModel
import CarillonTime

/// `rrule`: a recurrence rule of RFC 5545 (section 3.3.10) on wall time (protocol §3).
///
/// A rule of DAILY or coarser has fixed times of day, one of HOURLY or finer runs through the day. Weeks begin as the rule
/// says (WKST, by default on Monday), whatever the locale.
public struct RecurrenceRule: WallRule, Hashable {
  let parts: RecurrenceParts
  let start: CivilTime
  let engine: RecurrenceEngine
  /// UNTIL, where it names an instant.
  let untilInstant: WallTime?
  /// Instants that are left out, ascending, in milliseconds.
  let exceptInstants: [Int64]

  /// Reads a rule.
  ///
  /// - Parameters:
  ///   - text: the value of an RRULE property, such as `FREQ=MONTHLY;BYDAY=-1FR`.
  ///   - start: where the rule begins and INTERVAL and COUNT count from. What the text leaves open, such as the time of
  ///     day, is as in the start; but the start is an occurrence only where the rule matches it.
  ///   - except: occurrences that are left out, as their wall time or their instant; default none. COUNT counts them. What
  ///     is no occurrence does no harm.
  /// - Throws: what is wrong in the text and where. A rule that can be read but never fires is not an error here; see
  ///   `whyNever`.
  public init(parsing text: String, start: CivilTime, except: [WrittenTime] = []) throws(TextFault) {
    self.init(try RecurrenceParts(parsing: text), start: start, except: except)
  }

  init(_ parts: RecurrenceParts, start: CivilTime, except: [WrittenTime]) {
    self.parts = parts
    self.start = start
    var until: Int64?
    var untilInstant: WallTime?
    switch parts.until {
    case .reading(let reading): until = reading
    case .instant(let time): untilInstant = time
    case nil: break
    }
    self.untilInstant = untilInstant
    var readings: [Int64] = []
    var instants: [Int64] = []
    for time in except {
      switch time {
      case .local(let reading): if reading.millisecond == 0 { readings.append(reading.utc.seconds) }
      case .instant(let instant): instants.append(instant.milliseconds)
      }
    }
    exceptInstants = Set(instants).sorted()
    // Occurrences are on whole seconds.
    let first = start.utc.seconds + (start.millisecond > 0 ? 1 : 0)
    engine = RecurrenceEngine(
      readings: RecurrenceReadings(
        RecurrencePattern(parts.completed(by: start), start: start), start: first, count: parts.count,
        until: until, except: readings),
      mode: parts.frequency >= .daily ? .fixed : .throughout)
  }

  public func next(after time: WallTime, in zone: Zone) -> WallTime? {
    var found = engine.wall.next(after: time, in: zone)
    while let next = found, isLeftOut(next) {
      found = engine.wall.next(after: next, in: zone)
    }
    guard let found, untilInstant.map({ found <= $0 }) ?? true else { return nil }
    return found
  }

  public func count(after start: WallTime, through end: WallTime, in zone: Zone) -> Int64 {
    let end = min(end, untilInstant ?? end)
    guard start < end else { return 0 }
    let wall = engine.wall
    // Occurrences are on whole seconds.
    let left = exceptInstants[exceptInstants.place(of: start.milliseconds + 1)...].prefix {
      $0 <= end.milliseconds
    }.count {
      let time = WallTime(milliseconds: $0)
      return time == WallTime(seconds: time.seconds)
        && wall.count(after: WallTime(seconds: time.seconds - 1), through: time, in: zone) > 0
    }
    return wall.count(after: start, through: end, in: zone) - Int64(left)
  }

  private func isLeftOut(_ time: WallTime) -> Bool {
    let place = exceptInstants.place(of: time.milliseconds)
    return place < exceptInstants.count && exceptInstants[place] == time.milliseconds
  }
}

/// The wall engine of a rule's readings, as a value that can be compared.
struct RecurrenceEngine: Hashable {
  let readings: RecurrenceReadings
  let mode: WallMode

  var wall: WallEngine<RecurrenceReadings> { WallEngine(readings, mode) }
}
