import Glibc
import Testing

@testable import CarillonLoop

@Suite struct LogTests {
  final class Lines { var all: [String] = [] }

  @Test func whatMattersLessIsNotWritten() {
    let lines = Lines()
    let log = Log(level: .warning) { lines.all.append($0) }
    log.error("e")
    log.warning("w")
    log.info("i")
    log.debug("d")
    #expect(lines.all.map { $0.drop { $0 != ">" && $0 != "e" && $0 != "w" } } == ["e", "w"])
  }

  @Test func aControlCharacterCannotForgeALine() {
    let lines = Lines()
    Log { lines.all.append($0) }.info("a\nb\u{1B}[2Jc")
    #expect(lines.all.map { $0.hasSuffix("a b [2Jc") } == [true])
  }

  @Test(arguments: [("debug", LogLevel.debug), ("info", .info), ("warning", .warning), ("error", .error)])
  func levelsHaveNames(_ name: String, _ level: LogLevel) {
    #expect(LogLevel(name) == level)
  }

  @Test func thereIsNoOtherLevel() {
    #expect(LogLevel("loud") == nil)
  }

  @Test func aFloodIsCutAndCounted() {
    let lines = Lines()
    let log = Log { lines.all.append($0) }
    for number in 0..<25 { log.limited("rejected command", "\(number)") }
    #expect(lines.all.count == LogLimiter.linesInWindow)
    log.settle(all: true)
    #expect(lines.all.last?.hasSuffix("rejected command: 15 more like this") == true)
  }

  @Test func oneFloodDoesNotSilenceAnother() {
    let limiter = LogLimiter()
    for _ in 0..<20 { _ = limiter.admits("a", .info, at: 0) }
    #expect(!limiter.admits("a", .info, at: 1))
    #expect(limiter.admits("b", .info, at: 1))
  }

  @Test func aWindowEndsAfterAMinuteAndCountsOnce() {
    let limiter = LogLimiter()
    for _ in 0..<12 { _ = limiter.admits("a", .info, at: 1000) }
    #expect(limiter.settled(at: 60_999).isEmpty)
    #expect(limiter.settled(at: 61_000).map(\.count) == [2])
    #expect(limiter.settled(at: 61_000).isEmpty)
    #expect(limiter.admits("a", .info, at: 61_000))
  }

  @Test func keysFromOutsideCannotFillTheMemory() {
    let limiter = LogLimiter()
    for number in 0..<5000 { _ = limiter.admits("key \(number)", .info, at: 0) }
    #expect(limiter.settled(at: .max).map(\.key) == ["other"])
  }
}
