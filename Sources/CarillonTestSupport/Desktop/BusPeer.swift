import CSystemd
import CarillonDesktop
import CarillonLoop

/// Any program on a bus, for tests: it can own names, answer calls, send signals, and call others, well or badly.
/// It runs on the loop of the test.
public final class BusPeer {
  /// A method call that has come in. It can be answered at any time.
  public final class Call {
    public let path: String
    public let interface: String
    public let member: String
    /// The unique name of who calls.
    public let sender: String
    package let arguments: [BusValue]
    fileprivate let message: OpaquePointer

    fileprivate init(_ message: OpaquePointer) {
      func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
      self.message = sd_bus_message_ref(message)
      path = text(sd_bus_message_get_path(message))
      interface = text(sd_bus_message_get_interface(message))
      member = text(sd_bus_message_get_member(message))
      sender = text(sd_bus_message_get_sender(message))
      arguments = BusValue.read(from: message) ?? []
    }

    deinit { sd_bus_message_unref(message) }
  }

  private let loop: EventLoop
  private var bus: OpaquePointer?
  private var filter: OpaquePointer?
  /// Called with each call that comes in.
  public var onCall: ((Call) -> Void)?

  public init(_ bus: MessageBus, loop: EventLoop) throws {
    self.loop = loop
    try check(sd_bus_new(&self.bus))
    try check(sd_bus_set_address(self.bus, bus.address))
    try check(sd_bus_set_bus_client(self.bus, 1))
    try check(sd_bus_set_close_on_exit(self.bus, 0))
    try check(
      sd_bus_add_filter(
        self.bus, &filter,
        { message, context, _ in
          guard let message, let context else { return 0 }
          return Unmanaged<BusPeer>.fromOpaque(context).takeUnretainedValue().take(message) ? 1 : 0
        }, Unmanaged.passUnretained(self).toOpaque()))
    try check(sd_bus_start(self.bus))
    if let connection = self.bus { try loop.attach(bus: connection) }
  }

  deinit { leave() }

  /// Closes the connection: the names that it owned have no owner any more. Not in `onCall`.
  public func leave() {
    filter = sd_bus_slot_unref(filter)
    bus = sd_bus_close_unref(bus)
  }

  private func take(_ message: OpaquePointer) -> Bool {
    var kind: UInt8 = 0
    guard let onCall, sd_bus_message_get_type(message, &kind) >= 0, kind == SD_BUS_MESSAGE_METHOD_CALL else {
      return false
    }
    onCall(Call(message))
    return true
  }

  /// Becomes the owner of a name, instead of whoever allows that.
  public func own(_ name: String) throws {
    // Allow replacement, replace.
    try call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
      [.string(name), .uint32(3)])
  }

  /// Calls a method and does not wait for the answer.
  package func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]
  ) throws {
    var message: OpaquePointer?
    try check(sd_bus_message_new_method_call(bus, &message, destination, path, interface, member))
    sd_bus_message_set_expect_reply(message, 0)
    try send(message, arguments)
  }

  /// Sends a signal, to everybody who listens or to one alone.
  package func emit(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
    to destination: String? = nil
  ) throws {
    var message: OpaquePointer?
    try check(sd_bus_message_new_signal(bus, &message, path, interface, member))
    if let destination { try check(sd_bus_message_set_destination(message, destination)) }
    try send(message, arguments)
  }

  package func answer(_ call: Call, _ arguments: [BusValue]) throws {
    var message: OpaquePointer?
    try check(sd_bus_message_new_method_return(call.message, &message))
    try send(message, arguments)
  }

  public func refuse(_ call: Call, _ name: String, _ words: String) throws {
    var message: OpaquePointer?
    var error = sd_bus_error()
    defer { sd_bus_error_free(&error) }
    sd_bus_error_set(&error, name, words)
    try check(sd_bus_message_new_method_error(call.message, &message, &error))
    try send(message, [])
  }

  private func send(_ message: OpaquePointer?, _ arguments: [BusValue]) throws {
    defer { sd_bus_message_unref(message) }
    guard let message else { throw TestFailure("no message") }
    for argument in arguments { try check(argument.append(to: message)) }
    try check(sd_bus_send(bus, message, nil))
  }

  private func check(_ result: Int32) throws {
    if result < 0 { throw TestFailure("a test's peer on the bus: \(systemMessage(-result))") }
  }
}
