import CarillonLoop
import CarillonModel

extension Ledger {
  /// The relay was killed.
  mutating func relayKilled() { kills.append(SystemClock.wallMilliseconds) }

  mutating func answered(_ number: Int, _ payload: [UInt8]) {
    if let first = answers[number] {
      if first != payload { violations.append("command \(number) was answered twice, differently") }
      return
    }
    guard !lostReplies.contains(number) else { return }
    guard let command = unanswered.removeValue(forKey: number), let reply = try? JSON(parsing: payload) else {
      violations.append("a reply to nothing: \(number)")
      return
    }
    answers[number] = payload
    let replies = command.elements.count == 1 ? [reply] : reply.elements ?? []
    guard replies.count == command.elements.count else {
      violations.append("command \(number) has \(replies.count) replies")
      return
    }
    for (element, reply) in zip(command.elements, replies) { answered(element, reply) }
  }

  /// Those are not waited for any more: what they asked for stands, since the broker had acknowledged them.
  mutating func giveUpReplies() {
    for (number, command) in unanswered where !command.hasKey {
      unanswered[number] = nil
      lostReplies.insert(number)
      for case .schedule(let request) in command.elements where entries[request.name]?.fate == .asked {
        entries[request.name]?.fate = .stands
      }
    }
  }

  private mutating func answered(_ element: Household.Command.Element, _ reply: JSON) {
    guard reply["ok"] == .bool(true) else {
      violations.append("\(element) was refused: \(String(decoding: reply.encoded, as: UTF8.self))")
      return
    }
    switch element {
    case .schedule(let request):
      if entries[request.name]?.fate == .asked { entries[request.name]?.fate = .stands }
      guard let old = entries[request.name]?.predecessor, entries[old]?.fate == .stands else { return }
      changed.insert(old)
      entries[old]?.fate = reply["was"]?.text == "finished" ? .followed : .replaced
    case .cancel(let name, let id):
      guard case .object(let outcomes)? = reply["ids"] else { return }
      switch outcomes[id]?.text {
      case "cancelled":
        changed.insert(name)
        entries[name]?.fate = .cancelled(at: SystemClock.wallMilliseconds)
      case "fired": break
      case let outcome: violations.append("\(name) is \(outcome ?? "nothing") for its cancel")
      }
    case .hold: break
    }
  }
}
