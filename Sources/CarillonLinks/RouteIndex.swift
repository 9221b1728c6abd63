/// Finds the routes that a link may belong to without looking at each one closely: for every route the hashes of its
/// literal segments and of its query, side by side in memory. What it finds is compared byte by byte afterwards.
struct RouteIndex: Sendable {
  private struct Candidate {
    let place: Int
    /// Its segments in `hashes`.
    let segments: Range<Int>
    /// What its query asks for, in `hashes`: a name and a value each.
    let query: Range<Int>
    /// Whether it takes more segments than its own.
    let isOpenEnded: Bool
  }

  private var candidates: [Candidate] = []
  private var hashes: [UInt64] = []

  /// Routes are added in the order in which they count.
  mutating func add(_ pattern: RoutePattern, place: Int) {
    let start = hashes.count
    for segment in pattern.segments {
      switch segment {
      // As written, since hashing decodes.
      case .literal(let raw, _): hashes.append(RouteIndex.hash(raw, raw.indices))
      case .parameter: hashes.append(RouteIndex.any)
      }
    }
    let end = hashes.count
    // A link is hashed as its query reads by default; where a plus is a blank, only the close look can tell.
    if !pattern.form {
      for requirement in pattern.query { add(requirement) }
    }
    candidates.append(
      Candidate(
        place: place, segments: start..<end, query: end..<hashes.count, isOpenEnded: pattern.rest != nil))
  }

  private mutating func add(_ requirement: RoutePattern.Requirement) {
    hashes.append(RouteIndex.hash(requirement.rawName, requirement.rawName.indices))
    switch requirement.value {
    case .literal(let raw, _): hashes.append(RouteIndex.hash(raw ?? [], (raw ?? []).indices))
    case .parameter: hashes.append(RouteIndex.any)
    }
  }

  /// The first place whose path may fit and that `fits` confirms.
  func first(_ link: Hashes, where fits: (Int) -> Bool) -> Int? {
    for candidate in candidates where mayFit(candidate, link) && fits(candidate.place) {
      return candidate.place
    }
    return nil
  }

  private func mayFit(_ candidate: Candidate, _ link: Hashes) -> Bool {
    let count = candidate.segments.count
    guard candidate.isOpenEnded ? link.path.count >= count : link.path.count == count else { return false }
    for index in 0..<count {
      let hash = hashes[candidate.segments.lowerBound + index]
      if hash != RouteIndex.any, hash != link.path[index] { return false }
    }
    for index in stride(from: candidate.query.lowerBound, to: candidate.query.upperBound, by: 2) {
      let (name, value) = (hashes[index], hashes[index + 1])
      let isThere = link.query.contains {
        $0.name == name && (value == RouteIndex.any || value == $0.value)
      }
      if !isThere { return false }
    }
    return true
  }

  /// The parts of a link, hashed once however many routes there are.
  struct Hashes {
    fileprivate let path: [UInt64]
    fileprivate let query: [(name: UInt64, value: UInt64)]

    /// - Parameter count: the segments of `split`, or one more for the empty one after a trailing slash.
    init(_ split: SplitLink, _ count: Int) {
      path = (0..<count).map { index in
        RouteIndex.hash(split.bytes, index < split.segments.count ? split.segments[index] : 0..<0)
      }
      query = split.pairs.map { pair in
        (RouteIndex.hash(split.bytes, pair.name), RouteIndex.hash(split.bytes, pair.value ?? 0..<0))
      }
    }
  }

  /// Stands for a parameter; no hash is zero.
  private static let any: UInt64 = 0

  /// FNV-1a over the decoded bytes.
  private static func hash(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    var index = range.lowerBound
    while index < range.upperBound {
      hash ^= UInt64(PercentEncoding.next(bytes, &index, end: range.upperBound, plusIsBlank: false))
      hash &*= 0x100_0000_01B3
    }
    return hash | 1
  }
}
