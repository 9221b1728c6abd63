import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonDesktop

/// Lock and idle state, with a logind of the test's own on a real bus.
@Suite struct SeatWatchTests {
  let loop: EventLoop
  let systemBus: MessageBus
  let sessionBus: MessageBus

  init() throws {
    loop = try EventLoop()
    systemBus = try MessageBus()
    sessionBus = try MessageBus()
  }

  /// What a watch has told.
  final class Told {
    var presences: [Profile.Presence] = []
    var watch: SeatWatch?
  }

  private func watch(sessionID: String? = nil) throws -> Told {
    let told = Told()
    told.watch = try SeatWatch(
      loop: loop, systemBus: systemBus.address, sessionBus: sessionBus.address, sessionID: sessionID,
      pace: Pace(first: .milliseconds(20))
    ) { [unowned told] in told.presences.append($0) }
    told.watch?.start()
    return told
  }

  private func wait(_ told: Told, _ presences: [Profile.Presence]) throws {
    let deadline = Deadline(after: .seconds(20))
    while told.presences != presences {
      guard !deadline.hasPassed else { throw TestFailure("told \(told.presences), not \(presences)") }
      try loop.turn(waiting: .milliseconds(5))
    }
  }

  @Test func tellsTheHintsAndWhenTheyChange() throws {
    let logind = try LoginService(systemBus, loop: loop)
    let told = try watch()
    try wait(told, [.active])
    try logind.change("IdleHint", true)
    try wait(told, [.active, .idle])
    try logind.change("LockedHint", true)
    try wait(told, [.active, .idle, .locked])
    try logind.change("LockedHint", false)
    try logind.change("IdleHint", false)
    try wait(told, [.active, .idle, .locked, .idle, .active])
    #expect(told.watch?.presence == .active)
  }

  @Test func theProgramsOwnSessionComesBeforeTheOneThatTheUserSees() throws {
    let logind = try LoginService(systemBus, loop: loop)
    logind.sessions["7"] = ["LockedHint": true, "IdleHint": false]
    try wait(try watch(sessionID: "7"), [.locked])
    try wait(try watch(sessionID: "unknown"), [.active])
  }

  @Test func lockAndUnlockAreHeard() throws {
    let logind = try LoginService(systemBus, loop: loop)
    let told = try watch()
    try wait(told, [.active])
    try logind.signal("Lock")
    try wait(told, [.active, .locked])
    try logind.signal("Unlock")
    try wait(told, [.active, .locked, .active])
  }

  @Test func changesWithoutTheirValuesAreLookedUp() throws {
    let logind = try LoginService(systemBus, loop: loop)
    let told = try watch()
    try wait(told, [.active])
    logind.sessions["2"]?["LockedHint"] = true
    try logind.invalidate("LockedHint")
    try wait(told, [.active, .locked])
  }

  @Test func withoutLogindItIsUnknownUntilThereIsOne() throws {
    let told = try watch()
    let deadline = Deadline(after: .milliseconds(100))
    while !deadline.hasPassed { try loop.turn(waiting: .milliseconds(5)) }
    #expect(told.presences == [])
    let logind = try LoginService(systemBus, loop: loop)
    try wait(told, [.active])
    logind.leave()
    try wait(told, [.active, .unknown])
  }

  @Test func aSessionThatBeginsLaterIsFoundAndOneThatEndsIsGone() throws {
    let logind = try LoginService(systemBus, loop: loop)
    logind.sessions = [:]
    let told = try watch()
    try wait(told, [])
    logind.sessions["2"] = ["LockedHint": false, "IdleHint": true]
    try logind.manager("SessionNew", "2")
    try wait(told, [.idle])
    logind.sessions = [:]
    try logind.manager("SessionRemoved", "2")
    try wait(told, [.idle, .unknown])
  }

  @Test func comesBackWithTheBus() throws {
    let first = try LoginService(systemBus, loop: loop)
    let told = try watch()
    try wait(told, [.active])
    try systemBus.restart()
    try wait(told, [.active, .unknown])
    first.leave()
    let second = try LoginService(systemBus, loop: loop)
    try wait(told, [.active, .unknown, .active])
    try second.change("LockedHint", true)
    try wait(told, [.active, .unknown, .active, .locked])
  }

  /// On a bus without logind.
  @Test func theScreenSaverTellsTheLockWhereItIs() throws {
    let told = try watch()
    let saver = try BusPeer(sessionBus, loop: loop)
    saver.onCall = { [unowned saver] call in try? saver.answer(call, [.bool(true)]) }
    try saver.own("org.freedesktop.ScreenSaver")
    try wait(told, [.locked])
    try saver.emit("/ScreenSaver", "org.freedesktop.ScreenSaver", "ActiveChanged", [.bool(false)])
    try wait(told, [.locked, .active])
    try saver.emit("/ScreenSaver", "org.freedesktop.ScreenSaver", "ActiveChanged", [.bool(true)])
    try wait(told, [.locked, .active, .locked])
    saver.leave()
    try wait(told, [.locked, .active, .locked, .unknown])
  }

  @Test func strangersAndNonsenseAreNothing() throws {
    let logind = try LoginService(systemBus, loop: loop)
    let told = try watch()
    try wait(told, [.active])
    let stranger = try BusPeer(systemBus, loop: loop)
    let other = try BusPeer(sessionBus, loop: loop)
    try stranger.emit(LoginService.path(of: "2"), "org.freedesktop.login1.Session", "Lock", [])
    try stranger.emit(
      LoginService.path(of: "2"), "org.freedesktop.DBus.Properties", "PropertiesChanged",
      LoginService.changed("LockedHint", .bool(true)))
    try other.emit(
      "/ScreenSaver", "org.freedesktop.ScreenSaver", "ActiveChanged", [.bool(true)])
    try logind.send(LoginService.changed("LockedHint", .string("true")))
    try logind.send([])
    try logind.send([.string("org.freedesktop.login1.Session"), .uint32(1), .bool(true)])
    try stranger.call("org.freedesktop.login1", "/", "test.Test", "Heard", [])
    var deadline = Deadline(after: .seconds(10))
    while !logind.isHeard, !deadline.hasPassed { try loop.turn(waiting: .milliseconds(5)) }
    // What the other bus has brought is in by now too, or would be.
    deadline = Deadline(after: .milliseconds(20))
    while !deadline.hasPassed { try loop.turn(waiting: .milliseconds(5)) }
    #expect(told.presences == [.active])
  }

  @Test func afterAStopNothingIsTold() throws {
    let logind = try LoginService(systemBus, loop: loop)
    let told = try watch()
    try wait(told, [.active])
    told.watch?.stop()
    try logind.change("LockedHint", true)
    told.watch?.start()
    try wait(told, [.active, .locked])
  }
}

/// What the hints say together.
@Suite struct SeatTests {
  @Test func aLockThatWasAskedForEndsWhenSomebodyIsBack() {
    var seat = Seat()
    #expect(seat.presence == .unknown)
    seat.take(["LockedHint": .bool(false), "IdleHint": .bool(true)])
    #expect(seat.presence == .idle)
    seat.take(signal: "Lock")
    #expect(seat.presence == .locked)
    seat.take(["IdleHint": .bool(false)])
    #expect(seat.presence == .active)
    seat.take(signal: "Lock")
    seat.take(["LockedHint": .bool(true)])
    seat.take(["LockedHint": .bool(false)])
    #expect(seat.presence == .active)
    seat.take(signal: "Lock")
    seat.screenSaver = false
    #expect(seat.presence == .active)
    seat.screenSaver = true
    seat.loseSession()
    #expect(seat.presence == .locked)
  }
}
