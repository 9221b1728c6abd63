import CarillonLoop
import Glibc
import Testing

/// Each in a process of its own, since the fault is its death.
@Suite struct FaultPointTests {
  @Test func killsTheProcessAtTheNamedPlaceAndSaysSo() async throws {
    let result = try await #require(
      processExitsWith: .signal(SIGKILL), observing: [\.standardErrorContent]
    ) {
      setenv("CARILLON_FAULT", "before commit", 1)
      FaultPoint.reached("after commit")
      FaultPoint.reached("before commit")
      exit(0)
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self).contains("fault point before commit\n"))
  }

  @Test func countsToTheNamedTime() async {
    await #expect(processExitsWith: .signal(SIGKILL)) {
      setenv("CARILLON_FAULT", "place:3", 1)
      for _ in 0..<3 { FaultPoint.reached("place") }
      exit(0)
    }
    await #expect(processExitsWith: .exitCode(7)) {
      setenv("CARILLON_FAULT", "place:3", 1)
      for _ in 0..<2 { FaultPoint.reached("place") }
      exit(7)
    }
  }

  @Test func withoutAChoiceNothingHappens() async {
    await #expect(processExitsWith: .exitCode(7)) {
      unsetenv("CARILLON_FAULT")
      FaultPoint.reached("place")
      exit(7)
    }
  }
}

@Suite struct ServiceTests {
  @Test func theServiceManagerIsTold() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let name = "@carillon-test-\(getpid())"
      let manager = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      // An abstract name: its first byte is NUL.
      withUnsafeMutableBytes(of: &address.sun_path) { path in
        path.copyBytes(from: Array(name.utf8))
        path[0] = 0
      }
      let size = socklen_t(MemoryLayout<sa_family_t>.size + name.utf8.count)
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(manager, $0, size) }
      }
      #expect(bound == 0)
      setenv("NOTIFY_SOCKET", name, 1)
      let loop = try EventLoop()
      loop.notifyReady(status: "waiting for\nbroker")
      loop.notifyStatus("connected")
      loop.notifyStopping()
      var told: [String] = []
      for _ in 0..<3 {
        var buffer = [UInt8](repeating: 0, count: 1000)
        let count = read(manager, &buffer, buffer.count)
        told.append(String(decoding: buffer.prefix(count), as: UTF8.self))
      }
      #expect(told == ["READY=1\nSTATUS=waiting for broker", "STATUS=connected", "STOPPING=1"])
      exit(0)
    }
  }

  @Test func theWatchdogIsServedFromInsideTheLoop() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let loop = try EventLoop()
      unsetenv("WATCHDOG_USEC")
      #expect(try !loop.enableWatchdog())
      setenv("WATCHDOG_USEC", "30000000", 1)
      setenv("WATCHDOG_PID", "\(getpid())", 1)
      #expect(try loop.enableWatchdog())
      exit(0)
    }
  }
}
