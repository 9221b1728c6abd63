import CarillonLoop
import CarillonTestSupport
import Glibc

@testable import CarillonDesktop

/// As much of logind as a seat's watch asks for. Session 2 is the one that the user sees.
final class LoginService {
  private let peer: BusPeer
  /// The boolean properties of the sessions, by id.
  var sessions: [String: [String: Bool]] = ["2": ["LockedHint": false, "IdleHint": false]]
  /// Whether a call that means nothing has come in.
  private(set) var isHeard = false

  init(_ bus: MessageBus, loop: EventLoop) throws {
    peer = try BusPeer(bus, loop: loop)
    peer.onCall = { [unowned self] call in try? take(call) }
    try peer.own("org.freedesktop.login1")
  }

  func leave() { peer.leave() }

  static func path(of session: String) -> String { "/org/freedesktop/login1/session/_3\(session)" }

  private func take(_ call: BusPeer.Call) throws {
    switch (call.member, call.arguments.first) {
    case ("GetSession", .string(let id)?) where sessions[id] != nil:
      try peer.answer(call, [.objectPath(LoginService.path(of: id))])
    case ("GetUser", .uint32(getuid())?):
      try peer.answer(call, [.objectPath("/org/freedesktop/login1/user/_1")])
    case ("Get", .string("org.freedesktop.login1.User")?):
      let id = sessions.keys.contains("2") ? "2" : ""
      let path = id.isEmpty ? "/" : LoginService.path(of: id)
      try peer.answer(call, [.variant(.structure([.string(id), .objectPath(path)]))])
    case ("GetAll", .string("org.freedesktop.login1.Session")?):
      guard let session = sessions.first(where: { LoginService.path(of: $0.key) == call.path }) else {
        fallthrough
      }
      var properties = session.value.mapValues { BusValue.bool($0) }
      properties["Name"] = .string("user")
      properties["User"] = .structure([.uint32(1), .objectPath("/")])
      try peer.answer(call, [.options(properties)])
    default:
      if call.member == "Heard" { isHeard = true }
      try peer.refuse(call, "org.freedesktop.login1.NoSuchSession", "no such session")
    }
  }

  /// Changes a property of session 2 and says so.
  func change(_ name: String, _ value: Bool) throws {
    sessions["2"]?[name] = value
    try send(LoginService.changed(name, .bool(value)))
  }

  static func changed(_ name: String, _ value: BusValue) -> [BusValue] {
    [.string("org.freedesktop.login1.Session"), .options([name: value]), .strings([])]
  }

  /// Says that a property of session 2 has changed, but not to what.
  func invalidate(_ name: String) throws {
    try send([.string("org.freedesktop.login1.Session"), .options([:]), .strings([name])])
  }

  /// PropertiesChanged of session 2.
  func send(_ arguments: [BusValue]) throws {
    try peer.emit(
      LoginService.path(of: "2"), "org.freedesktop.DBus.Properties", "PropertiesChanged", arguments)
  }

  /// A signal of session 2.
  func signal(_ member: String) throws {
    try peer.emit(LoginService.path(of: "2"), "org.freedesktop.login1.Session", member, [])
  }

  /// A signal of the manager about a session.
  func manager(_ member: String, _ session: String) throws {
    try peer.emit(
      "/org/freedesktop/login1", "org.freedesktop.login1.Manager", member,
      [.string(session), .objectPath(LoginService.path(of: session))])
  }
}
