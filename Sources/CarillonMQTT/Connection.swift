import CMosquitto
import CPOSIX
import Glibc

/// One library handle, for one connection: it is made, connects, ends, and is thrown away.
///
/// The library calls back from inside `read`, `write` and `tick` only, on the calling thread; the callbacks do no more
/// than note in `events` what happened, and `end` once it is over.
final class Connection {
  let handle: OpaquePointer
  let address: BrokerAddress
  /// 5, or 4 for MQTT 3.1.1.
  let version: Int

  /// What happened since `takeEvents`.
  var events: [SessionEvent] = []
  /// The bytes that they had on the wire, nearly.
  var eventBytes = 0
  /// Why it is over. The first reason counts; what follows is only the library tidying up.
  var end: SessionFailure?
  /// The broker does not speak this version.
  var isVersionRefused = false
  /// The broker has taken the connection.
  var isAccepted = false
  /// What was queued since the last flush: acknowledgements, publications, subscriptions.
  var unflushed = 0
  /// The library tells that a QoS 0 publication was written like a PUBACK, but only while it writes.
  var isWriting = false
  var maximumPacket: UInt32?
  /// In force; the broker may shorten it (MQTT 5, 3.2.2.3.14).
  var keepAlive: Duration
  var topics = TopicCache()
  /// The system's error number once the connection had been begun.
  private(set) var firstError: Int32 = 0
  /// nil where nothing is encrypted.
  let tls: TLSContext?
  private var subscribes = SubscribeLedger()

  /// Library-wide preparation, once.
  private static let isPrepared = mosquitto_lib_init() == 0

  /// A handle with everything that CONNECT will say.
  init(_ configuration: SessionConfiguration, version: Int) throws(SessionFailure) {
    tls = try Connection.context(configuration)
    guard Connection.isPrepared, !configuration.clientID.holdsNUL,
      let handle = mosquitto_new(configuration.clientID, configuration.cleanStart, nil)
    else { throw .settings("the client id is empty or holds a control character") }
    self.handle = handle
    self.version = version
    address = configuration.address
    keepAlive = configuration.keepAlive
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    // Queue packets instead of writing them on the spot: this is what makes a PUBACK wait for `flush`.
    mosquitto_threaded_set(handle, true)
    mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, Int32(version))
    mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
    mosquitto_int_option(handle, MOSQ_OPT_RECEIVE_MAXIMUM, Int32(configuration.receiveMaximum))
    // The standard's default; the CONNACK lowers it (MQTT 5, 3.2.2.3.3).
    mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, Int32(UInt16.max))
    if let tls { try setTLS(tls) }
    try setLogin(configuration)
    try setWill(configuration)
    setCallbacks()
  }

  deinit { withoutBrokenPipe { mosquitto_destroy(handle) } }

  /// -1 once it is closed.
  var socket: Int32 { mosquitto_socket(handle) }

  var wantsToWrite: Bool { isHandshaking ? handshakeWantsToWrite : mosquitto_want_write(handle) }

  /// Starts the TCP connection to a numeric address and queues CONNECT.
  ///
  /// The library would look a name up again, and block meanwhile, and would stay with the first of its addresses.
  func connect(to host: String, _ configuration: SessionConfiguration) throws(SessionFailure) {
    let keepAlive = Int32(clamping: min(max(keepAlive.components.seconds, 5), 65_535))
    if version == 5 { try setConnectProperties(configuration, keepAlive) }
    let result = withoutBrokenPipe {
      mosquitto_connect_async(handle, host, Int32(configuration.address.port), keepAlive)
    }
    let number = errno
    firstError = number
    switch mosq_err_t(result) {
    case MOSQ_ERR_SUCCESS: break
    case MOSQ_ERR_TLS:
      throw tlsFailure(result) ?? .unreachable(address: address, error: number)
    case MOSQ_ERR_ERRNO: throw .unreachable(address: address, error: number)
    default: throw .settings("the broker cannot be connected to: \(libraryText(result))")
    }
  }

  /// Sends everything that is queued, as far as the socket takes it.
  func write() {
    guard end == nil, wantsToWrite else { return }
    // Many small packets leave as few segments; each would be one of its own otherwise.
    let isCorked = unflushed > 1
    if isCorked { carillon_cork(socket, 1) }
    isWriting = true
    note(withoutBrokenPipe { mosquitto_loop_write(handle, 1) })
    isWriting = false
    guard socket >= 0 else { return }
    if isCorked { carillon_cork(socket, 0) }
    // Who has sent is taken for one who answers, whose acknowledgements can wait for the next answer.
    carillon_quick_acknowledge(socket)
  }

  /// Reads until the socket is dry, or as much as a turn may hold.
  ///
  /// The library reads one packet a call and does not tell whether there is more. The kernel is asked how many bytes
  /// wait, and what was read is reckoned against them, so that it is asked once a batch and not once a packet.
  ///
  /// - Parameter limit: how many packets at most.
  func read(_ limit: Int = Connection.packetsInTurn) {
    withoutBrokenPipe { readPackets(limit) }
    if end == nil { carillon_quick_acknowledge(socket) }
  }

  private func readPackets(_ limit: Int) {
    var waiting = 0
    repeat {
      let before = eventBytes
      note(mosquitto_loop_read(handle, 1))
      guard end == nil else { return }
      if holdsOnlyAcknowledgements { break }
      waiting -= eventBytes - before
      if waiting <= 0 || eventBytes == before { waiting = Int(carillon_readable_bytes(socket)) }
    } while waiting > 0 && events.count < limit && eventBytes < Connection.bytesInTurn
  }

  /// What the broker's acknowledgements let go can be written at once. Once a message has been read, its own
  /// acknowledgement would leave along with it, so such a turn ends before the next message.
  private var holdsOnlyAcknowledgements: Bool {
    if unflushed == 0, case .acknowledged? = events.last { true } else { false }
  }

  /// A turn ends there at the latest, so that a flood can neither delay what is due nor fill the memory.
  static let packetsInTurn = 1000
  private static let bytesInTurn = 1 << 20

  /// The smallest acknowledgement on the wire (MQTT 5, 3.4): what is reckoned for each.
  static let acknowledgementSize = 4

  /// Keep-alive: queues a ping when it is time, and notices the missing answer to the one before.
  func tick() {
    guard end == nil else { return }
    note(withoutBrokenPipe { mosquitto_loop_misc(handle) })
  }

  /// Queues a DISCONNECT and writes what is queued; the library then closes the socket.
  func disconnect() {
    guard end == nil else { return }
    mosquitto_disconnect_v5(handle, 0, nil)
    write()
    if end == nil { end = .closed }
  }

  /// It is over for a reason that the library has not told.
  func abandon(_ failure: SessionFailure) {
    if end == nil { end = failure }
  }

  func takeEvents() -> [SessionEvent] {
    defer {
      events = []
      eventBytes = 0
    }
    return events
  }

  /// Notes the end where a library call tells of one that no callback has told.
  private func note(_ result: Int32) {
    let number = errno
    if result != 0 || socket < 0 { finish(result, number) }
  }

  /// The first reason counts.
  func finish(_ result: Int32, _ number: Int32) {
    if end == nil { end = tlsFailure(result) ?? Connection.failure(result, number) }
  }

  /// The library mixes its own error numbers with the broker's reason codes, which begin at 0x80.
  private static func failure(_ result: Int32, _ number: Int32) -> SessionFailure {
    if let reason = UInt8(exactly: result), reason >= 0x80 { return .dismissed(reason: reason) }
    switch mosq_err_t(result) {
    case MOSQ_ERR_SUCCESS, MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN: return .closed
    case MOSQ_ERR_KEEPALIVE: return .silent
    // The library's number for whatever ends a TLS connection is EPROTO.
    case MOSQ_ERR_ERRNO where [0, EPIPE, ECONNRESET, EPROTO].contains(number): return .closed
    case MOSQ_ERR_ERRNO: return .broken(error: number)
    case MOSQ_ERR_NOMEM: return .broken(error: ENOMEM)
    default: return .notMQTT
    }
  }
}

