import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonLoop

@Suite struct TimerTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test(arguments: [TimerClock.wall, .elapsed])
  func firesOnceAtItsInstantAndNotBefore(_ clock: TimerClock) throws {
    var firedAt: Int64 = 0
    var count = 0
    let timer = try loop.timer(clock) {
      firedAt = now(clock)
      count += 1
    }
    let due = now(clock) + 30
    timer.arm(atMilliseconds: due)
    #expect(timer.isArmed)
    try eventually { try loop.turn(waiting: .milliseconds(100)) && count > 0 }
    #expect(firedAt >= due)
    #expect(!timer.isArmed)
    #expect(try !loop.turn(waiting: .milliseconds(10)))
    #expect(count == 1)
  }

  /// The library's own default would let it be a quarter of a second late.
  @Test func isNotLateByMoreThanTheMachineCauses() throws {
    var lateness: [Int64] = []
    for _ in 0..<20 {
      let due = SystemClock.elapsedMilliseconds + 3
      let timer = try loop.timer(.elapsed) {
        lateness.append(SystemClock.elapsedMilliseconds - due)
      }
      timer.arm(atMilliseconds: due)
      try eventually { try loop.turn(waiting: .seconds(1)) && !timer.isArmed }
    }
    #expect(lateness.sorted()[10] < 20)
  }

  @Test func anInstantInThePastFiresAtOnce() throws {
    let timer = try loop.timer(.wall) { loop.exit() }
    timer.arm(atMilliseconds: -5)
    try loop.run()
    #expect(!timer.isArmed)
  }

  @Test func aDisarmedTimerDoesNotFireAndCanBeArmedAgain() throws {
    var count = 0
    let timer = try loop.timer(.elapsed) { count += 1 }
    timer.arm(after: .milliseconds(5))
    timer.disarm()
    #expect(try !loop.turn(waiting: .milliseconds(30)))
    timer.arm(after: .zero)
    try loop.turn(waiting: .seconds(5))
    #expect(count == 1)
  }

  @Test func armingAgainMovesIt() throws {
    var count = 0
    let timer = try loop.timer(.elapsed) { count += 1 }
    timer.arm(after: .seconds(3600))
    timer.arm(after: .milliseconds(1))
    try loop.turn(waiting: .seconds(5))
    #expect(count == 1)
  }

  @Test func canBeArmedAgainInItsOwnHandler() throws {
    var count = 0
    var timer: Timer?
    timer = try loop.timer(.elapsed) {
      count += 1
      count < 3 ? timer?.arm(after: .milliseconds(1)) : loop.exit()
    }
    timer?.arm(after: .zero)
    try loop.run()
    #expect(count == 3)
    timer = nil
  }

  @Test(arguments: [Int64.max, Int64.max - 1, 253_402_300_800_000])
  func instantsBeyondAllCalendarsNeverFire(_ instant: Int64) throws {
    var count = 0
    let wall = try loop.timer(.wall) { count += 1 }
    wall.arm(atMilliseconds: instant)
    let elapsed = try loop.timer(.elapsed) { count += 1 }
    elapsed.arm(after: .seconds(Int64.max))
    #expect(try !loop.turn(waiting: .milliseconds(20)))
    #expect(count == 0)
  }

  @Test func aTimerThatIsLetGoDoesNotFire() throws {
    var count = 0
    try loop.timer(.elapsed) { count += 1 }.arm(after: .zero)
    #expect(try !loop.turn(waiting: .milliseconds(10)))
    #expect(count == 0)
  }

  private func now(_ clock: TimerClock) -> Int64 {
    clock == .wall ? SystemClock.wallMilliseconds : SystemClock.elapsedMilliseconds
  }
}

@Suite struct SystemClockTests {
  @Test func theWallClockIsInOurTime() {
    #expect(SystemClock.wallMilliseconds > 1_700_000_000_000)
  }

  @Test func elapsedTimeDoesNotGoBack() {
    let readings = (0..<1000).map { _ in SystemClock.elapsedMilliseconds }
    #expect(readings == readings.sorted())
  }

  @Test func aBootHasAnIdentifier() {
    #expect(SystemClock.bootID.utf8.count == 36)
  }
}
