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
  /// What was answered; empty where nobody wanted an answer.
  public var reply: [UInt8]

  public init(packet: UInt16, hash: Int64, reply: [UInt8]) {
    self.packet = packet
    self.hash = hash
    self.reply = reply
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

  /// Remembers the messages of a batch, in one row, and forgets in time those before the last thousand.
  ///
  /// - Parameter first: the running number of the first of them; those of the others follow.
  public func remember(_ messages: [TakenMessage], from first: Int64) throws(StoreError) {
    guard !messages.isEmpty else { return }
    var writer = JSONWriter(reserving: 48 * messages.count)
    writer.beginArray()
    for message in messages {
      writer.integer(Int64(message.packet))
      writer.integer(message.hash)
      if message.reply.isEmpty {
        writer.null()
      } else {
        writer.string(String(decoding: message.reply, as: UTF8.self))
      }
    }
    writer.endArray()
    try database.run(
      "INSERT OR REPLACE INTO taken(number, messages) VALUES (?, ?)", .integer(first), .bytes(writer.bytes))
    // Now and then, and not with each batch: it is about other pages.
    let last = first + Int64(messages.count) - 1
    guard first / Queue.takenLimit != (last + 1) / Queue.takenLimit else { return }
    try database.run(
      "DELETE FROM taken WHERE number < (SELECT max(number) FROM taken WHERE number <= ?)",
      .integer(last - Queue.takenLimit + 1))
  }

  /// The running number of the last message remembered.
  public func takenNumber() throws(StoreError) -> Int64 {
    let last = try database.statement("SELECT number, messages FROM taken ORDER BY number DESC LIMIT 1")
      .first([]) { row throws(StoreError) in
        row.integer(0) + Int64(try Queue.messages(row.bytes(1)).count) - 1
      }
    return last ?? 0
  }

  /// The remembered messages, oldest first: the last thousand at most.
  public func takenMessages() throws(StoreError) -> [TakenMessage] {
    let batches = try database.statement("SELECT messages FROM taken ORDER BY number").all([]) {
      row throws(StoreError) in try Queue.messages(row.bytes(0))
    }
    return batches.flatMap { $0 }.suffix(Int(Queue.takenLimit))
  }

  private static func messages(_ stored: [UInt8]) throws(StoreError) -> [TakenMessage] {
    let values = (try? JSON(parsing: stored))?.elements ?? []
    return try stride(from: 0, to: max(values.count, 1), by: 3).map { start throws(StoreError) in
      guard start + 2 < values.count, case .integer(let packet) = values[start],
        case .integer(let hash) = values[start + 1]
      else { throw .corrupt("a note of commands that were taken cannot be read") }
      return TakenMessage(
        packet: UInt16(truncatingIfNeeded: packet), hash: hash,
        reply: values[start + 2].text.map { Array($0.utf8) } ?? [])
    }
  }

  /// Forgets all of them: the broker has no session of ours, so it will not send any of them again.
  public func forgetTaken() throws(StoreError) {
    try database.run("DELETE FROM taken")
  }
}
