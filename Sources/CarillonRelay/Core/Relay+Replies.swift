import CarillonModel
import CarillonStore

/// Where a reply goes, if anywhere.
struct ReplyAddress {
  var topic: String?
  var correlation: [UInt8]?

  var isWanted: Bool { topic != nil }
}

extension Relay {
  /// Where a message's reply goes: the MQTT 5 response topic, else the first `replyTo`.
  ///
  /// - Throws: `forbidden` outside the publisher's own tree (protocol §6).
  func address(_ arrival: Arrival, _ payload: CommandPayload, _ publisher: Name?) throws(Refusal)
    -> ReplyAddress
  {
    if let topic = arrival.responseTopic {
      try checkReply(topic, publisher, at: "")
      return ReplyAddress(topic: topic, correlation: arrival.correlation)
    }
    let asked: [String] =
      switch payload {
      case .single(let command): command.replyTo.map { [$0] } ?? []
      case .list(let commands): commands.compactMap(\.replyTo)
      default: []
      }
    for topic in asked { try checkReply(topic, publisher, at: "replyTo") }
    return ReplyAddress(topic: asked.first, correlation: nil)
  }

  private func checkReply(_ topic: String, _ publisher: Name?, at path: String) throws(Refusal) {
    let root = configuration.topics.reply + "/" + (publisher.map { $0.text + "/" } ?? "")
    let rest = topic.utf8.dropFirst(root.utf8.count)
    let sound = topic.utf8.starts(with: root.utf8) && !rest.isEmpty && topic.utf8.count <= 1024
    let plain = topic.unicodeScalars.allSatisfy {
      $0.value >= 0x20 && $0 != "#" && $0 != "+" && $0.value != 0x7F
    }
    guard sound, plain else {
      throw Refusal(.forbidden, at: path, "replies to this topic go only below \(root)")
    }
  }

  func send(_ answer: [UInt8], to reply: ReplyAddress) -> [Action] {
    guard let topic = reply.topic, !answer.isEmpty else { return [] }
    return [.reply(topic: topic, correlation: reply.correlation, payload: answer)]
  }

  /// Refuses a whole message: told where a reply is wanted, and to administrators.
  func refuse(_ arrival: Arrival, _ refusal: Refusal, _ reply: ReplyAddress?) -> [Action] {
    let told = reply.map { send(Reply.refused(refusal, nil), to: $0) } ?? []
    return told + [rejection(refusal, arrival)]
  }

  /// What administrators are told of a refusal.
  func rejection(_ refusal: Refusal, _ arrival: Arrival) -> Action {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("code")
    writer.string(refusal.code.rawValue)
    writer.name("path")
    writer.string(refusal.path)
    writer.name("message")
    writer.string(refusal.message)
    writer.name("topic")
    writer.string(arrival.topic)
    writer.name("from")
    if case .command(let publisher?) = configuration.topics.meaning(of: arrival.topic) {
      writer.string(publisher.text)
    } else {
      writer.null()
    }
    if refusal.code == .malformed {
      writer.name("excerpt")
      writer.string(Reply.excerpt(arrival.payload))
    }
    writer.endObject()
    return .reject(refusal, payload: writer.bytes, topic: arrival.topic)
  }

  /// Answers commands that could not be stored, without touching the store.
  func unavailable(_ batch: [Arrival], _ error: StoreError) -> [Action] {
    let refusal = Refusal(.unavailable, "\(error.description); try again later")
    var actions: [Action] = []
    for arrival in batch {
      guard case .command(let publisher) = configuration.topics.meaning(of: arrival.topic) else { continue }
      let payload = CommandPayload(reading: arrival.payload)
      if case .empty = payload { continue }
      let reply = try? address(arrival, payload, publisher)
      guard let reply, case .list(let commands) = payload else {
        let received: ReceivedCommand? = if case .single(let command) = payload { command } else { nil }
        actions += reply.map { send(Reply.refused(refusal, received), to: $0) } ?? []
        actions.append(rejection(refusal, arrival))
        continue
      }
      var writer = JSONWriter()
      writer.beginArray()
      for command in commands { writer.raw(Reply.refused(refusal, command)) }
      writer.endArray()
      actions += send(writer.bytes, to: reply) + [rejection(refusal, arrival)]
    }
    return actions
  }
}

/// The shapes of replies (protocol §6).
enum Reply {
  static func accepted(_ verb: String, _ members: JSONObject) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("ok")
    writer.bool(true)
    writer.name("command")
    writer.string(verb)
    writer.members(members)
    writer.endObject()
    return writer.bytes
  }

  /// A reply to a change, cut to whether it was done and to what: for one of very many in a message.
  static func brief(_ reply: [UInt8]) -> [UInt8] {
    guard case .object(let whole)? = try? JSON(parsing: reply), whole["ok"] == true else { return reply }
    if whole["items"] != nil {
      let refusal = Refusal(.limit, "the reply is full; ask for this list in a message of its own")
      return refused(refusal, nil)
    }
    var short = JSONObject()
    for name in ["ok", "command", "id", "ids", "count", "delivery"] {
      if let value = whole[name] { short.append(name, value) }
    }
    return JSON.object(short).encoded
  }

  /// The replies to the commands of a list, in order: whole if the broker takes that, else in brief, else with no more than
  /// whether each was done.
  static func list(_ answers: [[UInt8]], within room: Int) -> [UInt8] {
    var bytes = joined(answers)
    if bytes.count > room { bytes = joined(answers.map { brief($0) }) }
    if bytes.count > room { bytes = joined(answers.map { bare($0) }) }
    return bytes
  }

  private static func joined(_ answers: [[UInt8]]) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginArray()
    for answer in answers { writer.raw(answer) }
    writer.endArray()
    return writer.bytes
  }

  private static func bare(_ reply: [UInt8]) -> [UInt8] {
    let whole = try? JSON(parsing: reply)
    guard whole?["ok"] != true, let code = whole?["error"]?["code"] else {
      return JSON.object(["ok": true]).encoded
    }
    return JSON.object(["ok": false, "error": ["code": code]]).encoded
  }

  static func refused(_ refusal: Refusal, _ command: ReceivedCommand?) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.name("ok")
    writer.bool(false)
    writer.name("command")
    writer.value(command?.verb.map { .string($0) } ?? .null)
    writer.name("id")
    writer.value(command?.id.map { .string($0) } ?? .null)
    writer.name("error")
    writer.beginObject()
    writer.name("code")
    writer.string(refusal.code.rawValue)
    writer.name("path")
    writer.string(refusal.path)
    writer.name("message")
    writer.string(refusal.message)
    writer.endObject()
    writer.endObject()
    return writer.bytes
  }

  /// The beginning of a payload as readable text of at most 200 bytes.
  static func excerpt(_ payload: [UInt8]) -> String {
    var text = ""
    for scalar in String(decoding: payload.prefix(Limits.excerpt), as: UTF8.self).unicodeScalars {
      let shown: Unicode.Scalar = scalar.value < 0x20 || scalar.value == 0x7F ? "\u{FFFD}" : scalar
      if text.utf8.count + UTF8.width(shown) > Limits.excerpt { break }
      text.unicodeScalars.append(shown)
    }
    return text
  }
}
