import CarillonModel

extension RecurrenceDays {
  /// A week, month or year of the calendar, with those of its days that match.
  struct Span {
    /// Days since 1970-01-01.
    let range: Range<Int>
    /// The day from which `days` count.
    let base: Int
    let days: YearDays

    /// How many of its days are before another one.
    func count(before day: Int) -> Int { days.count(before: day - base) }

    /// The day of a place from 0.
    func day(at place: Int) -> Int? { days.day(at: place).map { base + $0 } }
  }

  /// The period in which a day lies.
  func span(of day: Int) -> Span {
    let year = Year(of: day)
    switch period {
    case .day: return span(day..<day + 1, in: year)
    case .week: return week(from: weekBegin(day))
    case .month:
      let place = day - year.firstDay
      let month = (1...12).map(year.days).first { $0.contains(place) } ?? 0..<year.length
      return span(year.firstDay + month.lowerBound..<year.firstDay + month.upperBound, in: year)
    case .year: return span(year.firstDay..<year.firstDay + year.length, in: year)
    }
  }

  private func span(_ range: Range<Int>, in year: Year) -> Span {
    let days = matching(year).within(range.lowerBound - year.firstDay..<range.upperBound - year.firstDay)
    return Span(range: range, base: year.firstDay, days: days)
  }

  /// A week may lie in two years.
  private func week(from start: Int) -> Span {
    let year = Year(of: start)
    var bits = matching(year).bits(from: start - year.firstDay, count: 7)
    let left = year.firstDay + year.length - start
    if left < 7 { bits |= matching(year.next).bits(from: -left, count: 7) }
    var days = YearDays()
    days.insert(week: bits, at: 0)
    return Span(range: start..<start + 7, base: start, days: days)
  }

  /// What is found in the weeks, months or years that begin within a range, which begins and ends with one; `found` is
  /// given how many days of one match, if any.
  func sum(ofPeriodsIn range: Range<Int>, _ found: (Int) -> Int) -> Int {
    guard !range.isEmpty else { return 0 }
    return sum(over: range) { range in
      var sum = 0
      forEachPeriod(in: range) { sum += found($0) }
      return sum
    }
  }

  private func forEachPeriod(in range: Range<Int>, _ body: (Int) -> Void) {
    var next: Year? = Year(of: range.lowerBound)
    var known: YearDays?
    while let year = next, year.firstDay < range.upperBound {
      let days = known ?? matching(year)
      known = period == .week ? matching(year.next) : nil
      let place = range.lowerBound - year.firstDay..<range.upperBound - year.firstDay
      forEachPeriod(of: year, days, known ?? .none) { start, count in
        if count > 0, place.contains(start) { body(count) }
      }
      next = self.year(after: year)
    }
  }

  /// The periods that begin in a year, each with its first day and how many days of it match.
  ///
  /// - Parameter after: the days of the next year.
  private func forEachPeriod(
    of year: Year, _ days: YearDays, _ after: YearDays, _ body: (_ start: Int, _ count: Int) -> Void
  ) {
    if days.isEmpty, after.isEmpty { return }
    switch period {
    case .day: for day in days.ascending { body(day, 1) }
    case .week:
      for start in stride(from: weekBegin(year.firstDay + 6) - year.firstDay, to: year.length, by: 7) {
        var bits = days.bits(from: start, count: 7)
        if start > year.length - 7 { bits |= after.bits(from: start - year.length, count: 7) }
        body(start, bits.nonzeroBitCount)
      }
    case .month:
      for month in 1...12 {
        let range = year.days(of: month)
        body(range.lowerBound, days.bits(from: range.lowerBound, count: range.count).nonzeroBitCount)
      }
    case .year: body(0, days.count)
    }
  }
}
