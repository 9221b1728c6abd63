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
    let days = allowed(year)
    guard let ranks, !days.isEmpty else { return days }
    var chosen = YearDays()
    switch period {
    case .day:
      // A day is the only one of its period.
      return ranks.fromStart.contains(0) || ranks.fromEnd.contains(0) ? days : .none
    case .week: chooseInWeeks(ranks, days, year, into: &chosen)
    case .month:
      for month in 1...12 { choose(ranks, days.within(year.days(of: month)), into: &chosen) }
    case .year: choose(ranks, days, into: &chosen)
    }
    return chosen
  }

  /// The days that the BY parts and INTERVAL allow, before BYSETPOS.
  private func allowed(_ year: Year) -> YearDays {
    var days = numbered[year.isLeap ? 1 : 0]
    if interval > 1 { days = days.intersection(periods(year)) }
    if days.isEmpty { return days }
    if weekdays != RecurrenceDays.week {
      days = days.intersection(YearDays(weekdays: weekdays, first: year.firstWeekday))
    }
    if !places.isEmpty { days = days.intersection(placed(year)) }
    if !weekNumbers.isEmpty { days = days.intersection(weeks(year)) }
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
      for month in 0..<12 where (first + month).flooredRemainder(by: interval) == 0 {
        days.insert(year.days(of: month + 1))
      }
    case .week:
      let start = weekBegin(origin.daysSinceEpoch)
      var day = weekBegin(year.firstDay)
      day += (start - day).flooredRemainder(by: 7 * interval)
      while day < year.firstDay + year.length {
        days.insert(day - year.firstDay..<day - year.firstDay + 7)
        day += 7 * interval
      }
    case .day:
      var day = (origin.daysSinceEpoch - year.firstDay).flooredRemainder(by: interval)
      while day < year.length {
        days.insert(day)
        day += interval
      }
    }
    return days
  }

  /// The first day of the week in which a day lies.
  private func weekBegin(_ day: Int) -> Int { day - (day + 3 - weekStart).flooredRemainder(by: 7) }

  /// The nth of their weekday, in each month or in the year. A weekday without a number is meant each time.
  private func placed(_ year: Year) -> YearDays {
    var days = YearDays()
    for place in places {
      let weekday = place.weekday.rawValue - 1
      guard place.nth != 0 else {
        days.formUnion(YearDays(weekdays: 1 << UInt64(weekday), first: year.firstWeekday))
        continue
      }
      guard placesInMonths else {
        insert(place.nth, weekday, of: 0..<year.length, year, into: &days)
        continue
      }
      for month in months.numbers { insert(place.nth, weekday, of: year.days(of: month), year, into: &days) }
    }
    return days
  }

  private func insert(
    _ nth: Int, _ weekday: Int, of range: Range<Int>, _ year: Year, into days: inout YearDays
  ) {
    let day: Int
    if nth > 0 {
      let first = (weekday - year.firstWeekday - range.lowerBound).flooredRemainder(by: 7)
      day = range.lowerBound + first + (nth - 1) * 7
    } else {
      let last = range.upperBound - 1
      day = last - (year.firstWeekday + last - weekday).flooredRemainder(by: 7) + (nth + 1) * 7
    }
    if range.contains(day) { days.insert(day) }
  }

  /// The days of the weeks with given numbers (ISO 8601, but for the day on which weeks begin): week 1 is the one with
  /// 4 January. At either end of a year there are days of the last week of the year before, and of the first of the next.
  private func weeks(_ year: Year) -> YearDays {
    var days = YearDays()
    for owner in [year.previous, year, year.next] {
      let start = weekBegin(owner.firstDay + 3)
      let count = (weekBegin(owner.next.firstDay + 3) - start) / 7
      for number in weekNumbers {
        let week = number > 0 ? number - 1 : count + number
        guard (0..<count).contains(week) else { continue }
        let day = start + week * 7 - year.firstDay
        days.insert(day..<day + 7)
      }
    }
    return days.within(0..<year.length)
  }

  /// The days of one period that stand at the given places.
  private func choose(_ ranks: Ranks, _ days: YearDays, into chosen: inout YearDays) {
    guard !days.isEmpty else { return }
    let count = days.count
    var wanted = YearDays()
    for rank in ranks.fromStart where rank < count { wanted.insert(rank) }
    for rank in ranks.fromEnd where rank < count { wanted.insert(count - 1 - rank) }
    guard !wanted.isEmpty else { return }
    var rank = 0
    var day = days.first(from: 0)
    while let current = day {
      if wanted.contains(rank) { chosen.insert(current) }
      rank += 1
      day = days.first(from: current + 1)
    }
  }

  /// Weeks may lie in two years.
  private func chooseInWeeks(_ ranks: Ranks, _ days: YearDays, _ year: Year, into chosen: inout YearDays) {
    let before = allowed(year.previous)
    let after = allowed(year.next)
    var start = weekBegin(year.firstDay) - year.firstDay
    while start < year.length {
      var week = days.week(from: start)
      if start < 0 { week |= before.week(from: start + year.previous.length) }
      if start > year.length - 7 { week |= after.week(from: start - year.length) }
      var rank = 0
      let count = week.nonzeroBitCount
      while week != 0 {
        let day = start + week.trailingZeroBitCount
        let isWanted = ranks.fromStart.contains(rank) || ranks.fromEnd.contains(count - 1 - rank)
        if isWanted, (0..<year.length).contains(day) { chosen.insert(day) }
        week &= week - 1
        rank += 1
      }
      start += 7
    }
  }
}
