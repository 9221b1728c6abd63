import CarillonModel

extension RecurrenceReader {
  /// Parts that RFC 5545 does not let stand together.
  func check() throws(TextFault) {
    if parts.until != nil { try refuse(.count, "COUNT and UNTIL do not go together; leave one out") }
    if !spans.keys.contains(where: \.chooses) {
      try refuse(.positions, "BYSETPOS chooses from what another BY part allows, and there is none")
    }
    if parts.frequency != .yearly {
      try refuse(.weekNumbers, "BYWEEKNO goes with FREQ=YEARLY alone, not with \(parts.frequency.name)")
    }
    if [.daily, .weekly, .monthly].contains(parts.frequency) {
      try refuse(.yearDays, "BYYEARDAY does not go with FREQ=\(parts.frequency.name)")
    }
    if parts.frequency == .weekly {
      try refuse(.monthDays, "BYMONTHDAY does not go with FREQ=WEEKLY; with MONTHLY or DAILY it does")
    }
    try checkDays()
  }

  private func refuse(_ part: RecurrencePart, _ message: String) throws(TextFault) {
    if let span = spans[part] { throw TextFault(span, message) }
  }

  /// Numbers of weekdays count within a month or a year.
  private func checkDays() throws(TextFault) {
    guard let days = parts.days, let span = spans[.days] else { return }
    let elements = split(
      span.lowerBound + RecurrencePart.days.rawValue.utf8.count + 1..<span.upperBound, at: ",")
    for (day, element) in zip(days, elements) where day.nth != 0 {
      guard parts.frequency >= .monthly else {
        throw TextFault(
          element,
          "\"\(text(element))\" counts within a month or a year; FREQ=\(parts.frequency.name) has neither")
      }
      guard parts.weekNumbers == nil else {
        throw TextFault(element, "with BYWEEKNO a weekday has no number: a week has each of them once")
      }
      let isWithinMonth = parts.frequency == .monthly || parts.months != nil
      guard !isWithinMonth || abs(day.nth) <= 5 else {
        throw TextFault(
          element, "a month has each weekday at most five times, so \"\(text(element))\" is none")
      }
    }
  }
}
