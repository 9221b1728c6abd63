extension Command {
  /// Fields that any command may carry.
  static let envelopeNames: Set<String> = ["command", "key", "replyTo"]

  /// - Throws: `invalid` or `unknown-field`, with the place.
  init(_ verb: Verb, reading fields: Fields) throws(Refusal) {
    func allow(_ names: Set<String>) throws(Refusal) {
      try fields.allow(only: names.union(Command.envelopeNames))
    }
    switch verb {
    case .schedule:
      try fields.refuseForeignForms()
      try allow(Request.scheduleNames)
      self = .schedule(try Request(reading: fields))
    case .cancel, .withdraw:
      try allow(["ids", "thread", "all"])
      let selection = try Selection(reading: fields, thread: true)
      self = verb == .cancel ? .cancel(selection) : .withdraw(selection)
    case .pause, .resume:
      try allow(["ids", "all"])
      let selection = try Selection(reading: fields, thread: false)
      self = verb == .pause ? .pause(selection) : .resume(selection)
    case .pending, .delivered, .devices:
      try allow(["ids", "device", "limit", "after"])
      let listing = try Listing(reading: fields)
      self =
        switch verb {
        case .pending: .pending(listing)
        case .delivered: .delivered(listing)
        default: .devices(listing)
        }
    case .fire:
      try allow(["id"])
      guard let id = try fields.string("id") else { throw fields.refusal("id", "fire needs an id") }
      self = .fire(id: id)
    case .forget:
      try allow(["device"])
      guard let device = try fields.string("device") else {
        throw fields.refusal("device", "forget needs a device")
      }
      self = .forget(try Name(device, at: fields.place("device")))
    }
  }
}

extension Fields {
  /// Home Assistant's notify call has `message` where a request has `body`.
  fileprivate func refuseForeignForms() throws(Refusal) {
    guard has("message") else { return }
    throw refusal(
      "message", "this relay does not read Home Assistant's notify form; send title, body, url and trigger")
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
