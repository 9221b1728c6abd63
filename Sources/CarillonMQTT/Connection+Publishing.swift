import CMosquitto

extension Connection {
  /// Queues a publication.
  ///
  /// - Returns: its packet identifier.
  func publish(_ publication: Publication) throws(PublicationError) -> UInt16 {
    guard end == nil, isAccepted else { throw .notConnected }
    guard !publication.topic.holdsNUL else { throw .badTopic }
    if let limit = maximumPacket {
      let size = publication.packetSize(version: version)
      if size > Int(limit) { throw .tooLarge(size, limit: limit) }
    }
    var properties = version == 5 ? try publication.properties() : nil
    defer { if properties != nil { mosquitto_property_free_all(&properties) } }
    var packetID: Int32 = 0
    let result = publication.topic.withCString { topic in
      publication.payload.withUnsafeBytes { payload in
        mosquitto_publish_v5(
          handle, &packetID, topic, Int32(clamping: payload.count), payload.baseAddress, publication.qos,
          publication.retain, properties)
      }
    }
    switch mosq_err_t(result) {
    case MOSQ_ERR_SUCCESS: break
    case MOSQ_ERR_NO_CONN: throw .notConnected
    case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8: throw .badTopic
    case MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_OVERSIZE_PACKET:
      throw .tooLarge(publication.packetSize(version: version), limit: maximumPacket ?? 268_435_455)
    default: throw .library(result)
    }
    unflushed += 1
    return UInt16(truncatingIfNeeded: packetID)
  }
}

extension Publication {
  /// nil where there are none.
  fileprivate func properties() throws(PublicationError) -> OpaquePointer? {
    // Here, before there is a list to free.
    guard responseTopic?.holdsNUL != true else { throw .badTopic }
    guard expiry != nil || responseTopic != nil || correlationData != nil else { return nil }
    var list: OpaquePointer?
    var result: Int32 = 0
    if let expiry {
      result |= mosquitto_property_add_int32(&list, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiry)
    }
    if let responseTopic {
      result |= mosquitto_property_add_string(&list, Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue), responseTopic)
    }
    if let correlationData {
      result |= mosquitto_property_add_binary(
        &list, Int32(MQTT_PROP_CORRELATION_DATA.rawValue), correlationData,
        UInt16(clamping: correlationData.count))
    }
    guard result == 0, (correlationData?.count ?? 0) <= UInt16.max else {
      mosquitto_property_free_all(&list)
      throw .badTopic
    }
    return list
  }
}

extension String {
  /// C would take the text for ended there, and the message for one on another topic.
  var holdsNUL: Bool { utf8.contains(0) }
}
