import CarillonModel

/// The readings of a recurrence rule: its pattern from the start on, up to COUNT or UNTIL, without those left out.
struct RecurrenceReadings: WallReadings, Hashable {
  let pattern: RecurrencePattern
  let start: Int64
  /// The last that may be.
  let last: Int64
  /// Ascending, and each one of the pattern.
  let except: [Int64]

  /// - Parameters:
  ///   - count: counts from the start, and those left out too (RFC 5545, section 3.8.5.1).
  ///   - until: the last reading that may be.
  init(_ pattern: RecurrencePattern, start: Int64, count: Int64?, until: Int64?, except: [Int64]) {
    self.pattern = pattern
    self.start = start
    let counted = count.map { RecurrenceReadings.reading($0, of: pattern, from: start) } ?? latestSecond
    let last = min(counted, until ?? latestSecond, latestSecond)
    self.last = last
    self.except = Set(except.filter { $0 >= start && $0 <= last }).sorted()
      .filter { pattern.first(from: $0) == $0 }
  }

  func first(from reading: Int64) -> Int64? {
    var reading = max(reading, start)
    var place = except.place(of: reading)
    while reading <= last, let found = pattern.first(from: reading), found <= last {
      while place < except.count, except[place] < found { place += 1 }
      guard place < except.count, except[place] == found else { return found }
      reading = found + 1
    }
    return nil
  }

  func count(in range: Range<Int64>) -> Int64 {
    let low = max(range.lowerBound, start)
    let high = min(range.upperBound, last.addingSaturated(1))
    guard low < high else { return 0 }
    return pattern.count(in: low..<high) - Int64(except.place(of: high) - except.place(of: low))
  }

  /// The n-th reading from the start, by halving; ever longer times from the start are tried first. The last that can be
  /// written where there are fewer.
  private static func reading(_ number: Int64, of pattern: RecurrencePattern, from start: Int64) -> Int64 {
    var low = start
    var high = start
    var reach: Int64 = 86_400
    func holds(_ reading: Int64) -> Bool { pattern.count(in: start..<reading + 1) >= number }
    repeat {
      low = high
      guard low < latestSecond else { return latestSecond }
      high = min(low.addingSaturated(reach), latestSecond)
      reach *= 4
    } while !holds(high)
    if holds(start) { return start }
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if holds(middle) { high = middle } else { low = middle }
    }
    return high
  }
}

extension [Int64] {
  /// The place of the first element that is not less than another, in an ascending array.
  func place(of value: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
