import CarillonModel
import CarillonStore

/// What a command's decision needs to know of how it came.
struct CommandContext {
  var publisher: Name?
  var moment: Moment
  /// Whether anybody will read the reply, now or when the command is repeated.
  var wantsReply: Bool
  /// Whether the message names a place for its reply.
  var hasReplyAddress: Bool
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
      remember(arrival, hash, taken.reply)
      return send(taken.reply, to: reply)
    }
    let (answer, actions) = try decide(payload, arrival, publisher, reply, at: moment)
    // A listing changes nothing, so that a repeated one is simply answered anew.
    if !payload.isListing { remember(arrival, hash, answer) }
    return actions + send(answer, to: reply)
  }

  private mutating func remember(_ arrival: Arrival, _ hash: Int64, _ reply: [UInt8]) {
    guard arrival.qos > 0 else { return }
    let kept = reply.count <= Relay.keptReply ? reply : []
    repeats.remember(TakenMessage(packet: arrival.packetID, hash: hash, reply: kept))
  }

  /// The longest reply that is kept for a repeated message, in bytes; only a list of very many commands has a longer one.
  private static let keptReply = 64 * 1024

  /// The reply's bytes (empty where nobody wants one) and what to do.
  private mutating func decide(
    _ payload: CommandPayload, _ arrival: Arrival, _ publisher: Name?, _ reply: ReplyAddress,
    at moment: Moment
  ) throws(StoreError) -> ([UInt8], [Action]) {
    let context = CommandContext(
      publisher: publisher, moment: moment, wantsReply: reply.isWanted, hasReplyAddress: reply.isWanted)
    switch payload {
    case .empty: return ([], [])
    case .refused(let fault):
      let refusal = whyTooFast(arrival, context) ?? fault
      return (Reply.refused(refusal, nil), [rejection(refusal, arrival)])
    case .single(let command):
      return try decide(command, arrival, context)
    case .list(let commands):
      return try decide(commands, arrival, context)
    }
  }

  /// Decides on the commands of a list, in order. Their replies share one message, and so its size: what lists is refused
  /// once the message is full, and what changes something is then answered in brief.
  private mutating func decide(
    _ commands: [ReceivedCommand], _ arrival: Arrival, _ context: CommandContext
  ) throws(StoreError) -> ([UInt8], [Action]) {
    var actions: [Action] = []
    var answers: [[UInt8]] = []
    var size = 0
    for command in commands {
      let isFull = size > replyRoom
      if isFull, command.isListing {
        let refusal = Refusal(.limit, "the reply is full; ask for this list in a message of its own")
        answers.append(Reply.refused(refusal, command))
        size += answers[answers.count - 1].count
        actions.append(rejection(refusal, arrival))
        continue
      }
      let (answer, more) = try decide(command, arrival, context)
      if !answer.isEmpty {
        answers.append(isFull ? Reply.brief(answer) : answer)
        size += answers[answers.count - 1].count + 1
      }
      actions += more
    }
    return (context.hasReplyAddress ? Reply.list(answers, within: packetLimit - 1024) : [], actions)
  }

  private mutating func decide(
    _ received: ReceivedCommand, _ arrival: Arrival, _ context: CommandContext
  ) throws(StoreError) -> ([UInt8], [Action]) {
    func refused(_ refusal: Refusal) -> ([UInt8], [Action]) {
      (Reply.refused(refusal, received), [rejection(refusal, arrival)])
    }
    let usesKey = received.key != nil && received.isChange
    let hash = usesKey ? fingerprint(received.text) : 0
    let kept =
      usesKey ? try received.key.flatMap { key throws(StoreError) in try keptReply(key, context) } : nil
    // It was taken before, so it may come again however fast.
    if let kept, kept.hash == hash { return (kept.reply, []) }
    if let refusal = whyTooFast(arrival, context) { return refused(refusal) }
    let command: Command
    switch received.command {
    case .success(let good): command = good
    case .failure(let refusal): return refused(refusal)
    }
    guard kept == nil else {
      return refused(
        Refusal(.invalid, at: "key", "this key was used for another command within the last day"))
    }
    var context = context
    context.wantsReply = context.wantsReply || usesKey
    let decision = try carryOut(command, context)
    switch decision.result {
    case .failure(let refusal): return refused(received.placed(refusal))
    case .success(let members):
      let answer = context.wantsReply ? Reply.accepted(received.verb ?? "", members) : []
      if usesKey, let key = received.key {
        let kept = KeptReply(hash: hash, reply: answer)
        try queue.keep(publisher: context.publisher, key: key, kept, at: context.moment.elapsed)
      }
      return (answer, decision.actions)
    }
  }

  private func keptReply(_ key: String, _ context: CommandContext) throws(StoreError) -> KeptReply? {
    try queue.reply(
      publisher: context.publisher, key: key,
      since: context.moment.elapsed.subtractingSaturated(Relay.keyLife.milliseconds))
  }

  /// How long an idempotency key is remembered (protocol §2).
  static let keyLife: Duration = .seconds(86_400)

  private mutating func carryOut(_ command: Command, _ context: CommandContext) throws(StoreError) -> Decision
  {
    if command.isListing, !context.hasReplyAddress {
      let remedy = "a list needs a reply topic: MQTT 5's response topic, or replyTo"
      return Decision(Refusal(.invalid, at: "replyTo", remedy))
    }
    if let refusal = try whyForbidden(command, context.publisher) { return Decision(refusal) }
    if case .schedule = command {} else { changesSchedule = true }
    return switch command {
    case .schedule(let request): try schedule(request, context)
    case .cancel(let selection): try cancel(selection, context)
    case .withdraw(let selection): try withdraw(selection, context)
    case .pending(let listing): try pending(listing, context.moment)
    case .delivered(let listing): try delivered(listing, context.moment)
    case .devices(let listing): try listDevices(listing, context.moment)
    case .fire(let id): try fire(id, context)
    case .fireNext: try fireNext(context)
    case .pause(let selection): try pause(selection, context)
    case .resume(let selection): try resume(selection, context)
    case .forget(let name): try forget(name, at: context.moment)
    case .focus(let change): try focus(change, at: context.moment)
    }
  }
}
