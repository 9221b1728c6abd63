/// The days of a rule of HOURLY or finer, laid out as bits for the 400 years after which the calendar repeats. To look one
/// up takes a tenth of what a search year by year takes; to lay them out, as much as a thousand searches.
struct CalendarCycle {
  /// From 1970-01-01.
  private var words = [UInt64](repeating: 0, count: (length + 63) / 64)

  /// In days.
  private static let length = 146_097

  init(_ days: RecurrenceDays) {
    for number in 1970..<2370 {
      let year = Year(number)
      days.matching(year).copy(to: &words, at: year.firstDay)
    }
  }

  /// The first day at or after another one, in days since 1970-01-01; `nil` where there is none at all.
  @inline(__always) func first(from day: Int) -> Int? {
    let place = day.flooredRemainder(by: CalendarCycle.length)
    return words[place >> 6] >> UInt64(place & 63) & 1 == 1 ? day : first(after: day, at: place)
  }

  @inline(never) private func first(after day: Int, at place: Int) -> Int? {
    if let found = firstPlace(from: place) { return day + found - place }
    return firstPlace(from: 0).map { day + $0 + CalendarCycle.length - place }
  }

  private func firstPlace(from place: Int) -> Int? {
    var word = place >> 6
    var bits = words[word] & (UInt64.max << UInt64(place & 63))
    while bits == 0 {
      word += 1
      guard word < words.count else { return nil }
      bits = words[word]
    }
    return word << 6 + bits.trailingZeroBitCount
  }
}
