import CarillonModel

extension RecurrenceDays {
  /// What BYMONTH, BYMONTHDAY and BYYEARDAY allow; it depends on nothing but the length of February.
  static func numbered(_ parts: RecurrenceParts, isLeap: Bool) -> YearDays {
    let year = Year(isLeap ? 2000 : 2001)
    var days = YearDays()
    for month in parts.months ?? Array(1...12) {
      let range = year.days(of: month)
      guard let numbers = parts.monthDays else {
        days.insert(range)
        continue
      }
      for number in numbers where abs(number) <= range.count {
        days.insert(number > 0 ? range.lowerBound + number - 1 : range.upperBound + number)
      }
    }
    guard let numbers = parts.yearDays else { return days }
    var allowed = YearDays()
    for number in numbers where abs(number) <= year.length {
      allowed.insert(number > 0 ? number - 1 : year.length + number)
    }
    return days.intersection(allowed)
  }

  /// The days of a year that match.
  func matching(_ year: Year) -> YearDays {
    var days = numbered[year.isLeap ? 1 : 0]
    if interval > 1 { days = days.intersection(periods(year)) }
    if days.isEmpty { return days }
    if weekdays != RecurrenceDays.week {
      days = days.intersection(YearDays(weekdays: weekdays, first: year.firstWeekday))
    }
    if !places.isEmpty { days = days.intersection(placed(year)) }
    if let weekNumbers { days = days.intersection(weeks(weekNumbers, year)) }
    return days
  }

  /// The days of the periods that INTERVAL takes.
  private func periods(_ year: Year) -> YearDays {
    var days = YearDays()
    switch period {
    case .year:
      if (year.number - origin.year).flooredRemainder(by: interval) == 0 { days.insert(0..<year.length) }
    case .month:
      let first = (year.number - origin.year) * 12 - (origin.month - 1)
      var month = (-first).flooredRemainder(by: interval)
      while month < 12 {
        days.insert(year.days(of: month + 1))
        month += interval
      }
    case .week:
      let start = weekBegin(origin.daysSinceEpoch)
      var day = weekBegin(year.firstDay)
      day += (start - day).flooredRemainder(by: 7 * interval)
      while day < year.firstDay + year.length {
        days.insert(week: RecurrenceDays.week, at: day - year.firstDay)
        day += 7 * interval
      }
    case .day:
      days = YearDays(
        every: interval, from: (origin.daysSinceEpoch - year.firstDay).flooredRemainder(by: interval))
    }
    return days
  }

  /// The first day of the week in which a day lies.
  func weekBegin(_ day: Int) -> Int { day - (day + 3 - weekStart).flooredRemainder(by: 7) }

  /// The nth of their weekday, in each month or in the year. A weekday without a number is meant each time.
  private func placed(_ year: Year) -> YearDays {
    var days =
      placedWeekdays == 0 ? YearDays() : YearDays(weekdays: placedWeekdays, first: year.firstWeekday)
    guard placesInMonths else {
      for place in places { place.insert(of: 0..<year.length, year, into: &days) }
      return days
    }
    for month in 1...12 where months.contains(month) {
      let range = year.days(of: month)
      for place in places { place.insert(of: range, year, into: &days) }
    }
    return days
  }

  /// The days of the weeks with given numbers (ISO 8601, but for the day on which weeks begin): week 1 is the one with
  /// 4 January. At either end of a year there are days of the last week of the year before, and of the first of the next.
  private func weeks(_ numbers: [UInt64], _ year: Year) -> YearDays {
    var days = YearDays()
    for owner in [year.previous, year, year.next] {
      let start = weekBegin(owner.firstDay + 3)
      let count = (weekBegin(owner.next.firstDay + 3) - start) / 7
      let first = start - year.firstDay
      // Weeks of another year that can reach into this one: its last two, or its first two.
      var bits = numbers[count - 52]
      if first < -14 { bits &= 0b11 << UInt64(count - 2) }
      if first > 14 { bits &= 0b11 }
      while bits != 0 {
        let day = first + bits.trailingZeroBitCount * 7
        if day > -7, day < year.length { days.insert(week: RecurrenceDays.week, at: day) }
        bits &= bits - 1
      }
    }
    return days.within(0..<year.length)
  }
}
