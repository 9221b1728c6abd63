/// BYSETPOS: which of a row of times are chosen, counted from either end.
struct SetPositions: Hashable {
  /// From 0, ascending.
  private let fromStart: [Int]
  /// From 1, which is the last, ascending.
  private let fromEnd: [Int]

  /// - Parameter numbers: as a rule has them: 1 is the first, -1 the last.
  init(_ numbers: [Int]) {
    fromStart = Set(numbers.filter { $0 > 0 }).map { $0 - 1 }.sorted()
    fromEnd = Set(numbers.filter { $0 < 0 }).map { -$0 }.sorted()
  }

  /// Of how many at least one is chosen.
  var least: Int { min(fromStart.first.map { $0 + 1 } ?? .max, fromEnd.first ?? .max) }

  /// The first chosen place at or after one, of so many.
  func first(from place: Int, of count: Int) -> Int? {
    let start = fromStart.place(of: place)
    let ahead = start < fromStart.count && fromStart[start] < count ? fromStart[start] : nil
    let end = fromEnd.place(of: count - place + 1) - 1
    guard end >= 0 else { return ahead }
    return min(ahead ?? .max, count - fromEnd[end])
  }

  /// How many chosen places are before one, of so many.
  func count(before place: Int, of count: Int) -> Int {
    guard place > 0 else { return 0 }
    let starts = fromStart.place(of: min(place, count))
    let ends = fromEnd.place(of: count - place + 1)..<fromEnd.place(of: count + 1)
    guard starts > 0, !ends.isEmpty else { return starts + max(ends.count, 0) }
    // What both ends count to is one place.
    var both = 0
    var end = ends.upperBound - 1
    for place in fromStart[..<starts] {
      while end > ends.lowerBound, count - fromEnd[end] < place { end -= 1 }
      if count - fromEnd[end] == place { both += 1 }
    }
    return starts + ends.count - both
  }

  /// All chosen places of so many, ascending.
  func places(of count: Int) -> [Int] {
    var found: [Int] = []
    while let next = first(from: (found.last ?? -1) + 1, of: count) { found.append(next) }
    return found
  }
}
