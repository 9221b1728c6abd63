/// One command as it came: what can be said about it whether or not it is good.
public struct ReceivedCommand: Sendable {
  /// The verb as named, cut to a printable word; `nil` where there is none to name.
  public var verb: String?
  /// The `id` that it names, where it is a text.
  public var id: String?
  /// The idempotency key (protocol §2).
  public var key: String?
  /// Where a publisher without MQTT 5 wants the reply.
  public var replyTo: String?
  /// The command without `replyTo`, for comparing a repeated one with the first.
  public var text: [UInt8]
  public var command: Result<Command, Refusal>
  /// Where fields of the request were written, if not under their own names: in Home Assistant's form.
  var origins: [String: String] = [:]

  /// A refusal of the request, at the place where the publisher wrote what it is about.
  public func placed(_ refusal: Refusal) -> Refusal { HomeAssistantCall.moved(refusal, origins) }
}

/// The payload of a message on a command topic (protocol §2).
public enum CommandPayload: Sendable {
  /// Nothing, which is ignored.
  case empty
  /// Refused whole.
  case refused(Refusal)
  case single(ReceivedCommand)
  case list([ReceivedCommand])

  /// Reads a payload. Nothing here throws: what is wrong is part of the value.
  public init(reading payload: [UInt8]) {
    guard !payload.isEmpty else {
      self = .empty
      return
    }
    guard payload.count <= Limits.command else {
      self = .refused(
        Refusal(.tooLarge, "\(payload.count) bytes; a command has at most \(Limits.command)"))
      return
    }
    do throws(MalformedJSON) {
      switch try JSON(parsing: payload) {
      case .array(let elements) where elements.isEmpty:
        self = .refused(Refusal(.invalid, "an empty list holds no command"))
      case .array(let elements): self = .list(elements.map { ReceivedCommand(reading: $0) })
      case let value: self = .single(ReceivedCommand(reading: value))
      }
    } catch {
      self = .refused(Refusal(.malformed, error.message))
    }
  }
}

extension CommandPayload {
  /// Whether it is one listing, which changes nothing.
  public var isListing: Bool {
    if case .single(let command) = self { command.isListing } else { false }
  }
}

extension ReceivedCommand {
  /// Whether it is good, and only asks.
  public var isListing: Bool {
    if case .success(let command) = command { command.isListing } else { false }
  }

  /// Whether it is good, and changes something.
  public var isChange: Bool {
    if case .success(let command) = command { !command.isListing } else { false }
  }

  fileprivate init(reading value: JSON) {
    guard case .object(let object) = value else {
      let refusal = Refusal(
        .invalid, "a command is an object, not \(value.kind)\(ReceivedCommand.hint(value))")
      self.init(text: [], command: .failure(refusal))
      return
    }
    let isCall = HomeAssistantCall.isOne(object)
    var origins: [String: String] = [:]
    let command = ReceivedCommand.command(Fields(object), &origins)
    let isClearing = if isCall, case .success(.withdraw) = command { true } else { false }
    self.init(
      verb: isClearing ? Verb.withdraw.rawValue : ReceivedCommand.named(object["command"]),
      id: isCall ? HomeAssistantCall.identifier(object) : object["id"]?.text, key: object["key"]?.text,
      replyTo: object["replyTo"]?.text, text: ReceivedCommand.text(object), command: command,
      origins: origins)
  }

  /// A template that was made JSON twice is a text that holds an object.
  private static func hint(_ value: JSON) -> String {
    guard let first = value.text?.utf8.first(where: { $0 > 0x20 }), first == UInt8(ascii: "{") else {
      return ""
    }
    return "; it holds an object that was passed through to_json twice"
  }

  /// A member that is null counts as one that is not there, here as everywhere.
  private static func named(_ value: JSON?) -> String? {
    switch value {
    case nil, .null: Verb.schedule.rawValue
    case .string(let word): printable(word)
    default: nil
    }
  }

  private static func command(_ fields: Fields, _ origins: inout [String: String]) -> Result<Command, Refusal>
  {
    do throws(Refusal) {
      try checkEnvelope(fields)
      if HomeAssistantCall.isOne(fields.object) {
        return .success(try HomeAssistantCall.command(reading: fields, &origins))
      }
      return .success(try Command(try verb(fields), reading: fields))
    } catch {
      return .failure(error)
    }
  }

  private static func text(_ object: JSONObject) -> [UInt8] {
    if object["key"] == nil { return [] }
    var bare = object
    bare["replyTo"] = nil
    return JSON.object(bare).encoded
  }

  private static func checkEnvelope(_ fields: Fields) throws(Refusal) {
    if let key = try fields.string("key") {
      guard !key.isEmpty, key.utf8.count <= Limits.key else {
        throw fields.refusal("key", "a key has 1 to \(Limits.key) bytes")
      }
    }
    _ = try fields.string("replyTo")
  }

  private static func verb(_ fields: Fields) throws(Refusal) -> Verb {
    guard let word = try fields.string("command") else { return .schedule }
    guard let verb = Verb(rawValue: word) else {
      let near = nearest(to: word, among: Verb.allCases.map(\.rawValue)).map { "; did you mean \($0)?" } ?? ""
      throw fields.refusal("command", "\"\(printable(word))\" is no command\(near)")
    }
    return verb
  }
}
