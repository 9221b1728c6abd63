import CMosquitto
import Glibc

/// The library's callbacks. Each only notes what happened: it runs inside a library call, where the handle must not be
/// destroyed, and before anything of the turn is decided.
extension Connection {
  private static func from(_ context: UnsafeMutableRawPointer?) -> Connection {
    Unmanaged<Connection>.fromOpaque(context!).takeUnretainedValue()
  }

  func setCallbacks() {
    if tls != nil {
      mosquitto_log_callback_set(handle) { _, context, _, line in
        if let line { Connection.from(context).tls?.note(log: String(cString: line)) }
      }
    }
    mosquitto_connect_v5_callback_set(handle) { _, context, reason, flags, properties in
      Connection.from(context).greeted(reason, flags, properties)
    }
    mosquitto_disconnect_v5_callback_set(handle) { _, context, result, _ in
      let number = errno
      Connection.from(context).finish(result, number)
    }
    mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
      Connection.from(context).received(message!, properties)
    }
    mosquitto_publish_v5_callback_set(handle) { _, context, packetID, reason, _ in
      let connection = Connection.from(context)
      guard !connection.isWriting else { return }
      connection.eventBytes += Connection.acknowledgementSize
      connection.events.append(
        .acknowledged(
          packetID: UInt16(truncatingIfNeeded: packetID), reason: UInt8(truncatingIfNeeded: reason)))
    }
    mosquitto_subscribe_v5_callback_set(handle) { _, context, packetID, count, granted, _ in
      let reasons = UnsafeBufferPointer(start: granted, count: Int(count)).map {
        UInt8(truncatingIfNeeded: $0)
      }
      Connection.from(context).subscribeAcknowledged(UInt16(truncatingIfNeeded: packetID), reasons)
    }
    mosquitto_unsubscribe_v5_callback_set(handle) { _, context, packetID, _ in
      let connection = Connection.from(context)
      connection.eventBytes += Connection.acknowledgementSize
      connection.events.append(.unsubscribed(packetID: UInt16(truncatingIfNeeded: packetID)))
    }
  }

  /// A CONNACK. The codes of MQTT 3.1.1 (3.2.2.3) are put into those of MQTT 5.
  private func greeted(_ reason: Int32, _ flags: Int32, _ properties: OpaquePointer?) {
    switch reason {
    case 0: accepted(flags, properties)
    case 1, 0x84:
      isVersionRefused = true
      end = .refused(reason: 0x84)
    case 2: end = .refused(reason: 0x85)
    case 3: end = .refused(reason: 0x88)
    case 4, 0x86: end = .badLogin
    case 5, 0x87: end = .notAuthorized
    default: end = .refused(reason: UInt8(truncatingIfNeeded: reason))
    }
  }

  private func accepted(_ flags: Int32, _ properties: OpaquePointer?) {
    isAccepted = true
    var receiveMaximum = UInt16.max
    var packetSize: UInt32 = 0
    mosquitto_property_read_int16(
      properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &receiveMaximum, false)
    if mosquitto_property_read_int32(
      properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &packetSize, false) != nil
    {
      maximumPacket = packetSize
    }
    var seconds: UInt16 = 0
    if mosquitto_property_read_int16(
      properties, Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &seconds, false) != nil, seconds > 0
    {
      keepAlive = .seconds(seconds)
    }
    events.append(
      .connected(
        sessionPresent: flags & 1 != 0, protocolVersion: version, brokerReceiveMaximum: receiveMaximum,
        brokerMaximumPacket: maximumPacket))
  }

  private func received(_ message: UnsafePointer<mosquitto_message>, _ properties: OpaquePointer?) {
    let source = message.pointee
    let length = Int(source.payloadlen)
    let payload = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      if length > 0 { memcpy(buffer.baseAddress!, source.payload, length) }
      count = length
    }
    var incoming = IncomingMessage(
      topic: topics.text(source.topic), payload: payload, qos: source.qos, isRetained: source.retain,
      packetID: UInt16(truncatingIfNeeded: source.mid))
    if let properties { incoming.read(properties) }
    eventBytes += incoming.packetSize(version: version)
    // The PUBACK has been queued by now.
    if source.qos > 0 { unflushed += 1 }
    events.append(.message(incoming))
  }
}

extension IncomingMessage {
  fileprivate mutating func read(_ properties: OpaquePointer) {
    var seconds: UInt32 = 0
    if mosquitto_property_read_int32(
      properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &seconds, false) != nil
    {
      expiry = seconds
    }
    var topic: UnsafeMutablePointer<CChar>?
    if mosquitto_property_read_string(
      properties, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), &topic, false) != nil, let topic
    {
      responseTopic = String(cString: topic)
      free(topic)
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

/// Messages in a row mostly come on one topic; its text is made once.
struct TopicCache {
  private var last = ""

  mutating func text(_ topic: UnsafePointer<CChar>?) -> String {
    guard let topic else { return "" }
    if last.withCString({ strcmp($0, topic) }) != 0 { last = String(cString: topic) }
    return last
  }
}
