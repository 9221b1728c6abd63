import CarillonDesktop
import CarillonLoop

/// A notification service of a test's own, for what dunst does not do: tokens, answers in words, and everything that no
/// service should do. It runs on the loop of the test.
public final class NotificationServer {
  public static let name = "org.freedesktop.Notifications"
  static let path = "/org/freedesktop/Notifications"

  /// A notification as it was asked for.
  public struct Notification {
    public var application = ""
    public var replaces: UInt32 = 0
    public var icon = ""
    public var summary = ""
    public var body = ""
    /// Keys and titles by turns.
    public var actions: [String] = []
    package var hints: [String: BusValue] = [:]
    public var timeout: Int32 = 0
    /// The number that it got.
    public var number: UInt32 = 0
    /// Who asked for it.
    public var client = ""
  }

  private let peer: BusPeer
  private let capabilities: [String]
  private var last: UInt32 = 100
  /// What is on the screen, by number.
  public private(set) var shown: [UInt32: Notification] = [:]
  /// Everything that was asked for, in order.
  public private(set) var asked: [Notification] = []
  /// The numbers that CloseNotification was called with.
  public private(set) var closed: [UInt32] = []
  /// Takes over the answers: returns true for a call that it has seen to.
  public var override: ((BusPeer, BusPeer.Call) throws -> Bool)?
  /// While true, calls of Notify wait for `release`.
  public var holdsBack = false
  private var held: [BusPeer.Call] = []

  public init(_ bus: MessageBus, loop: EventLoop, capabilities: [String]) throws {
    self.capabilities = capabilities
    peer = try BusPeer(bus, loop: loop)
    peer.onCall = { [unowned self] call in try? take(call) }
    try peer.own(NotificationServer.name)
  }

  /// Leaves the bus.
  public func leave() { peer.leave() }

  private func take(_ call: BusPeer.Call) throws {
    if try override?(peer, call) == true { return }
    switch call.member {
    case "GetCapabilities": try peer.answer(call, [.strings(capabilities)])
    case "GetServerInformation":
      try peer.answer(call, [.string("stub"), .string("test"), .string("1"), .string("1.2")])
    case "Notify":
      if holdsBack { held.append(call) } else { try show(call) }
    case "CloseNotification":
      guard case .uint32(let number)? = call.arguments.first else { return }
      closed.append(number)
      if shown[number] != nil { try close(number, reason: 3) }
      try peer.answer(call, [])
    default: try peer.refuse(call, "org.freedesktop.DBus.Error.UnknownMethod", "unknown")
    }
  }

  private func show(_ call: BusPeer.Call) throws {
    var notification = NotificationServer.notification(call)
    if notification.replaces == 0 { last += 1 }
    notification.number = notification.replaces == 0 ? last : notification.replaces
    asked.append(notification)
    shown[notification.number] = notification
    try peer.answer(call, [.uint32(notification.number)])
  }

  /// Answers what was held back.
  public func release() throws {
    holdsBack = false
    let calls = held
    held = []
    for call in calls { try show(call) }
  }

  /// How many calls of Notify are held back.
  public var waiting: Int { held.count }

  private static func notification(_ call: BusPeer.Call) -> Notification {
    var notification = Notification()
    let values = call.arguments
    guard values.count == 8 else { return notification }
    notification.application = values[0].text ?? ""
    if case .uint32(let number) = values[1] { notification.replaces = number }
    notification.icon = values[2].text ?? ""
    notification.summary = values[3].text ?? ""
    notification.body = values[4].text ?? ""
    notification.actions = values[5].texts ?? []
    notification.hints = values[6].dictionary
    if case .int32(let timeout) = values[7] { notification.timeout = timeout }
    notification.client = call.sender
    return notification
  }

  /// Takes a notification from the screen and says why: 1 timed out, 2 dismissed by a person, 3 by a call.
  public func close(_ number: UInt32, reason: UInt32) throws {
    shown[number] = nil
    try emit("NotificationClosed", [.uint32(number), .uint32(reason)])
  }

  /// A person chooses an action; with a token, that comes first. The notification goes, as the specification wants it.
  public func invoke(_ number: UInt32, _ action: String, token: String? = nil) throws {
    if let token { try emit("ActivationToken", [.uint32(number), .string(token)]) }
    try emit("ActionInvoked", [.uint32(number), .string(action)])
    try close(number, reason: 2)
  }

  /// A person answers in words.
  public func reply(_ number: UInt32, _ text: String) throws {
    try emit("NotificationReplied", [.uint32(number), .string(text)])
    try close(number, reason: 2)
  }

  /// Any signal of the service's interface.
  package func emit(_ member: String, _ arguments: [BusValue]) throws {
    try peer.emit(NotificationServer.path, NotificationServer.name, member, arguments)
  }
}
