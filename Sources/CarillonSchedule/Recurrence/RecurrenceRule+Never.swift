import CarillonModel
import CarillonTime

extension RecurrenceRule {
  public var whyNever: String? {
    let readings = engine.readings
    guard let first = readings.pattern.first(from: readings.start) else { return whyNoPattern }
    guard let last = readings.first(from: readings.start) else {
      return first > readings.last
        ? "the first time that matches, \(reading(first)), is after UNTIL"
        : "every time that matches is left out by except"
    }
    // A reading is at most so much later than the clocks of some zone show it.
    guard let untilInstant, last - Zone.offsetRange.upperBound > untilInstant.seconds else { return nil }
    return "the first time that matches, \(reading(last)), is after UNTIL"
  }

  private func reading(_ seconds: Int64) -> String { CivilTime(utc: WallTime(seconds: seconds)).description }

  /// The parts that contradict one another: the fewest without which the rule could fire.
  private var whyNoPattern: String {
    // The start's own day is a part like those of the text. Where one of them is left out, it does not come in anew.
    var rule = parts.completed(byDayOf: start)
    rule.until = nil
    rule.count = nil
    func isNever(_ parts: RecurrenceParts) -> Bool {
      let pattern = RecurrencePattern(parts.completed(byTimeOf: start), start: start)
      return pattern.first(from: engine.readings.start) == nil
    }
    var names: [String] = []
    for part in RecurrenceParts.limits where rule.has(part) {
      let without = rule.without(part)
      if isNever(without) { rule = without } else { names.append(rule.text(of: part)) }
    }
    if let missing = missingDay(rule) { return missing }
    guard let last = names.popLast() else {
      return "no such day comes from \(start) to the end of the calendar, which is the year 9999"
    }
    guard !names.isEmpty else { return "\(last) never comes true from \(start) on" }
    return "\(names.joined(separator: ", ")) and \(last) never come together from \(start) on"
  }

  /// A day that no month has, in the words that calendars use for it.
  private func missingDay(_ rule: RecurrenceParts) -> String? {
    let limits = RecurrenceParts.limits.filter(rule.has)
    guard limits == [.months, .monthDays], let months = rule.months, let days = rule.monthDays,
      days.allSatisfy({ $0 > 0 })
    else { return nil }
    var civil = CivilDays()
    civil.months = UnitSet(months)
    civil.days = UnitSet(days)
    return civil.whyNever
  }
}

extension RecurrenceParts {
  /// What can make a rule impossible, in the order in which it is named.
  static let limits: [RecurrencePart] = [
    .interval, .positions, .seconds, .minutes, .hours, .weekNumbers, .yearDays, .days, .months, .monthDays,
  ]

  func has(_ part: RecurrencePart) -> Bool {
    part == .interval ? interval > 1 : part == .days ? days != nil : numbers(part) != nil
  }

  private func numbers(_ part: RecurrencePart) -> [Int]? {
    switch part {
    case .months: months
    case .weekNumbers: weekNumbers
    case .yearDays: yearDays
    case .monthDays: monthDays
    case .hours: hours
    case .minutes: minutes
    case .seconds: seconds
    case .positions: positions
    default: nil
    }
  }

  func without(_ part: RecurrencePart) -> RecurrenceParts {
    var parts = self
    switch part {
    case .interval: parts.interval = 1
    case .months: parts.months = nil
    case .weekNumbers: parts.weekNumbers = nil
    case .yearDays: parts.yearDays = nil
    case .monthDays: parts.monthDays = nil
    case .days: parts.days = nil
    case .hours: parts.hours = nil
    case .minutes: parts.minutes = nil
    case .seconds: parts.seconds = nil
    case .positions: parts.positions = nil
    default: break
    }
    return parts
  }

  /// A part as a rule writes it, long lists shortened.
  func text(of part: RecurrencePart) -> String {
    var values: [String]
    if part == .interval {
      values = ["\(interval)"]
    } else if part == .days {
      values = (days ?? []).map {
        ($0.nth == 0 ? "" : "\($0.nth)") + RecurrenceReader.weekdays[$0.weekday.rawValue - 1]
      }
    } else {
      values = (numbers(part) ?? []).map(String.init)
    }
    if values.count > 6 { values = values.prefix(6) + ["…"] }
    return "\(part.rawValue)=\(values.joined(separator: ","))"
  }
}
