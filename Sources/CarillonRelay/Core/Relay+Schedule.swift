import CarillonLinks
import CarillonModel
import CarillonStore
import CarillonTime

/// A request that may be stored: everything about it has been checked.
private struct Accepted {
  var id: String
  var rule: Rule
  var zone: Zone
  var start: Occurrences.Start?
  /// JSON members, as they are stored.
  var content: [UInt8]
  /// Whether it is what is stored already, under the same revision.
  var isRepeat = false
}

extension Relay {
  /// `schedule`: adds a request, or replaces the one with its id whole.
  mutating func schedule(_ request: Request, _ context: CommandContext) throws(StoreError) -> Decision {
    let existing = try request.id.map { id throws(StoreError) in try queue.current(id) } ?? nil
    let accepted: Accepted
    do throws(Refusal) {
      accepted = try accept(request, existing, context)
    } catch {
      return Decision(error)
    }
    var stored = stored(accepted, request, existing, context)
    if let existing, accepted.isRepeat {
      let existing = try settled(existing, at: context.moment)
      return Decision(scheduled(existing, accepted, nil, replaced: false, was: nil, context))
    }
    if accepted.start != nil,
      let refusal = try whyTooManyPending(replacing: existing, context.publisher)
    {
      return Decision(refusal)
    }
    if let refusal = try whyTooManyWatch(accepted.rule.trigger, replacing: existing) {
      return Decision(refusal)
    }
    if accepted.start != nil || accepted.rule.nag != nil { changesSchedule = true }
    let isJoining = try joinsWatch(accepted.rule.trigger)
    let replacement = try existing.map { old throws(StoreError) in try replace(old, context.moment) }
    stored.sequence = try queue.insert(stored)
    try watch(stored, accepted.rule, zone: accepted.zone, isJoining: isJoining)
    var actions = replacement?.actions ?? []
    var delivery: DeliveryID?
    if accepted.start == nil {
      let wall = context.moment.wall
      let firing = StoredFiring(
        sequence: stored.sequence, stamp: wall.milliseconds, due: wall, axis: .wall,
        release: wall.milliseconds,
        fired: wall, expires: accepted.rule.expires.map { wall + $0 })
      actions += try fire(firing, stored, accepted.rule, replaces: existing != nil, at: context.moment)
      delivery = id(of: firing)
    }
    let members = scheduled(
      stored, accepted, delivery, replaced: replacement?.replaced ?? false, was: replacement?.was, context)
    return Decision(members, actions)
  }

  // MARK: Checking

  private func accept(
    _ request: Request, _ existing: StoredRequest?, _ context: CommandContext
  ) throws(Refusal) -> Accepted {
    let zone = try request.timezone.map { name throws(Refusal) in try zones.zone(named: name) } ?? defaultZone
    let id = request.id ?? Request.newIdentifier()
    let rule = Rule(request)
    let content = try checkLinks(of: request.content, id: id)
    let members = Relay.members(of: content)
    if let existing, try isRepeat(request, members, zone, of: existing) {
      return Accepted(
        id: id, rule: rule, zone: self.zone(existing.zone), start: nil, content: members, isRepeat: true)
    }
    try checkWatch(rule.trigger)
    let start = try Occurrences(rule: rule, zone: zone, location: configuration.location).start(
      at: context.moment)
    try checkSize(members, of: content, id: id)
    return Accepted(id: id, rule: rule, zone: zone, start: start, content: members)
  }

  /// What a notification holds besides its content and its id, at most: topic, times, delivery, links filled in.
  private static let frame = 1024

  /// A message that the broker would not take is refused now, not when it is due.
  ///
  /// - Parameter members: the content as it is stored.
  private func checkSize(_ members: [UInt8], of content: Content, id: String) throws(Refusal) {
    let templates = content.links.count { $0.text.utf8.contains(UInt8(ascii: "{")) }
    let size =
      members.count + JSON.string(id).encoded.count * (1 + 3 * templates) + Relay.frame * (1 + templates)
    guard size <= packetLimit else {
      throw Refusal(
        .tooLarge, "the notification would have about \(size) bytes; the broker takes \(packetLimit)")
    }
  }

  private func checkLinks(of content: Content, id: String) throws(Refusal) -> Content {
    try content.replacingLinks { path, text throws(Refusal) in
      do throws(Refusal) {
        let template = try LinkTemplate(parsing: text)
        let link = try template.sample(id: id)
        try configuration.links.check(link)
        // Without gaps the link is final, and what is not ASCII is encoded once and for all.
        return template.placeholders.isEmpty ? link.text : text
      } catch {
        throw Refusal(error.code, at: path, error.message)
      }
    }
  }

