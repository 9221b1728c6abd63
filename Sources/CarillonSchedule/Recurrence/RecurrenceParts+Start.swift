import CarillonModel

extension RecurrenceParts {
  /// The parts with what the text leaves to the start (RFC 5545, section 3.3.10): its time of day, and its day where no BY
  /// part says anything of days.
  func completed(by start: CivilTime) -> RecurrenceParts {
    completed(byTimeOf: start).completed(byDayOf: start)
  }

  func completed(byDayOf start: CivilTime) -> RecurrenceParts {
    var parts = self
    if monthDays == nil, yearDays == nil, weekNumbers == nil, days == nil {
      switch frequency {
      case .yearly:
        parts.months = months ?? [start.date.month]
        parts.monthDays = [start.date.day]
      case .monthly: parts.monthDays = [start.date.day]
      case .weekly: parts.days = [Day(nth: 0, weekday: start.date.weekday)]
      case .daily, .hourly, .minutely, .secondly: break
      }
    }
    return parts
  }

  func completed(byTimeOf start: CivilTime) -> RecurrenceParts {
    var parts = self
    if frequency >= .daily { parts.hours = hours ?? [start.hour] }
    if frequency >= .hourly { parts.minutes = minutes ?? [start.minute] }
    if frequency >= .minutely { parts.seconds = seconds ?? [start.second] }
    return parts
  }
}
