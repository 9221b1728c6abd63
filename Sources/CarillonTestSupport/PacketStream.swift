/// The MQTT 5 packets of one direction of a connection, found in whatever pieces the bytes come.
struct PacketStream {
  /// The beginning of a packet that is not complete.
  private var rest: [UInt8] = []

  /// Takes bytes, and gives the packets that are complete.
  ///
  /// - Parameter reason: what PUBACKs are to say; 0: what they say.
  /// - Returns: the packets' bytes, and how many PUBACKs were changed.
  mutating func pass(_ bytes: [UInt8], reason: UInt8) -> (bytes: [UInt8], changed: Int) {
    rest += bytes
    var out: [UInt8] = []
    var changed = 0
    var start = 0
    while let size = PacketStream.size(rest[start...]) {
      let packet = rest[start..<start + size]
      start += size
      if reason != 0, packet.first == PacketStream.puback {
        // Remaining length 3: the packet identifier, the reason, no properties.
        out += [PacketStream.puback, 3] + packet.dropFirst(2).prefix(2) + [reason]
        changed += 1
      } else {
        out += packet
      }
    }
    rest.removeFirst(start)
    return (out, changed)
  }

  /// The fixed header of a PUBACK (MQTT 5, 3.4.1).
  private static let puback: UInt8 = 0x40

  /// Bytes of the packet that begins there; nil while it is not complete (MQTT 5, 1.5.5 and 2.1.4).
  private static func size(_ bytes: ArraySlice<UInt8>) -> Int? {
    var length = 0
    for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
      length |= Int(byte & 0x7F) << (7 * index)
      if byte & 0x80 == 0 {
        let size = index + 2 + length
        return bytes.count >= size ? size : nil
      }
    }
    return nil
  }
}
