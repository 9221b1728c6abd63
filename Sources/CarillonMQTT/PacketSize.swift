extension Publication {
  /// The bytes of the whole PUBLISH packet (MQTT 5, 3.3).
  ///
  /// The library's own check counts two bytes too few, and where it fails late it leaves the message in its list. So
  /// the size is reckoned here, before the library sees the publication.
  func packetSize(version: Int) -> Int {
    let properties = propertySize(expiry, responseTopic, correlationData)
    return publishSize(topic, payload.count, qos, version == 5 ? properties : nil)
  }
}

extension IncomingMessage {
  /// The bytes of its packet, but for properties that are not read.
  func packetSize(version: Int) -> Int {
    let properties = propertySize(expiry, responseTopic, correlationData)
    return publishSize(topic, payload.count, qos, version == 5 ? properties : nil)
  }
}

private func publishSize(_ topic: String, _ payload: Int, _ qos: Int32, _ properties: Int?) -> Int {
  var remaining = 2 + topic.utf8.count + payload + (qos > 0 ? 2 : 0)
  if let properties { remaining += variableIntegerSize(properties) + properties }
  return 1 + variableIntegerSize(remaining) + remaining
}

private func propertySize(_ expiry: UInt32?, _ responseTopic: String?, _ correlationData: [UInt8]?) -> Int {
  (expiry == nil ? 0 : 5) + (responseTopic.map { 3 + $0.utf8.count } ?? 0)
    + (correlationData.map { 3 + $0.count } ?? 0)
}

/// The bytes of a variable byte integer (MQTT 5, 1.5.5): seven bits a byte.
private func variableIntegerSize(_ value: Int) -> Int {
  switch value {
  case ..<128: 1
  case ..<16_384: 2
  case ..<2_097_152: 3
  default: 4
  }
}
