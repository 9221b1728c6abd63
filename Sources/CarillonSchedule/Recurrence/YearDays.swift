/// A set of days of one year, as bits: day 0 is 1 January.
struct YearDays: Hashable, Sendable {
  private var words: SIMD8<UInt64> = .zero

  static let none = YearDays()

  init() {}

  init(_ days: Range<Int>) { insert(days) }

  /// The days that fall on given weekdays.
  /// - Parameters:
  ///   - weekdays: bit 0 stands for Monday.
  ///   - first: the weekday of 1 January, 0 for Monday.
  init(weekdays: UInt64, first: Int) {
    var weekday = first
    for word in 0..<YearDays.inUse {
      // The week from that day on, again and again: bits 0, 7 … 63 of the factor are set.
      let week = (weekdays >> UInt64(weekday) | weekdays << UInt64(7 - weekday)) & 0b111_1111
      words[word] = week &* 0x8102_0408_1020_4081
      weekday = (weekday + 64) % 7
    }
  }

  /// 366 bits.
  private static let inUse = 6

  var isEmpty: Bool { words == .zero }

  var count: Int {
    var count = 0
    for word in 0..<YearDays.inUse { count += words[word].nonzeroBitCount }
    return count
  }

  func contains(_ day: Int) -> Bool {
    (0..<YearDays.inUse * 64).contains(day) && words[day >> 6] >> UInt64(day & 63) & 1 == 1
  }

  mutating func insert(_ day: Int) { words[day >> 6] |= 1 << UInt64(day & 63) }

  /// What lies before or after a year is left out.
  mutating func insert(_ days: Range<Int>) {
    let days = days.clamped(to: 0..<YearDays.inUse * 64)
    guard !days.isEmpty else { return }
    for word in days.lowerBound >> 6...(days.upperBound - 1) >> 6 {
      let low = max(days.lowerBound - word * 64, 0)
      let high = min(days.upperBound - word * 64, 64)
      words[word] |= (UInt64.max >> UInt64(64 - (high - low))) << UInt64(low)
    }
  }

  /// The first at or after a day that is not negative.
  func first(from day: Int) -> Int? {
    var word = day >> 6
    guard word < YearDays.inUse else { return nil }
    var bits = words[word] & (UInt64.max << UInt64(day & 63))
    while bits == 0 {
      word += 1
      guard word < YearDays.inUse else { return nil }
      bits = words[word]
    }
    return word * 64 + bits.trailingZeroBitCount
  }

  /// Seven days as bits, from one that may lie up to a week before the year.
  func week(from day: Int) -> UInt64 {
    guard day >= 0 else { return words[0] << UInt64(-day) & 0b111_1111 }
    let (word, bit) = (day >> 6, UInt64(day & 63))
    let next = word + 1 < YearDays.inUse && bit > 57 ? words[word + 1] << (64 - bit) : 0
    return (words[word] >> bit | next) & 0b111_1111
  }

  /// Those within a range of days.
  func within(_ days: Range<Int>) -> YearDays { intersection(YearDays(days)) }

  func intersection(_ other: YearDays) -> YearDays {
    var result = self
    result.words &= other.words
    return result
  }

  mutating func formUnion(_ other: YearDays) { words |= other.words }
}
