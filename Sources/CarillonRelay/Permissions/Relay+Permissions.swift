import CarillonLinks
import CarillonModel
import CarillonStore

// What the configuration does not allow a publisher. A command is never narrowed to what would be allowed: it is carried
// out as it was meant, or refused.
extension Relay {
  /// Why a publisher may not have a command carried out; `nil` where it may.
  func whyForbidden(_ command: Command, _ publisher: Name?) throws(StoreError) -> Refusal? {
    guard let permissions = configuration.permissions else { return nil }
    let who = Relay.described(publisher)
    guard let permission = permissions.of(publisher) else {
      return Refusal(
        .forbidden, "\(who) may send no commands; allow it in publishers of the relay's configuration")
    }
    if let verbs = permission.verbs, !verbs.contains(command.verb) {
      return Refusal(.forbidden, at: "command", "\(who) may not \(command.verb) (publishers.verbs)")
    }
    if permission.own, let refusal = try whyNotOwn(command, publisher) { return refusal }
    if let place = try whereOutside(command, permission) {
      return Refusal(
        .forbidden, at: place.path,
        "\(who) may not reach \(place.whom); it may reach \(Relay.listed(permission.devices)) (publishers.devices)"
      )
    }
    if case .schedule(let request) = command, let schemes = permission.schemes {
      return whyNotLinked(request.content, schemes, who)
    }
    return nil
  }

  // MARK: Its own

  private func whyNotOwn(_ command: Command, _ publisher: Name?) throws(StoreError) -> Refusal? {
    for (path, id) in Relay.named(in: command) {
      guard let request = try queue.current(id), request.publisher != publisher else { continue }
      return Refusal(
        .forbidden, at: path,
        "the request is \(Relay.described(request.publisher))'s; \(Relay.described(publisher)) may touch only its own (publishers.own)"
      )
    }
    return nil
  }

  /// The ids that a command changes, each with its place.
  private static func named(in command: Command) -> [(path: String, id: String)] {
    switch command {
    case .schedule(let request): request.id.map { [("id", $0)] } ?? []
    case .fire(let id): [("id", id)]
    case .cancel(.ids(let ids)), .withdraw(.ids(let ids)), .pause(.ids(let ids)), .resume(.ids(let ids)):
      ids.enumerated().map { ("ids[\($0.offset)]", $0.element) }
    default: []
    }
  }

  // MARK: Devices

  /// Where a command would reach a device that the publisher may not, and whom.
  private func whereOutside(_ command: Command, _ permission: Permission) throws(StoreError)
    -> (path: String, whom: String)?
  {
    guard !permission.devices.everyone else { return nil }
    let allowed = Set(permission.devices.names.flatMap { configuration.groups[$0] ?? [$0] })
    func look(_ recipients: Recipients?, _ path: String) -> (path: String, whom: String)? {
      recipients.flatMap { outside($0, allowed) }.map { (path, $0) }
    }
    switch command {
    case .schedule(let request): return look(request.to, "to") ?? look(request.nag?.then, "nag.then")
    case .focus(let change): return look(change.devices, "devices")
    case .forget(let name): return look(Recipients(names: [name]), "device")
    case .fire(let id):
      guard let request = try queue.current(id), let rule = try? Rule(stored: request.rule) else {
        return nil
      }
      return look(rule.to, "id") ?? look(rule.nag?.then, "id")
    default: return nil
    }
  }

  /// The first recipient that is not wholly within what is allowed.
  private func outside(_ recipients: Recipients, _ allowed: Set<Name>) -> String? {
    // Who `all` is changes, except where the configuration says it.
    if recipients.everyone, !(configuration.devices.map { allowed.isSuperset(of: $0) } ?? false) {
      return "every device"
    }
    return recipients.names.first { !allowed.isSuperset(of: configuration.groups[$0] ?? [$0]) }
      .map { "\"\($0)\"" }
  }

  private static func listed(_ devices: Recipients) -> String {
    devices.names.map { "\"\($0)\"" }.joined(separator: ", ")
  }

  // MARK: Links

  /// A link that is none is refused as such, elsewhere.
  private func whyNotLinked(_ content: Content, _ schemes: Set<String>, _ who: String) -> Refusal? {
    for (path, text) in content.links {
      guard let template = try? LinkTemplate(parsing: text), let link = try? template.sample(id: "x"),
        !schemes.contains(link.scheme)
      else { continue }
      return Refusal(
        .forbidden, at: path,
        "\(who) may not send links of the scheme \"\(printable(link.scheme))\" (publishers.schemes)")
    }
    return nil
  }
}
