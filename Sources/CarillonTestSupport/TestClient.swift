import CMosquitto
import CarillonLoop
import Glibc

/// A small blocking MQTT client, independent of the product's session: what a publisher or an onlooker is in a test.
///
/// It does something only inside a call: between calls nothing is read and no keep-alive sent (its keep-alive is ten
/// minutes).
public final class TestClient {
  /// A message that it was sent.
  public struct Message: Hashable {
    public var topic: String
    public var payload: [UInt8]
    public var qos: Int32
    public var isRetained: Bool
    public var responseTopic: String?
    public var correlationData: [UInt8]?
    public var expiry: UInt32?

    /// The payload as text.
    public var text: String { String(decoding: payload, as: UTF8.self) }
  }

  private let handle: OpaquePointer
  private var connectResult: Int32?
  private var acknowledged: [Int32: Int32] = [:]
  private var subscribed: [Int32: [Int32]] = [:]
  private var isOver = false
  /// Messages that no `waitForMessage` has taken yet, oldest first.
  public private(set) var messages: [Message] = []

  /// Connects.
  ///
  /// - Parameters:
  ///   - id: default a random one.
  ///   - isClean: false: the broker keeps the session for ever.
  ///   - version: 5, or 4 for MQTT 3.1.1.
  ///   - will: retained, QoS 1.
  /// - Throws: `TestFailure` where the broker does not take it.
  public init(
    port: UInt16, id: String? = nil, username: String? = nil, password: String? = nil, isClean: Bool = true,
    version: Int32 = 5, will: (topic: String, payload: String)? = nil
  ) throws {
    mosquitto_lib_init()
    let id = id ?? "test-\(UInt64.random(in: 0 ... .max))"
    guard let handle = mosquitto_new(id, isClean, nil) else { throw TestFailure("no client \(id)") }
    self.handle = handle
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version)
    mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
    mosquitto_username_pw_set(handle, username, password)
    if let will {
      mosquitto_will_set(handle, will.topic, Int32(will.payload.utf8.count), will.payload, 1, true)
    }
    setCallbacks()
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    if !isClean, version == 5 {
      mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), UInt32.max)
    }
    let result = mosquitto_connect_bind_v5(handle, "127.0.0.1", Int32(port), 600, nil, properties)
    guard result == 0 else { throw TestFailure("cannot connect to port \(port): \(text(result))") }
    try run("CONNACK") { connectResult != nil }
    guard connectResult == 0 else { throw TestFailure("refused with reason \(connectResult ?? -1)") }
  }

  deinit { mosquitto_destroy(handle) }

  /// Publishes; at QoS 1 it returns once the broker has acknowledged.
  ///
  /// - Returns: the reason code of the PUBACK; 0 at QoS 0.
  @discardableResult
  public func publish(
    _ topic: String, _ payload: [UInt8], qos: Int32 = 1, retain: Bool = false, expiry: UInt32? = nil,
    responseTopic: String? = nil, correlationData: [UInt8]? = nil
  ) throws -> Int32 {
    let packetID = try queue(topic, payload, qos, retain, expiry, responseTopic, correlationData)
    try run("the acknowledgement") { acknowledged[packetID] != nil }
    return acknowledged.removeValue(forKey: packetID) ?? 0
  }

  /// Publishes a text.
  @discardableResult
  public func publish(
    _ topic: String, _ text: String, qos: Int32 = 1, retain: Bool = false, expiry: UInt32? = nil,
    responseTopic: String? = nil, correlationData: [UInt8]? = nil
  ) throws -> Int32 {
    try publish(
      topic, Array(text.utf8), qos: qos, retain: retain, expiry: expiry, responseTopic: responseTopic,
      correlationData: correlationData)
  }

  /// Publishes many at QoS 1 and waits for all acknowledgements together: a burst.
  ///
  /// - Returns: how many were acknowledged before the connection ended; all of them if it did not.
  @discardableResult
  public func publishBurst(
    _ topic: String, _ payloads: [[UInt8]], responseTopic: String? = nil,
    within limit: Duration = .seconds(60)
  ) -> Int {
    var waiting = Set<Int32>()
    for payload in payloads {
      guard let packetID = try? queue(topic, payload, 1, false, nil, responseTopic, nil) else { break }
      waiting.insert(packetID)
    }
    let sent = waiting.count
    try? run("acknowledgements", within: limit) {
      for packetID in acknowledged.keys { waiting.remove(packetID) }
      acknowledged = [:]
      return waiting.isEmpty
    }
    return sent - waiting.count
  }

  /// Subscribes, and returns once the broker has acknowledged.
  ///
  /// - Parameter options: the bits of MQTT 5, 3.8.3.1, besides the QoS; default retain as published.
  /// - Returns: the granted QoS or the reason code.
  @discardableResult
  public func subscribe(_ filter: String, qos: Int32 = 1, options: Int32 = 0x08) throws -> Int32 {
    var packetID: Int32 = 0
    let result = mosquitto_subscribe_v5(handle, &packetID, filter, qos, options, nil)
    guard result == 0 else { throw TestFailure("cannot subscribe: \(text(result))") }
    try run("SUBACK") { subscribed[packetID] != nil }
    return subscribed.removeValue(forKey: packetID)?.first ?? -1
  }

  /// Takes the oldest message that fits, waiting for it.
  @discardableResult
  public func waitForMessage(
    within limit: Duration = .seconds(30), where fits: (Message) -> Bool = { _ in true }
  ) throws -> Message {
    try run("a message", within: limit) { messages.contains(where: fits) }
    guard let position = messages.firstIndex(where: fits) else { throw TestFailure("no message") }
    return messages.remove(at: position)
  }

  /// Takes the oldest message of that topic, waiting for it.
  @discardableResult
  public func waitForMessage(on topic: String, within limit: Duration = .seconds(30)) throws -> Message {
    try waitForMessage(within: limit) { $0.topic == topic }
  }

  /// Takes everything that has been read.
  public func takeMessages() -> [Message] {
    defer { messages = [] }
    return messages
  }

  /// Reads for that long, whatever comes: to show that something does not come.
  public func listen(for time: Duration) throws {
    let deadline = Deadline(after: time)
    while !deadline.hasPassed { try step(deadline) }
  }

  /// Leaves in order: no will is published.
  public func disconnect() {
    mosquitto_disconnect(handle)
  }

  /// Closes the connection without a word.
  public func cut() {
    shutdown(mosquitto_socket(handle), Int32(SHUT_RDWR))
    isOver = true
  }

  private func queue(
    _ topic: String, _ payload: [UInt8], _ qos: Int32, _ retain: Bool, _ expiry: UInt32?,
    _ responseTopic: String?, _ correlationData: [UInt8]?
  ) throws -> Int32 {
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    if let expiry {
      mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
    }
    if let responseTopic {
      mosquitto_property_add_string(&properties, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), responseTopic)
    }
    if let data = correlationData {
      mosquitto_property_add_binary(
        &properties, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), data, UInt16(clamping: data.count))
    }
    var packetID: Int32 = 0
    let result = mosquitto_publish_v5(
      handle, &packetID, topic, Int32(payload.count), payload, qos, retain, properties)
    guard result == 0 else { throw TestFailure("cannot publish on \(topic): \(text(result))") }
    return packetID
  }

  private func run(_ what: String, within limit: Duration = .seconds(30), until done: () -> Bool) throws {
    let deadline = Deadline(after: limit)
    while !done() {
      guard !deadline.hasPassed else { throw TestFailure("\(what) did not come within \(limit)") }
      try step(deadline)
    }
  }

  private func step(_ deadline: Deadline) throws {
    // Not mosquitto_loop, which waits with select: that knows no descriptor from 1024 on, and the tests have many.
    var socket = pollfd(fd: mosquitto_socket(handle), events: Int16(POLLIN), revents: 0)
    guard socket.fd >= 0 else { throw TestFailure("the connection has ended") }
    if mosquitto_want_write(handle) { socket.events |= Int16(POLLOUT) }
    poll(&socket, 1, min(deadline.remaining, 50))
    var result = Int32(MOSQ_ERR_SUCCESS.rawValue)
    if socket.revents & ~Int16(POLLOUT) != 0 { result = mosquitto_loop_read(handle, 1) }
    if result == 0, mosquitto_want_write(handle) { result = mosquitto_loop_write(handle, 1) }
    if result == 0 { result = mosquitto_loop_misc(handle) }
    if result != 0 { throw TestFailure("the connection ended: \(text(result))") }
  }

  private func text(_ number: Int32) -> String { String(cString: mosquitto_strerror(number)) }
}

