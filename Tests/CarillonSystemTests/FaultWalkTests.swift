import CarillonTestSupport
import Glibc
import Testing

/// Pairs of faults, and SIGTERM, under mixed traffic: after each round the ledger of all requests has to balance.
///
/// 20 rounds by default, of SIGTERM half as many. `CARILLON_WALK=512` in the environment meets every pair twice;
/// `CARILLON_SEED` draws others. `carillon-bench soak --walk 1 --from N --seed S` repeats a round.
@Suite(.onOwnThread)
struct FaultWalkTests {
  private static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }
  private static let rounds = number("CARILLON_WALK") ?? 20
  private static let seed = UInt64(number("CARILLON_SEED") ?? 1)

  @Test("Whichever two places relay and companions die at, nothing is lost and nothing is acted on twice")
  func pairs() throws {
    let walk = try FaultWalk(seed: FaultWalkTests.seed)
    var struck = Set<FaultPlace>()
    for number in 1...max(FaultWalkTests.rounds, FaultPlace.allCases.count) {
      let round = try walk.round(number)
      #expect(round.missed.isEmpty, "seed \(FaultWalkTests.seed), round \(number), \(round.pair)")
      for fault in [round.pair.first, round.pair.second] where !round.missed.contains(fault) {
        struck.insert(fault.place)
      }
    }
    try walk.finish()
    #expect(struck == Set(FaultPlace.allCases))
  }

  @Test("SIGTERM at any moment ends relay and companions within five seconds, and nothing is lost")
  func stops() throws {
    let walk = try StopWalk(seed: FaultWalkTests.seed)
    for number in 1...(FaultWalkTests.rounds + 1) / 2 { try walk.round(number) }
    try walk.finish()
  }

  @Test("A walk of as many rounds as there are places meets each, and a longer one every pair")
  func order() {
    let places = FaultPlace.allCases.count
    let short = (1...places).map { FaultPair(seed: 7, round: $0) }
    #expect(Set(short.map(\.first.place)).count == places && Set(short.map(\.second.place)).count == places)
    let long = (1...FaultPair.combinations).map { FaultPair(seed: 7, round: $0) }
    #expect(Set(long.map { [$0.first.place, $0.second.place] }).count == FaultPair.combinations)
  }
}
