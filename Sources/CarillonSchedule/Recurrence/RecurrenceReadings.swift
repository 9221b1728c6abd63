import CarillonModel

/// The readings of a recurrence rule: its pattern from the start on, up to COUNT or UNTIL, without those left out.
struct RecurrenceReadings: WallReadings, Hashable {
  let pattern: RecurrencePattern
  let start: Int64
  /// The last that may be.
  let last: Int64
  /// Those left out, ascending; what is no reading of the pattern does no harm.
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
    let left = except[except.place(of: low)..<except.place(of: high)]
    return pattern.count(in: low..<high) - Int64(left.count { pattern.count(in: $0..<$0 + 1) > 0 })
  }

  /// The n-th reading from the start on; the last that can be written where there are fewer.
  ///
  /// Ever longer stretches are counted until one holds it, then halves of that one. Nothing is counted twice, so it costs
  /// about as much as to count once to where it is. The last few are stepped through.
  private static func reading(_ number: Int64, of pattern: RecurrencePattern, from start: Int64) -> Int64 {
    var left = number
    var (low, high) = (start, start)
    var reach: Int64 = 86_400
    while left > few, high == low {
      guard low <= latestSecond else { return latestSecond }
      let end = min(low.addingSaturated(reach), latestSecond + 1)
      let count = pattern.count(in: low..<end)
      if count >= left {
        high = end
      } else {
        left -= count
        (low, high) = (end, end)
        reach *= 4
      }
    }
    while left > few, high - low > 1 {
      let middle = low + (high - low) / 2
      let count = pattern.count(in: low..<middle)
      if count >= left {
        high = middle
      } else {
        left -= count
        low = middle
      }
    }
    var found = low - 1
    for _ in 0..<left {
      guard let next = pattern.first(from: found + 1), next <= latestSecond else { return latestSecond }
      found = next
    }
    return found
  }

  /// So many steps cost about as much as to halve an hour.
  private static let few = 8
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
