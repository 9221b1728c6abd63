import CarillonLoop
import Testing

@testable import CarillonRelay

/// When what late subscribers find is looked at, without a broker.
@Suite struct LatestTests {
  @Test func `A timer of several goes off for the earliest, whoever asked first`() throws {
    let loop = try EventLoop()
    let timer = EarliestTimer(try loop.timer(.elapsed) { loop.exit(7) })
    let limit = try loop.timer(.elapsed) { loop.exit(1) }
    limit.arm(after: .seconds(5))
    timer.arm(within: 60_000)
    timer.arm(within: 10)
    timer.arm(within: 30_000)
    #expect(try loop.run() == 7)
  }
}
