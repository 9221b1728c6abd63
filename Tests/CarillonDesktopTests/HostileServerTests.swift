import CarillonLoop
import CarillonTestSupport
import Testing

@testable import CarillonDesktop

/// What no service and no other program on the bus should do.
@Suite struct HostileServerTests {
  let bus: MessageBus
  let bench: DesktopBench

  init() throws {
    bus = try MessageBus()
    bench = try DesktopBench(bus)
  }

  private func server() throws -> NotificationServer {
    let server = try NotificationServer(
      bus, loop: bench.loop, capabilities: NotificationServerTests.everything)
    try bench.begin()
    return server
  }

  @Test func otherProgramsNotificationsAreNoneOfOurs() throws {
    let server = try server()
    try bench.show(.bins())
    for number: UInt32 in [0, 1, 100, 102, .max] {
      try server.emit("ActionInvoked", [.uint32(number), .string("default")])
      try server.close(number, reason: 2)
    }
    try bench.settle()
    #expect(bench.events(of: "1") == [.shown(key: "1")])
  }

  /// Any program on the bus can send such signals, to everybody or to us.
  @Test func nobodyElseCanFakeATap() throws {
    let server = try server()
    try bench.show(.bins())
    let client = try #require(server.asked.first?.client)
    let stranger = try BusPeer(bus, loop: bench.loop)
    for destination in [nil, client] {
      for (member, argument) in [
        ("ActionInvoked", BusValue.string("default")), ("NotificationClosed", .uint32(2)),
      ] {
        try stranger.emit(
          "/org/freedesktop/Notifications", Desktop.service, member, [.uint32(101), argument], to: destination
        )
      }
      try stranger.emit(
        "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
        [.string(Desktop.service), .string(":1.0"), .string("")], to: destination)
    }
    // It has been heard when the service hears from it.
    var isHeard = false
    server.override = { peer, call in
      if call.member == "Heard" { isHeard = true }
      return call.member == "Heard"
    }
    try stranger.call(Desktop.service, "/", "test.Test", "Heard", [])
    try bench.wait { isHeard }
    try bench.settle()
    #expect(bench.events(of: "1") == [.shown(key: "1")])
    #expect(bench.unavailable == [])
    try server.invoke(101, "default")
    try bench.wait(for: .tapped(key: "1", token: nil))
  }

  static let oddAnswers: [[BusValue]] = [
    [], [.uint32(0)], [.string("1")], [.int32(1)], [.variant(.uint32(1))], [.structure([.uint32(1)])],
    [.strings(["1"])], [.options(["a": .options(["b": .byte(1)])])],
  ]

  @Test(arguments: oddAnswers) func anOddAnswerIsARefusal(_ answer: [BusValue]) throws {
    let server = try server()
    server.override = { peer, call in
      guard call.member == "Notify" else { return false }
      try peer.answer(call, answer)
      return true
    }
    bench.desktop?.show(.bins())
    try bench.wait(
      for: .refused(key: "1", reason: "the notification service gave it no number"))
  }

  @Test func oddCapabilitiesAreNone() throws {
    for answer in Self.oddAnswers {
      let bench = try DesktopBench(try MessageBus())
      let server = try NotificationServer(bench.bus, loop: bench.loop, capabilities: [])
      server.override = { peer, call in
        guard call.member.hasPrefix("Get") else { return false }
        try peer.answer(call, answer)
        return true
      }
      try bench.begin()
      #expect(bench.available == [[]])
    }
  }

  @Test func oddSignalsAreNothing() throws {
    let server = try server()
    try bench.show(.bins())
    for member in ["ActionInvoked", "NotificationClosed", "ActivationToken", "NotificationReplied"] {
      for arguments in [[], [BusValue.uint32(101)], [.string("x"), .uint32(101)], [.uint32(101), .byte(1)]] {
        try server.emit(member, arguments)
      }
    }
    try bench.settle()
    #expect(bench.events(of: "1") == [.shown(key: "1")])
  }
}
