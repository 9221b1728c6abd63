import CSystemd
import CarillonLoop
import Glibc

/// One connection with a message bus, on the loop. Nothing in it waits: connecting, calls and subscriptions go on in
/// the background.
final class BusConnection {
  enum Event {
    /// Calls can be answered.
    case connected
    case signal(BusSignal)
    /// Over for good. The calls that were under way are not answered any more.
    case lost
  }

  private let loop: EventLoop
  private var bus: OpaquePointer?
  private var filter: OpaquePointer?
  private var handler: ((Event) -> Void)?
  private var calls: [ObjectIdentifier: PendingCall] = [:]

  /// Begins to connect.
  ///
  /// - Throws: where nobody listens at the address, or it is none.
  init(_ address: String, on loop: EventLoop, _ handler: @escaping (Event) -> Void) throws(LoopError) {
    self.loop = loop
    self.handler = handler
    try BusConnection.check(sd_bus_new(&bus))
    try BusConnection.check(sd_bus_set_address(bus, address))
    try BusConnection.check(sd_bus_set_bus_client(bus, 1))
    // Tells that the handshake is through, as a signal of the library's own.
    try BusConnection.check(sd_bus_set_connected_signal(bus, 1))
    // Else the end of the loop waits until the bus has taken what is left.
    try BusConnection.check(sd_bus_set_close_on_exit(bus, 0))
    // No descriptor of somebody else's gets in.
    try BusConnection.check(sd_bus_negotiate_fds(bus, 0))
    try BusConnection.check(
      sd_bus_add_filter(
        bus, &filter,
        { message, context, _ in
          guard let message, let context else { return 0 }
          Unmanaged<BusConnection>.fromOpaque(context).takeUnretainedValue().take(message)
          return 0
        }, Unmanaged.passUnretained(self).toOpaque()))
    try BusConnection.check(sd_bus_start(bus))
    guard let bus else { return }
    try loop.attach(bus: bus)
  }

  deinit {
    calls = [:]
    sd_bus_slot_unref(filter)
    sd_bus_close_unref(bus)
  }

  private static func check(_ result: Int32) throws(LoopError) {
    if result < 0 { throw LoopError("cannot connect", -result) }
  }

  /// Tells nothing more, and closes once the handler that runs has returned.
  func retire() {
    handler = nil
    loop.afterTurn { withExtendedLifetime(self) {} }
  }

  /// Whether calls can still be answered.
  fileprivate var isOpen: Bool { handler != nil && sd_bus_is_open(bus) > 0 }

  /// Asks the bus for the signals that match a rule.
  func subscribe(_ rule: String) {
    call(
      BusCall(
        destination: BusName.bus, path: BusName.path, interface: BusName.bus, member: "AddMatch",
        arguments: [.string(rule)]), within: .seconds(25)
    ) { _ in }
  }

  /// Calls a method.
  ///
  /// - Parameters:
  ///   - limit: after it the call fails with `…Error.NoReply`.
  ///   - answer: called once, never before this returns; not at all where the connection is lost before.
  func call(_ call: BusCall, within limit: Duration, _ answer: @escaping (BusReply) -> Void) {
    let pending = PendingCall(self, answer)
    let result = start(call, pending, limit)
    if result >= 0 {
      calls[ObjectIdentifier(pending)] = pending
    } else {
      loop.afterTurn { [weak self] in
        guard let self, isOpen else { return }
        answer(.failure(name: "\(BusName.bus).Error.Failed", message: systemMessage(-result)))
      }
    }
  }

  private func start(_ call: BusCall, _ pending: PendingCall, _ limit: Duration) -> Int32 {
    var message: OpaquePointer?
    defer { sd_bus_message_unref(message) }
    var result = sd_bus_message_new_method_call(
      bus, &message, call.destination, call.path, call.interface, call.member)
    guard result >= 0, let message else { return min(result, -1) }
    sd_bus_message_set_auto_start(message, call.mayStart ? 1 : 0)
    for value in call.arguments where result >= 0 { result = value.append(to: message) }
    guard result >= 0 else { return result }
    return sd_bus_call_async(
      bus, &pending.slot, message,
      { message, context, _ in
        guard let message, let context else { return 0 }
        Unmanaged<PendingCall>.fromOpaque(context).takeUnretainedValue().finish(message)
        return 0
      }, Unmanaged.passUnretained(pending).toOpaque(), UInt64(clamping: limit.microseconds))
  }

  fileprivate func forget(_ call: PendingCall) { calls[ObjectIdentifier(call)] = nil }

  /// Everything that comes in and answers no call. The library refuses messages from outside that pretend to be its own.
  private func take(_ message: OpaquePointer) {
    guard let signal = BusSignal(message) else { return }
    switch (signal.interface, signal.member) {
    case ("org.freedesktop.DBus.Local", "Connected"): handler?(.connected)
    case ("org.freedesktop.DBus.Local", "Disconnected"): handler?(.lost)
    default: handler?(.signal(signal))
    }
  }
}

/// A call that has not been answered. The library's callback ends with it.
private final class PendingCall {
  var slot: OpaquePointer?
  private weak var connection: BusConnection?
  private let answer: (BusReply) -> Void

  init(_ connection: BusConnection, _ answer: @escaping (BusReply) -> Void) {
    self.connection = connection
    self.answer = answer
  }

  deinit { sd_bus_slot_unref(slot) }

  /// A connection that is being lost fails its calls one after another before it says so; that is not told.
  func finish(_ message: OpaquePointer) {
    guard let connection else { return }
    connection.forget(self)
    if connection.isOpen { answer(BusReply(message)) }
  }
}

extension BusReply {
  fileprivate init(_ message: OpaquePointer) {
    if let error = sd_bus_message_get_error(message)?.pointee, let name = error.name {
      self = .failure(
        name: String(cString: name), message: error.message.map { String(cString: $0) } ?? "")
    } else {
      self = .values(
        BusValue.read(from: message) ?? [],
        sender: sd_bus_message_get_sender(message).map { String(cString: $0) } ?? "")
    }
  }
}

extension BusSignal {
  fileprivate init?(_ message: OpaquePointer) {
    var kind: UInt8 = 0
    guard sd_bus_message_get_type(message, &kind) >= 0, kind == SD_BUS_MESSAGE_SIGNAL else { return nil }
    func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
    self.init(
      sender: text(sd_bus_message_get_sender(message)), path: text(sd_bus_message_get_path(message)),
      interface: text(sd_bus_message_get_interface(message)),
      member: text(sd_bus_message_get_member(message)), arguments: { BusValue.read(from: message) ?? [] })
  }
}
