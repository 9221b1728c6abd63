import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonRelay
@testable import CarillonStore

/// The second process that checks a large store, played by others.
@Suite(.onOwnThread) struct StoreCheckTests {
  private let directory: TemporaryDirectory
  private let service: RelayService

  init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    var configuration = RelayConfiguration()
    configuration.timezone = "UTC"
    service = try RelayService(configuration: configuration, store: directory.file("store"), version: "0")
  }

  @Test(arguments: [
    ("exit 0", StoreCheck.Outcome.sound),
    ("echo sound; exit 0", .sound),
    ("echo 'damaged: row 7 missing'; exit 65", .damaged("row 7 missing")),
    ("echo 'no such file'; exit 1", .failed("exited(1)")),
    ("kill -9 $$", .failed("signaled(9)")),
  ])
  func `What it says is taken for what it is`(script: String, outcome: StoreCheck.Outcome) throws {
    var told: StoreCheck.Outcome?
    let check = try StoreCheck(["/bin/sh", "-c", script], loop: service.loop) { told = $0 }
    let deadline = Deadline(after: .seconds(20))
    while told == nil, !deadline.hasPassed { try service.loop.turn(waiting: .milliseconds(50)) }
    #expect(told == outcome)
    withExtendedLifetime(check) {}
  }

  @Test func `A check that keeps the log from beginning anew is ended, and tried again later`() throws {
    service.checking.logLimit = 50
    service.checking.running = try StoreCheck(["/bin/sleep", "600"], loop: service.loop) { _ in
      Issue.record("its end was not its own")
    }
    let sleeper = try #require(
      ProcessTree.descendants(of: getpid()).first { process in
        (try? String(decoding: bytes("/proc/\(process.pid)/cmdline"), as: UTF8.self)) == "/bin/sleep\0600\0"
      })
    service.watchCheck()
    #expect(service.checking.running != nil, "little is written")
    try service.transaction { () throws(StoreError) in
      for number in 0..<200 { try service.queue.setFact("f\(number)", String(repeating: "x", count: 4000)) }
    }
    service.watchCheck()
    #expect(service.checking.running == nil)
    #expect(service.timers.check.isArmed)
    #expect(!ProcessTree.exists(sleeper.pid))
    let pause = service.checking.pause
    service.checked(.failed("no memory"))
    #expect(service.checking.pause > pause)
    #expect(service.damage == nil)
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(file, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }
}
