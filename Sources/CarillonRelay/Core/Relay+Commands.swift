import CarillonModel
import CarillonStore

/// What a command's decision needs to know of how it came.
struct CommandContext {
  var publisher: Name?
  var moment: Moment
  /// Whether anybody will read the reply, now or when the command is repeated.
  var wantsReply: Bool
}

/// A decision: the reply's members after `ok` and `command`, or why it was refused, and what to do.
struct Decision {
  var result: Result<JSONObject, Refusal>
  var actions: [Action]

  init(_ members: JSONObject, _ actions: [Action] = []) {
    result = .success(members)
    self.actions = actions
  }

  init(_ refusal: Refusal) {
    result = .failure(refusal)
    actions = []
  }
}

extension Relay {
  /// Decides on one message of a command topic.
  mutating func command(_ arrival: Arrival, from publisher: Name?, at moment: Moment) throws(StoreError)
    -> [Action]
  {
    if let expires = arrival.expires, expires < moment.elapsed { return [.ignored("expired command")] }
    let payload = CommandPayload(reading: arrival.payload)
    if case .empty = payload { return [] }
    let reply: ReplyAddress
    do throws(Refusal) {
      reply = try address(arrival, payload, publisher)
    } catch {
      return refuse(arrival, error, nil)
    }
    guard !arrival.isRetained else {
      return refuse(
        arrival,
        Refusal(.retained, "a broker would replay a retained command; publish it without the retain flag"),
        reply)
    }
    let hash = fingerprint(Array(arrival.topic.utf8), arrival.payload)
    if let taken = repeats.match(arrival, hash: hash) {
      try remember(arrival, hash, taken.reply)
      return send(taken.reply, to: reply)
    }
    let (answer, actions) = try decide(payload, arrival, publisher, reply, at: moment)
    try remember(arrival, hash, answer)
    return actions + send(answer, to: reply)
  }

  private mutating func remember(_ arrival: Arrival, _ hash: Int64, _ reply: [UInt8]) throws(StoreError) {
    guard arrival.qos > 0 else { return }
    let taken = TakenMessage(packet: arrival.packetID, hash: hash, reply: reply)
    try queue.remember(taken, number: repeats.nextNumber())
  }

  /// The reply's bytes (empty where nobody wants one) and what to do.
  private mutating func decide(
    _ payload: CommandPayload, _ arrival: Arrival, _ publisher: Name?, _ reply: ReplyAddress,
    at moment: Moment
  ) throws(StoreError) -> ([UInt8], [Action]) {
    let context = CommandContext(publisher: publisher, moment: moment, wantsReply: reply.isWanted)
    switch payload {
    case .empty: return ([], [])
    case .refused(let refusal):
      return (Reply.refused(refusal, nil), [rejection(refusal, arrival)])
    case .single(let command):
      return try decide(command, arrival, context)
    case .list(let commands):
      var actions: [Action] = []
      var writer = JSONWriter()
      writer.beginArray()
      for command in commands {
        let (answer, more) = try decide(command, arrival, context)
        if !answer.isEmpty { writer.raw(answer) }
        actions += more
      }
      writer.endArray()
      return (reply.isWanted ? writer.bytes : [], actions)
    }
  }

  private mutating func decide(
    _ received: ReceivedCommand, _ arrival: Arrival, _ context: CommandContext
  ) throws(StoreError) -> ([UInt8], [Action]) {
    guard case .success(let command) = received.command else {
      guard case .failure(let refusal) = received.command else { return ([], []) }
      return (Reply.refused(refusal, received), [rejection(refusal, arrival)])
    }
    let hash = received.key == nil ? 0 : fingerprint(received.text)
    if let key = received.key, let kept = try keptReply(key, context) {
      guard kept.hash != hash else { return (kept.reply, []) }
      let refusal = Refusal(.invalid, at: "key", "this key was used for another command within the last day")
      return (Reply.refused(refusal, received), [rejection(refusal, arrival)])
    }
    var context = context
    context.wantsReply = context.wantsReply || received.key != nil
    let decision = try carryOut(command, context)
    switch decision.result {
    case .failure(let refusal):
      return (Reply.refused(refusal, received), [rejection(refusal, arrival)])
    case .success(let members):
      let answer = context.wantsReply ? Reply.accepted(received.verb ?? "", members) : []
      if let key = received.key {
        let kept = KeptReply(hash: hash, reply: answer)
        try queue.keep(publisher: context.publisher, key: key, kept, at: context.moment.wall)
      }
      return (answer, decision.actions)
    }
  }

  private func keptReply(_ key: String, _ context: CommandContext) throws(StoreError) -> KeptReply? {
    try queue.reply(
      publisher: context.publisher, key: key, since: context.moment.wall - Relay.keyLife)
  }

  /// How long an idempotency key is remembered (protocol §2).
  static let keyLife: Duration = .seconds(86_400)

  private mutating func carryOut(_ command: Command, _ context: CommandContext) throws(StoreError) -> Decision
  {
    switch command {
    case .schedule(let request): try schedule(request, context)
    case .cancel(let selection): try cancel(selection, context)
    case .withdraw(let selection): try withdraw(selection, context)
    case .pending(let listing): try pending(listing, context.moment)
    case .delivered(let listing): try delivered(listing, context.moment)
    case .devices(let listing): try listDevices(listing, context.moment)
    case .fire(let id): try fire(id, context)
    case .pause(let selection): try pause(selection, context)
    case .resume(let selection): try resume(selection, context)
    case .forget(let name): try forget(name)
    }
  }
}
