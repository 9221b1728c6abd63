import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonLoop

@Suite struct EventLoopTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test func runReturnsTheCodeGivenToExit() throws {
    loop.afterTurn { loop.exit(75) }
    #expect(try loop.run() == 75)
  }

  @Test func deferredCallsRunInOrderAndOnesMadeMeanwhileRunLater() throws {
    var order: [Int] = []
    loop.afterTurn {
      order.append(1)
      loop.afterTurn {
        order.append(3)
        loop.exit()
      }
    }
    loop.afterTurn { order.append(2) }
    try loop.run()
    #expect(order == [1, 2, 3])
  }

  @Test func whatWasDeferredBeforeExitStillRuns() throws {
    var hasRun = false
    loop.afterTurn {
      loop.afterTurn { hasRun = true }
      loop.exit()
    }
    try loop.run()
    #expect(hasRun)
  }

  @Test func aTurnWithNothingToDoEndsAfterItsLimit() throws {
    let start = SystemClock.elapsedMilliseconds
    #expect(try !loop.turn(waiting: .milliseconds(20)))
    #expect(SystemClock.elapsedMilliseconds - start >= 19)
  }
}

@Suite struct IOWatchTests {
  let loop: EventLoop
  let pipe: Pipe

  init() throws {
    loop = try EventLoop()
    pipe = try Pipe()
  }

  @Test func tellsThatThereIsSomethingToRead() throws {
    var told: [IOReadiness] = []
    let watch = try loop.watch(pipe.readingEnd, reading: true, writing: false) { readiness in
      told.append(readiness)
      loop.exit()
    }
    pipe.put("x")
    try loop.run()
    #expect(told == [.readable])
    watch.cancel()
  }

  @Test func tellsAgainWhileThereIsMore() throws {
    var count = 0
    let watch = try loop.watch(pipe.readingEnd, reading: true, writing: false) { _ in
      count += 1
      if count == 3 { loop.exit() }
    }
    pipe.put("x")
    try loop.run()
    #expect(count == 3)
    watch.cancel()
  }

  @Test func tellsNothingWhileDisabledAndOnceEnabledWhatWaited() throws {
    var count = 0
    let watch = try loop.watch(pipe.readingEnd, reading: true, writing: false) { _ in
      count += 1
      pipe.drain()
    }
    watch.isEnabled = false
    pipe.put("x")
    #expect(try !loop.turn(waiting: .milliseconds(20)))
    #expect(count == 0)
    watch.isEnabled = true
    try loop.turn(waiting: .seconds(5))
    #expect(count == 1)
  }

  @Test func tellsTheEndEvenWithoutInterest() throws {
    var told: [IOReadiness] = []
    let watch = try loop.watch(pipe.readingEnd, reading: false, writing: false) { readiness in
      told.append(readiness)
      loop.exit()
    }
    pipe.closeWritingEnd()
    try loop.run()
    #expect(told.first?.isDisjoint(with: .failed) == false)
    watch.cancel()
  }

  @Test func interestCanChange() throws {
    var told: [IOReadiness] = []
    let watch = try loop.watch(pipe.writingEnd, reading: false, writing: false) { readiness in
      told.append(readiness)
      loop.exit()
    }
    #expect(try !loop.turn(waiting: .milliseconds(5)))
    watch.setInterest(reading: false, writing: true)
    try loop.run()
    #expect(told == [.writable])
  }

  @Test func mayBeCancelledAndLetGoInItsOwnHandler() throws {
    var watch: IOWatch?
    var count = 0
    watch = try loop.watch(pipe.readingEnd, reading: true, writing: false) { _ in
      count += 1
      watch?.cancel()
      watch = nil
    }
    pipe.put("x")
    try loop.turn(waiting: .seconds(5))
    #expect(try !loop.turn(waiting: .milliseconds(10)))
    #expect(count == 1)
    #expect(watch == nil)
  }

  @Test func aClosedDescriptorIsRefused() throws {
    let error = #expect(throws: LoopError.self) {
      _ = try loop.watch(100_000, reading: true, writing: false) { _ in }
    }
    #expect(error?.number == EBADF)
    #expect(error?.description == "cannot wait for descriptor 100000: Bad file descriptor")
  }
}

/// A pipe of one test.
final class Pipe {
  let readingEnd: Int32
  private(set) var writingEnd: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard Glibc.pipe(&ends) == 0 else { throw TestFailure("no pipe") }
    readingEnd = ends[0]
    writingEnd = ends[1]
  }

  deinit {
    close(readingEnd)
    closeWritingEnd()
  }

  func put(_ text: String) { write(writingEnd, text, text.utf8.count) }

  func drain() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    read(readingEnd, &buffer, buffer.count)
  }

  func closeWritingEnd() {
    if writingEnd >= 0 { close(writingEnd) }
    writingEnd = -1
  }
}
