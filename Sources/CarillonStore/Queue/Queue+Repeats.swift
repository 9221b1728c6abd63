import CarillonModel

/// A command that was carried out under an idempotency key.
public struct KeptReply: Hashable, Sendable {
  public var hash: Int64
  public var reply: [UInt8]

  public init(hash: Int64, reply: [UInt8]) {
    self.hash = hash
    self.reply = reply
  }
}

/// A message that the relay took, remembered to recognise it when the broker sends it again.
public struct TakenMessage: Hashable, Sendable {
  public var packet: UInt16
  public var hash: Int64
  /// Its running number.
  public var number: Int64

  public init(packet: UInt16, hash: Int64, number: Int64) {
    self.packet = packet
    self.hash = hash
    self.number = number
  }
}

extension Queue {
  /// What was answered under a publisher's key since a time of the elapsed axis.
  public func reply(publisher: Name?, key: String, since: Int64) throws(StoreError) -> KeptReply? {
    try database.statement("SELECT hash, reply FROM command_key WHERE publisher = ? AND key = ? AND at >= ?")
      .first([
        .text(publisher?.text ?? ""), .text(key), .integer(since),
      ]) { KeptReply(hash: $0.integer(0), reply: $0.bytes(1)) }
  }

  public func keep(publisher: Name?, key: String, _ kept: KeptReply, at: Int64) throws(StoreError) {
    try database.run(
      "INSERT OR REPLACE INTO command_key(publisher, key, hash, at, reply) VALUES (?, ?, ?, ?, ?)",
      .text(publisher?.text ?? ""), .text(key), .integer(kept.hash), .integer(at),
      .bytes(kept.reply))
  }

  /// Forgets keys from before a time of the elapsed axis, a slice at a time.
  public func pruneKeys(before: Int64, limit: Int) throws(StoreError) -> Int {
    try database.run(
      """
      DELETE FROM command_key WHERE (publisher, key) IN
        (SELECT publisher, key FROM command_key WHERE at < ? ORDER BY at LIMIT ?)
      """,
      .integer(before), .integer(Int64(limit)))
  }

  /// How many taken messages are remembered.
  public static let takenLimit: Int64 = 1000

  /// Remembers a message in the ring of the last thousand.
  ///
  /// - Parameter reply: what was answered; empty where nobody wanted an answer.
  public func remember(_ message: TakenMessage, reply: [UInt8]) throws(StoreError) {
    try database.run(
      "INSERT OR REPLACE INTO taken(slot, number, packet, hash, reply) VALUES (?, ?, ?, ?, ?)",
      .integer(message.number % Queue.takenLimit), .integer(message.number), .integer(Int64(message.packet)),
      .integer(message.hash), .bytes(reply))
  }

  /// What was answered to a remembered message.
  public func reply(to message: TakenMessage) throws(StoreError) -> [UInt8] {
    try database.statement("SELECT reply FROM taken WHERE number = ? AND slot = ?").first([
      .integer(message.number), .integer(message.number % Queue.takenLimit),
    ]) { $0.bytes(0) } ?? []
  }

  /// The running number of the last message remembered.
  public func takenNumber() throws(StoreError) -> Int64 {
    try database.integer("SELECT max(number) FROM taken") ?? 0
  }

  /// The remembered messages, oldest first.
  public func takenMessages() throws(StoreError) -> [TakenMessage] {
    try database.statement("SELECT packet, hash, number FROM taken ORDER BY number").all([]) { row in
      TakenMessage(
        packet: UInt16(truncatingIfNeeded: row.integer(0)), hash: row.integer(1), number: row.integer(2))
    }
  }

  /// Forgets all of them: the broker has no session of ours, so it will not send any of them again.
  public func forgetTaken() throws(StoreError) {
    try database.run("DELETE FROM taken")
  }
}
