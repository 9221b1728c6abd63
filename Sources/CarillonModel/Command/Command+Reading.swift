extension Command {
  /// Fields that any command may carry.
  private static let envelopeNames: Set<String> = ["command", "key", "replyTo"]

  private static let scheduleNames = Request.scheduleNames.union(envelopeNames)
  private static let endNames = envelopeNames.union(["ids", "thread", "all"])
  private static let holdNames = envelopeNames.union(["ids", "all"])
  private static let listNames = envelopeNames.union(["ids", "device", "limit", "after"])
  private static let fireNames = envelopeNames.union(["id", "next"])
  private static let forgetNames = envelopeNames.union(["device"])
  private static let focusNames = envelopeNames.union(["devices", "on", "until"])

  /// - Throws: `invalid` or `unknown-field`, with the place.
  init(_ verb: Verb, reading fields: Fields) throws(Refusal) {
    switch verb {
    case .schedule:
      try fields.allow(only: Command.scheduleNames)
      self = .schedule(try Request(reading: fields))
    case .cancel, .withdraw:
      try fields.allow(only: Command.endNames)
      let selection = try Selection(reading: fields, thread: true)
      self = verb == .cancel ? .cancel(selection) : .withdraw(selection)
    case .pause, .resume:
      try fields.allow(only: Command.holdNames)
      let selection = try Selection(reading: fields, thread: false)
      self = verb == .pause ? .pause(selection) : .resume(selection)
    case .pending, .delivered, .devices:
      try fields.allow(only: Command.listNames)
      let listing = try Listing(reading: fields)
      self =
        switch verb {
        case .pending: .pending(listing)
        case .delivered: .delivered(listing)
        default: .devices(listing)
        }
    case .fire:
      try fields.allow(only: Command.fireNames)
      self = try Command.fire(reading: fields)
    case .forget:
      try fields.allow(only: Command.forgetNames)
      guard let device = try fields.string("device") else {
        throw fields.refusal("device", "forget needs a device")
      }
      self = .forget(try Name(device, at: fields.place("device")))
    case .focus:
      try fields.allow(only: Command.focusNames)
      self = .focus(try FocusChange(reading: fields))
    }
  }
}

extension Command {
  /// One of `id` and `next: true`.
  private static func fire(reading fields: Fields) throws(Refusal) -> Command {
    if let id = try fields.string("id") {
      guard !fields.has("next") else { throw fields.refusal("next", "fire takes id or next, not both") }
      return .fire(id: id)
    }
    guard let next = try fields.bool("next") else {
      throw fields.refusal("id", "fire needs an id, or next: true for whatever is due next")
    }
    guard next else { throw fields.refusal("next", "must be true") }
    return .fireNext
  }
}

extension Selection {
  fileprivate init(reading fields: Fields, thread: Bool) throws(Refusal) {
    let names = thread ? ["ids", "thread", "all"] : ["ids", "all"]
    let given = names.filter { fields.has($0) }
    guard given.count == 1 else {
      throw Refusal(.invalid, at: fields.path, "needs exactly one of \(names.joined(separator: ", "))")
    }
    switch given[0] {
    case "ids":
      let ids = try fields.strings("ids") ?? []
      guard !ids.isEmpty else { throw fields.refusal("ids", "names no id") }
      self = .ids(ids)
    case "thread": self = .thread(try fields.string("thread") ?? "")
    default:
      guard try fields.bool("all") == true else { throw fields.refusal("all", "must be true") }
      self = .all
    }
  }
}

extension Listing {
  fileprivate init(reading fields: Fields) throws(Refusal) {
    ids = try fields.strings("ids")
    device = try fields.string("device").map { text throws(Refusal) in
      try Name(text, at: fields.place("device"))
    }
    limit = Int(try fields.integer("limit", in: 1...10_000) ?? Int64(Limits.pageEntries))
    after = try fields.string("after")
  }
}