extension TestClient {
  private static func from(_ context: UnsafeMutableRawPointer?) -> TestClient {
    Unmanaged<TestClient>.fromOpaque(context!).takeUnretainedValue()
  }

  private func setCallbacks() {
    mosquitto_connect_callback_set(handle) { _, context, result in
      TestClient.from(context).connectResult = result
    }
    mosquitto_publish_v5_callback_set(handle) { _, context, packetID, reason, _ in
      TestClient.from(context).acknowledged[packetID] = reason
    }
    mosquitto_subscribe_callback_set(handle) { _, context, packetID, count, granted in
      TestClient.from(context).subscribed[packetID] = Array(
        UnsafeBufferPointer(start: granted, count: Int(count)))
    }
    mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
      guard let message = message?.pointee else { return }
      TestClient.from(context).messages.append(Message(message, properties))
    }
  }
}

extension TestClient.Message {
  fileprivate init(_ message: mosquitto_message, _ properties: OpaquePointer?) {
    topic = String(cString: message.topic)
    payload = Array(UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen)))
    qos = message.qos
    isRetained = message.retain
    var seconds: UInt32 = 0
    if mosquitto_property_read_int32(
      properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &seconds, false) != nil
    {
      expiry = seconds
    }
    var text: UnsafeMutablePointer<CChar>?
    if mosquitto_property_read_string(
      properties, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), &text, false) != nil, let text
    {
      responseTopic = String(cString: text)
      free(text)
    }
    var bytes: UnsafeMutableRawPointer?
    var length: UInt16 = 0
    if mosquitto_property_read_binary(
      properties, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), &bytes, &length, false) != nil
    {
      correlationData = Array(UnsafeRawBufferPointer(start: bytes, count: Int(length)))
      free(bytes)
    }
  }
}
