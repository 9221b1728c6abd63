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

  /// Every so many days from one that is not negative, to the end of the bits.
  init(every interval: Int, from first: Int) {
    guard interval < 64 else {
      for day in stride(from: first, to: YearDays.inUse * 64, by: interval) { insert(day) }
      return
    }
    let row = stride(from: 0, to: 64, by: interval).reduce(0 as UInt64) { $0 | 1 << UInt64($1) }
    var first = first
    for word in 0..<YearDays.inUse {
      words[word] = row << UInt64(first)
      first = (first - 64).flooredRemainder(by: interval)
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

  /// How many are before a day.
  func count(before day: Int) -> Int { within(0..<max(day, 0)).count }

  /// The day that has so many before it.
  func day(at place: Int) -> Int? {
    var left = place
    for word in 0..<YearDays.inUse {
      var bits = words[word]
      let count = bits.nonzeroBitCount
      guard left < count else {
        left -= count
        continue
      }
      for _ in 0..<left { bits &= bits - 1 }
      return word * 64 + bits.trailingZeroBitCount
    }
    return nil
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

  /// At most 31 days as bits, from one that may lie before the year.
  func bits(from day: Int, count: Int) -> UInt64 {
    let mask = UInt64.max >> UInt64(64 - count)
    guard day >= 0 else { return words[0] << UInt64(-day) & mask }
    let (word, bit) = (day >> 6, UInt64(day & 63))
    guard word < YearDays.inUse else { return 0 }
    let next = word + 1 < YearDays.inUse && bit > 0 ? words[word + 1] << (64 - bit) : 0
    return (words[word] >> bit | next) & mask
  }

  /// Adds days of seven, as bits, the first of which may lie before the year.
  mutating func insert(week bits: UInt64, at day: Int) {
    guard day >= 0 else {
      words[0] |= bits >> UInt64(-day)
      return
    }
    let (word, bit) = (day >> 6, UInt64(day & 63))
    guard word < YearDays.inUse else { return }
    words[word] |= bits << bit
    if bit > 57, word + 1 < YearDays.inUse { words[word + 1] |= bits >> (64 - bit) }
  }

  /// Adds them to the bits of a longer time, in which 1 January is a given day.
  func copy(to bits: inout [UInt64], at day: Int) {
    for word in 0..<YearDays.inUse where words[word] != 0 {
      let (place, bit) = (day >> 6 + word, UInt64(day & 63))
      bits[place] |= words[word] << bit
      let rest = bit > 0 ? words[word] >> (64 - bit) : 0
      if rest != 0 { bits[place + 1] |= rest }
    }
  }

  /// Those within a range of days.
  func within(_ days: Range<Int>) -> YearDays { intersection(YearDays(days)) }

  func intersection(_ other: YearDays) -> YearDays {
    var result = self
    result.words &= other.words
    return result
  }
}

extension YearDays {
  /// The days one after another.
  struct Ascending: Sequence, IteratorProtocol {
    fileprivate let days: YearDays
    fileprivate var word = -1
    fileprivate var bits: UInt64 = 0

    fileprivate init(_ days: YearDays) { self.days = days }

    mutating func next() -> Int? {
      while bits == 0 {
        word += 1
        guard word < YearDays.inUse else { return nil }
        bits = days.words[word]
      }
      defer { bits &= bits - 1 }
      return word * 64 + bits.trailingZeroBitCount
    }
  }

  var ascending: Ascending { Ascending(self) }
}
