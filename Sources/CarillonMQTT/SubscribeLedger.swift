/// Puts the SUBACKs of one `subscribe` call together.
///
/// The library's SUBSCRIBE has one set of options for all its filters, so a call with different ones becomes several
/// packets; the owner gets one answer, under the identifier of the first.
struct SubscribeLedger {
  private struct Call {
    var reasons: [UInt8]
    var missing: Int
  }

  private var calls: [UInt16: Call] = [:]
  /// Which call a packet belongs to, and where its filters stand in it.
  private var packets: [UInt16: (call: UInt16, offset: Int)] = [:]

  /// - Parameter sent: the packets of one call, in order, each with the number of its filters.
  mutating func add(_ sent: [(packetID: UInt16, count: Int)]) {
    guard let first = sent.first else { return }
    var offset = 0
    for packet in sent {
      packets[packet.packetID] = (first.packetID, offset)
      offset += packet.count
    }
    calls[first.packetID] = Call(reasons: Array(repeating: 0x80, count: offset), missing: sent.count)
  }

  /// - Returns: the whole answer, once its last packet is acknowledged.
  mutating func acknowledged(_ packetID: UInt16, _ reasons: [UInt8]) -> (packetID: UInt16, reasons: [UInt8])?
  {
    guard let (call, offset) = packets.removeValue(forKey: packetID) else { return (packetID, reasons) }
    for (position, reason) in reasons.enumerated() where offset + position < calls[call]!.reasons.count {
      calls[call]!.reasons[offset + position] = reason
    }
    calls[call]!.missing -= 1
    guard calls[call]!.missing == 0, let done = calls.removeValue(forKey: call) else { return nil }
    return (call, done.reasons)
  }
}