func libraryText(_ number: Int32) -> String { String(cString: mosquitto_strerror(number)) }

extension Connection {
  /// - Returns: its packet identifier; nil where a filter is not one or there is no connection.
  func subscribe(_ subscriptions: [Subscription]) -> UInt16? {
    guard !subscriptions.isEmpty, subscriptions.allSatisfy({ isFilter($0.filter) }) else { return nil }
    var sent: [(packetID: UInt16, count: Int)] = []
    var rest = subscriptions[...]
    while let first = rest.first {
      let alike = rest.prefix(Connection.filtersInPacket).prefix { $0.options == first.options }
      guard let packetID = subscribe(alike.map(\.filter), first) else { break }
      sent.append((packetID, alike.count))
      rest = rest.dropFirst(alike.count)
    }
    subscribes.add(sent)
    return sent.first?.packetID
  }

  /// So many filters go into one packet: as many as the strictest broker known takes (AWS IoT).
  private static let filtersInPacket = 8

  private func subscribe(_ filters: [String], _ like: Subscription) -> UInt16? {
    packet { packetID in
      withCStrings(filters) { texts in
        mosquitto_subscribe_multiple(
          handle, &packetID, Int32(filters.count), texts, like.qos, Int32(like.options), nil)
      }
    }
  }

  func unsubscribe(_ filters: [String]) -> UInt16? {
    guard !filters.isEmpty, filters.allSatisfy(isFilter) else { return nil }
    var first: UInt16?
    var rest = filters[...]
    while !rest.isEmpty {
      let some = Array(rest.prefix(Connection.filtersInPacket))
      let sent = packet { packetID in
        withCStrings(some) { texts in
          mosquitto_unsubscribe_multiple(handle, &packetID, Int32(some.count), texts, nil)
        }
      }
      guard let sent else { break }
      first = first ?? sent
      rest = rest.dropFirst(some.count)
    }
    return first
  }

  private func isFilter(_ text: String) -> Bool {
    !text.isEmpty && !text.holdsNUL && mosquitto_sub_topic_check(text) == 0
  }

  private func packet(_ queue: (inout Int32) -> Int32) -> UInt16? {
    guard end == nil else { return nil }
    var packetID: Int32 = 0
    guard queue(&packetID) == 0 else { return nil }
    unflushed += 1
    return UInt16(truncatingIfNeeded: packetID)
  }

  func subscribeAcknowledged(_ packetID: UInt16, _ reasons: [UInt8]) {
    eventBytes += Connection.acknowledgementSize
    if let whole = subscribes.acknowledged(packetID, reasons) {
      events.append(.subscribed(packetID: whole.packetID, reasons: whole.reasons))
    }
  }
}

extension Subscription {
  /// The option bits besides the QoS (MQTT 5, 3.8.3.1).
  fileprivate var options: UInt8 {
    UInt8(truncatingIfNeeded: qos) & 0x03 | (noLocal ? 0x04 : 0) | (retainAsPublished ? 0x08 : 0)
      | retainHandling.rawValue << 4
  }
}

/// A vector of C strings, for the duration of the call.
private func withCStrings(
  _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
  let pointers: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) }
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeBufferPointer { body($0.baseAddress!) }
}
