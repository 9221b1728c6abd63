import CMosquitto

/// What CONNECT says.
extension Connection {
  func setLogin(_ configuration: SessionConfiguration) throws(SessionFailure) {
    let username = configuration.username ?? configuration.address.username
    let secret = try configuration.passwordFile.map { path throws(SessionFailure) in try password(from: path)
    }
    if secret != nil, username == nil, version == 4 {
      throw .settings("MQTT 3.1.1 has no password without a user name")
    }
    guard username != nil || secret != nil else { return }
    if username?.holdsNUL == true { throw .settings("the user name holds a NUL") }
    let text = secret.map { $0 + [0] }
    let result = withOptionalPointer(text) { mosquitto_username_pw_set(handle, username, $0) }
    if result != 0 { throw .settings("the user name cannot be sent: \(libraryText(result))") }
  }

  func setWill(_ configuration: SessionConfiguration) throws(SessionFailure) {
    guard let will = configuration.will else { return }
    if will.topic.holdsNUL { throw .settings("the will's topic holds a NUL") }
    let result = mosquitto_will_set_v5(
      handle, will.topic, Int32(will.payload.count), will.payload, 1, will.retain, nil)
    if result != 0 { throw .settings("the will cannot be sent: \(libraryText(result))") }
  }

  /// The library has no asynchronous connect that takes properties. Its blocking one copies them and then, because
  /// of the impossible port, fails before it touches the network; `mosquitto_connect_async` uses what was copied.
  func setConnectProperties(
    _ configuration: SessionConfiguration, _ keepAlive: Int32
  ) throws(SessionFailure) {
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    if configuration.sessionExpiry == .never {
      mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), UInt32.max)
    }
    mosquitto_property_add_int32(
      &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), SessionConfiguration.maximumPacketSize)
    let result = mosquitto_connect_bind_v5(handle, address.host, -1, keepAlive, nil, properties)
    guard mosq_err_t(result) == MOSQ_ERR_INVAL else {
      throw .settings("the connect properties cannot be set: \(libraryText(result))")
    }
  }
}

private func withOptionalPointer(
  _ bytes: [UInt8]?, _ body: (UnsafePointer<CChar>?) -> Int32
) -> Int32 {
  guard let bytes else { return body(nil) }
  return bytes.withUnsafeBytes { body($0.assumingMemoryBound(to: CChar.self).baseAddress) }
}
