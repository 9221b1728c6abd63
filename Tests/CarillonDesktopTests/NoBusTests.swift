import CarillonLoop
import CarillonTestSupport
import Testing

@testable import CarillonDesktop

/// Where there is no bus, or none that answers.
@Suite struct NoBusTests {
  @Test func theSessionBusIsWhereTheVariablesSay() {
    func address(_ variables: [String: String]) -> BusAddress { .session { variables[$0] } }
    #expect(
      address(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/a", "XDG_RUNTIME_DIR": "/r"]) == .known("unix:path=/a")
    )
    #expect(
      address(["DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": "/r d"]) == .known("unix:path=/r%20d/bus"))
    #expect(
      address([:])
        == .missing("no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set"))
  }

  /// Other kinds would be waited for.
  @Test func onlyUnixSocketsAreConnectedTo() {
    func address(_ text: String) -> BusAddress { .session { $0.hasPrefix("DBUS") ? text : nil } }
    #expect(address("tcp:host=example.org,port=1;unix:abstract=x") == .known("unix:abstract=x"))
    for other in ["tcp:host=example.org,port=1", "unixexec:path=/bin/false", "autolaunch:", "nonsense"] {
      #expect(address(other) == .missing("no bus: DBUS_SESSION_BUS_ADDRESS names no Unix socket (unix:…)"))
    }
  }

  @Test(arguments: [
    "unix:path=/nowhere/bus", "unix:nonsense", "unix:path=",
    "unix:path=\(String(repeating: "x", count: 300))",
  ])
  func aBadAddressIsToldOnce(_ address: String) throws {
    let loop = try EventLoop()
    var events: [Desktop.Event] = []
    let desktop = try Desktop(
      loop: loop, name: "Carillon", address: address, pace: Pace(first: .milliseconds(1))
    ) { events.append($0) }
    desktop.start()
    let deadline = Deadline(after: .milliseconds(100))
    while !deadline.hasPassed { try loop.turn(waiting: .milliseconds(5)) }
    #expect(events.count == 1)
    guard case .unavailable(let reason)? = events.first else { return #expect(Bool(false), "\(events)") }
    #expect(reason.hasPrefix("no bus at unix:"))
    #expect(!desktop.isAvailable)
  }

  @Test func aBusThatComesLaterIsFound() throws {
    let bus = try MessageBus()
    bus.kill()
    let bench = try DesktopBench(bus)
    bench.desktop?.start()
    try bench.wait { bench.unavailable.count == 1 }
    try bus.start()
    let server = try NotificationServer(bus, loop: bench.loop, capabilities: [])
    try bench.wait { bench.desktop?.isAvailable == true }
    try bench.show(.bins())
    #expect(server.asked.count == 1)
    #expect(bench.events.count == 3)
  }

  /// A bus that accepts the connection and then says nothing.
  @Test func aBusThatHangsDoesNotHoldUpTheLoop() throws {
    let bus = try MessageBus()
    bus.freeze()
    defer { bus.thaw() }
    let bench = try DesktopBench(bus)
    bench.desktop?.start()
    var turns = 0
    let timer = try bench.loop.timer(.elapsed) { turns += 1 }
    for expected in 1...20 {
      timer.arm(after: .milliseconds(1))
      try bench.wait { turns == expected }
    }
    #expect(bench.events == [])
    bus.thaw()
    let server = try NotificationServer(bus, loop: bench.loop, capabilities: [])
    try bench.wait { bench.desktop?.isAvailable == true }
    try bench.show(.bins())
    #expect(server.asked.count == 1)
  }

  @Test func attemptsBecomeRarer() {
    var pace = Pace()
    #expect((1...6).map { _ in pace.next() } == [2, 4, 8, 16, 30, 30].map { .seconds($0) })
    pace.reset()
    #expect(pace.next() == .seconds(2))
  }
}