  private func stored(
    _ accepted: Accepted, _ request: Request, _ existing: StoredRequest?, _ context: CommandContext
  ) -> StoredRequest {
    let start = accepted.start
    var stored = StoredRequest(
      id: accepted.id, state: start == nil ? .finished : .pending, axis: start?.axis ?? .wall,
      due: start?.due,
      anchor: start?.anchor, publisher: context.publisher, thread: request.content.thread,
      revision: request.revision ?? existing?.revision, zone: accepted.zone.name,
      accepted: context.moment.wall,
      rule: Rule.members(of: request), content: accepted.content)
    stored.occurrences = start == nil ? 1 : 0
    stored.reached = start?.reached
    return stored
  }

  private static func members(of content: Content) -> [UInt8] {
    var writer = JSONWriter()
    writer.members(content.members)
    return writer.bytes
  }

  /// Whether a command with a revision repeats what is stored under that revision.
  ///
  /// - Throws: `stale` where what is stored is newer, or is something else under that number.
  private func isRepeat(
    _ request: Request, _ content: [UInt8], _ zone: Zone, of existing: StoredRequest
  ) throws(Refusal) -> Bool {
    guard let revision = request.revision, let known = existing.revision, revision <= known else {
      return false
    }
    guard revision == known else {
      throw Refusal(.stale, at: "revision", "revision \(revision) is older than \(known), which is stored")
    }
    let isSame =
      existing.state != .cancelled && Rule.members(of: request) == existing.rule
      && content == existing.content
      && (request.timezone == nil || zone.name == existing.zone)
    guard isSame else {
      let what = existing.state == .cancelled ? "was cancelled" : "is stored with other content"
      throw Refusal(.stale, at: "revision", "revision \(revision) \(what)")
    }
    return true
  }

  // MARK: Replacing

  private struct Replacement {
    var replaced: Bool
    var was: String?
    var actions: [Action]
  }

  private mutating func replace(_ old: StoredRequest, _ moment: Moment) throws(StoreError) -> Replacement {
    let recalled = try recall(old, at: moment)
    let ended = try queue.endFollowups(id: old.id)
    let isFinished = old.state == .finished && recalled.isEmpty
    if !isFinished || ended > 0 { changesSchedule = true }
    try endWatch(of: old)
    // One that has finished goes by its age, whether or not it has fired.
    let isKept = try isFinished ? true : queue.hasFirings(old.sequence)
    if isKept {
      try queue.supersede(old)
    } else {
      try queue.delete(old)
    }
    return Replacement(
      replaced: old.state != .cancelled, was: isFinished ? "finished" : nil,
      actions: recalled.map { .recall(firing: $0.row) })
  }

  /// Takes back firings whose release has not come.
  mutating func recall(_ request: StoredRequest, at moment: Moment) throws(StoreError) -> [StoredFiring] {
    let prepared = try queue.prepared(request.sequence, at: moment)
    for firing in prepared { try queue.delete(firing) }
    return prepared
  }

  // MARK: The reply

  private func scheduled(
    _ stored: StoredRequest, _ accepted: Accepted, _ delivery: DeliveryID?, replaced: Bool, was: String?,
    _ context: CommandContext
  ) -> JSONObject {
    guard context.wantsReply else { return JSONObject() }
    let moment = context.moment
    let zone = accepted.zone
    let upcoming = Occurrences(rule: accepted.rule, zone: zone, location: configuration.location).upcoming(
      stored, count: 3, at: moment
    )
    .map { JSON.string(zone.timestamp(moment.wall(at: $0, on: stored.axis))) }
    var members: JSONObject = [
      "id": .string(stored.id), "next": upcoming.first ?? .null, "upcoming": .array(upcoming),
      "timezone": .string(zone.name), "replaced": .bool(replaced), "was": was.map { .string($0) } ?? .null,
    ]
    if let delivery { members.append("delivery", .string(delivery.text)) }
    let (known, unknown) = reached(by: accepted.rule.to)
    let later = accepted.rule.nag?.then.map { self.reached(by: $0).unknown } ?? []
    let strangers = unknown + later.filter { !unknown.contains($0) }
    members.append("devices", .array(known.map { .string($0.text) }))
    members.append("unknown", .array(strangers.map { .string($0.text) }))
    return members
  }

  /// The devices that a request reaches now: those that have announced themselves, and those never seen. Nobody gets a row
  /// in the store by being named.
  func reached(by to: Recipients) -> (known: [Name], unknown: [Name]) {
    var named = to.names.flatMap { configuration.groups[$0] ?? [$0] }
    if to.everyone { named += configuration.devices ?? devices.announced.compactMap { devices[$0]?.name } }
    var seen: Set<Name> = []
    named.removeAll { !seen.insert($0).inserted }
    func isKnown(_ name: Name) -> Bool {
      devices.row(name).flatMap { devices[$0]?.isAnnounced } ?? false
    }
    return (known: named.filter(isKnown), unknown: named.filter { !isKnown($0) })
  }
}
