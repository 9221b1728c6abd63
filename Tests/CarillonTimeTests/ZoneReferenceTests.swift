import CarillonModel
import CarillonTestSupport
import CarillonTime
import Testing

@Suite(.enabled(if: isReferenceInstalled, "the reference was made by another release of tzdata"))
struct ZoneReferenceTests {
  @Test func `The reference holds the awkward zones`() {
    #expect(ReferenceZone.all.count > 40)
    #expect(ReferenceZone.all.map(\.stretches.count).reduce(0, +) > 7000)
  }

  @Test(arguments: ReferenceZone.all)
  func `Offset, abbreviation and daylight flag are those of the reference`(reference: ReferenceZone) throws {
    let zone = try installed(reference.name)
    var random = SplitMix(seed: 7)
    var seconds = reference.stretches.dropFirst().flatMap { [$0.start - 1, $0.start, $0.start + 1] }
    seconds += (0..<500).map { _ in Int64.random(in: 0..<ReferenceZone.end, using: &random) }
    for second in seconds {
      let expected = try #require(reference.stretch(at: second))
      // The last millisecond of a second still belongs to it.
      for time in [WallTime(seconds: second), WallTime(milliseconds: second * 1000 + 999)] {
        let offset = zone.offset(at: time)
        guard offset.seconds == expected.seconds, offset.isDaylight == expected.isDaylight,
          offset.abbreviation == expected.abbreviation
        else {
          Issue.record("\(reference.name) at \(time): \(offset) instead of \(expected)")
          return
        }
      }
    }
  }

  @Test(arguments: ReferenceZone.all)
  func `Walking from transition to transition meets all of the reference`(reference: ReferenceZone) throws {
    let zone = try installed(reference.name)
    var met: Set<Int64> = []
    var time = WallTime(milliseconds: -1)
    while let next = zone.nextTransition(after: time), next.seconds < ReferenceZone.end {
      try #require(next > time)
      met.insert(next.seconds)
      time = next
    }
    #expect(reference.stretches.dropFirst().allSatisfy { met.contains($0.start) })
  }

  @Test(arguments: ReferenceZone.all)
  func `A reading is resolved as the reference's stretches say`(reference: ReferenceZone) throws {
    let zone = try installed(reference.name)
    for (before, after) in zip(reference.stretches, reference.stretches.dropFirst()) {
      let edges = [after.start + Int64(before.seconds), after.start + Int64(after.seconds)]
      for edge in edges {
        for near in [-86_400, -3600, -1, 0, 1, 1800, 86_400] as [Int64] {
          let local = edge + near
          // The fraction goes along.
          let resolution = zone.resolve(CivilTime(utc: WallTime(milliseconds: local * 1000 + 250)))
          let expected = expectation(local, reference)
          guard resolution == expected else {
            Issue.record(
              "\(reference.name), reading \(WallTime(seconds: local)): \(resolution), not \(expected)")
            return
          }
        }
      }
    }
  }

  /// Tries every stretch of the reference.
  private func expectation(_ local: Int64, _ reference: ReferenceZone) -> LocalResolution {
    var found: [WallTime] = []
    for (place, stretch) in reference.stretches.enumerated() {
      let second = local - Int64(stretch.seconds)
      let next = place + 1 < reference.stretches.count ? reference.stretches[place + 1].start : .max
      if second < next, second >= stretch.start || place == 0 {
        found.append(WallTime(milliseconds: second * 1000 + 250))
      }
    }
    if found.count > 1 { return .repeated(first: found[0], second: found[1]) }
    if let only = found.first { return .unique(only) }
    let gap = zip(reference.stretches, reference.stretches.dropFirst()).first { before, after in
      after.start + Int64(before.seconds) <= local && local < after.start + Int64(after.seconds)
    }
    return .gap(firstInstantAfter: WallTime(seconds: gap?.1.start ?? 0))
  }
}
