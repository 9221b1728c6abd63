import CarillonModel
import CarillonStore

/// Recognises messages that the broker sends again after a reconnect because an acknowledgement was lost.
///
/// Only what was under way when the connection ended can come again, and it comes first: the window is open for as many
/// messages as the broker may have had under way, then it closes.
struct RepeatWindow: Sendable {
  /// The running number of the last message taken.
  private(set) var number: Int64
  /// Taken since the last one that is on record, in order.
  private var taken: [TakenMessage] = []
  private var open: [UInt16: TakenMessage] = [:]
  private var left = 0

  init(number: Int64) {
    self.number = number
  }

  /// Opens it on a reconnect with the session present.
  mutating func open(_ taken: [TakenMessage], width: Int) {
    open = Dictionary(taken.map { ($0.packet, $0) }) { _, newer in newer }
    left = width
  }

  mutating func close() {
    open = [:]
    left = 0
  }

  /// The message taken before that an arrival repeats, if it does.
  mutating func match(_ arrival: Arrival, hash: Int64) -> TakenMessage? {
    guard left > 0, arrival.qos > 0 else { return nil }
    left -= 1
    defer { if left == 0 { open = [:] } }
    guard let taken = open[arrival.packetID], taken.hash == hash else { return nil }
    open[arrival.packetID] = nil
    return taken
  }

  /// Remembers a message that was taken, once `record` is called.
  mutating func remember(_ message: TakenMessage) { taken.append(message) }

  /// Puts on record what was taken.
  mutating func record(in queue: Queue) throws(StoreError) {
    guard !taken.isEmpty else { return }
    try queue.remember(taken, from: number + 1)
    number += Int64(taken.count)
    taken.removeAll(keepingCapacity: true)
  }
}

/// FNV-1a, 64 bits (draft-eastlake-fnv): tells payloads apart under one packet identifier or one key. Not for secrets.
func fingerprint(_ parts: [UInt8]...) -> Int64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  for part in parts {
    for byte in part { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    // A byte that UTF-8 never holds keeps the parts apart.
    hash = (hash ^ 0xFF) &* 0x100_0000_01b3
  }
  return Int64(bitPattern: hash)
}
