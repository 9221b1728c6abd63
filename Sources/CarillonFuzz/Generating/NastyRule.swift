import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime

/// A recurrence rule of which everything is chosen to cost much: lists that are long, broken into single values or nearly
/// whole, intervals that hardly ever meet them, large numbers, a start in any year, and many times that are left out.
public struct NastyRule: CustomStringConvertible {
  public let text: String
  public let start: CivilTime
  public private(set) var except: [WrittenTime] = []

  public var description: String { "\(text) from \(start) without \(except.count)" }

  public func parsed() throws(TextFault) -> RecurrenceRule {
    try RecurrenceRule(parsing: text, start: start, except: except)
  }

  public init(_ text: String, from start: CivilTime) { (self.text, self.start) = (text, start) }

  /// As an input of the target that reads rules.
  var input: String { ([text, start.description] + except.map(\.description)).joined(separator: "\n") }

  /// Leaves its next occurrences out from 1970 on.
  public mutating func leaveOut(_ count: Int, of rule: RecurrenceRule, in zone: Zone, asInstants: Bool) {
    except = rule.upcoming(count, after: 0, in: zone).map {
      let time = WallTime(milliseconds: $0.due)
      return asInstants ? .instant(time) : .local(zone.reading(at: time))
    }
  }

  /// Many a one of these is refused: parts that do not go together, or a text that is too long.
  public init(_ random: inout SplitMix) {
    let frequency =
      ["SECONDLY", "SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"].randomElement(
        using: &random) ?? ""
    var parts = ["FREQ=\(frequency)"]
    if random.isTrue(in: 2) { parts.append("INTERVAL=\(random.interval())") }
    let isFine = ["SECONDLY", "MINUTELY", "HOURLY"].contains(frequency)
    for (name, range) in [
      ("BYSECOND", 0...59), ("BYMINUTE", 0...59), ("BYHOUR", 0...23), ("BYMONTH", 1...12),
    ]
    where random.isTrue(in: 3) { parts.append("\(name)=\(random.list(range))") }
    if random.isTrue(in: 3), frequency != "WEEKLY" {
      parts.append("BYMONTHDAY=\(random.list(1...31, isSigned: true))")
    }
    if random.isTrue(in: 4), isFine || frequency == "YEARLY" {
      parts.append("BYYEARDAY=\(random.list(1...366, isSigned: true))")
    }
    let hasWeeks = random.isTrue(in: 3) && frequency == "YEARLY"
    if hasWeeks { parts.append("BYWEEKNO=\(random.list(1...53, isSigned: true))") }
    let nths = frequency == "MONTHLY" ? 5 : frequency == "YEARLY" && !hasWeeks ? 53 : 0
    if random.isTrue(in: 2) { parts.append("BYDAY=\(random.weekdays(nths))") }
    if random.isTrue(in: 3), parts.count > 1 {
      parts.append("BYSETPOS=\(random.list(1...(random.isTrue(in: 2) ? 366 : 12), isSigned: true))")
    }
    switch Int.random(in: 0..<6, using: &random) {
    case 0...2: parts.append("COUNT=\(random.amount())")
    case 3: parts.append("UNTIL=99991231T235959Z")
    default: break
    }
    if random.isTrue(in: 4) {
      parts.append("WKST=\(["SU", "WE", "SA"].randomElement(using: &random) ?? "MO")")
    }
    let year = [1, 1, 1900, 1970, 2026, 2027, 5000, 9000, 9998, 9999].randomElement(using: &random) ?? 1
    let second = Int64.random(in: 0..<365 * 86_400, using: &random)
    let first = CivilDate(year: year, month: 1, day: 1)?.daysSinceEpoch ?? 0
    self.init(
      parts.joined(separator: ";"),
      from: CivilTime(utc: WallTime(seconds: Int64(first) * 86_400 + second)))
  }
}

extension SplitMix {
  /// Divisors and multiples of days and weeks, and what has nothing in common with them.
  fileprivate mutating func interval() -> Int {
    let wide = [
      60, 1440, 3600, 3601, 4001, 10_080, 43_200, 86_399, 86_400, 86_401, 146_097, 172_800, 604_800, 604_801,
      66_787_200, 2_147_483_647,
    ]
    switch Int.random(in: 0..<5, using: &self) {
    case 0: return Int.random(in: 2...12, using: &self)
    case 1: return Int.random(in: 2...400, using: &self)
    case 2: return (wide.randomElement(using: &self) ?? 2) / Int.random(in: 1...3, using: &self)
    case 3:
      return min((wide.randomElement(using: &self) ?? 2) + Int.random(in: 0...2, using: &self), 1 << 31 - 1)
    default: return 1 << Int.random(in: 1...30, using: &self) + Int.random(in: 0...1, using: &self)
    }
  }

  private mutating func numbers(_ range: ClosedRange<Int>) -> [Int] {
    let all = Array(range)
    switch Int.random(in: 0..<7, using: &self) {
    case 0: return [all.randomElement(using: &self) ?? range.lowerBound]
    case 1: return all.filter { $0 % 2 == 1 }
    case 2:
      return all.filter { number in number > 1 && (2..<number).allSatisfy { number % $0 != 0 } }
    case 3: return all.filter { _ in isTrue(in: 2) }
    case 4: return all.filter { _ in !isTrue(in: 12) }
    case 5: return all
    default: return Array(all.shuffled(using: &self).prefix(3))
    }
  }

  fileprivate mutating func list(_ range: ClosedRange<Int>, isSigned: Bool = false) -> String {
    var found = numbers(range)
    if isSigned {
      switch Int.random(in: 0..<3, using: &self) {
      case 0: found = found.map { -$0 }
      case 1: found += numbers(range).map { -$0 }
      default: break
      }
    }
    // Some say the same again and again.
    if isTrue(in: 8), let first = found.first { found += Array(repeating: first, count: 500) }
    return (found.isEmpty ? [range.upperBound] : found).map(String.init).joined(separator: ",")
  }

  fileprivate mutating func weekdays(_ nths: Int) -> String {
    let names = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    let days =
      isTrue(in: 2) ? [names.randomElement(using: &self) ?? "MO"] : names.filter { _ in !isTrue(in: 3) }
    let chosen = days.isEmpty ? names : days
    guard nths > 0, isTrue(in: 2) else { return chosen.joined(separator: ",") }
    let numbers = list(1...nths, isSigned: true).split(separator: ",")
    return numbers.flatMap { number in chosen.map { "\(number)\($0)" } }.joined(separator: ",")
  }

  /// COUNT: any order of magnitude.
  fileprivate mutating func amount() -> Int {
    Int.random(in: 1...(1 << Int.random(in: 1...30, using: &self)), using: &self)
  }
}
