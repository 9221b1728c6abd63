import CMosquitto

/// The standard's name of an MQTT 5 reason code, with its number.
public func reasonText(_ reason: UInt8) -> String {
  let name = String(cString: mosquitto_reason_string(Int32(reason)))
  return "\(name) (0x\(String(reason, radix: 16)))"
}
