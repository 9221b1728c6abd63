import CarillonLinks
import CarillonModel

/// What a program says on the companion's socket: one JSON object a line. Members without a meaning are ignored.
public enum ApplicationMessage: Hashable, Sendable {
  /// The first line of an application: the schemes of its links, and its name.
  case attach(schemes: Set<String>, name: String)
  /// The rules of who may notify have been changed on disk.
  case reloadAuthorization
  case answer(Answer)

  public enum Answer: Hashable, Sendable {
    case present(delivery: String, Presentation)
    case done(delivery: String, step: Int)
    case failed(delivery: String, step: Int, reason: String)
    case tap(delivery: String)
    case act(delivery: String, action: String, text: String?)
    case dismiss(delivery: String)
  }

  /// How many schemes one application may take.
  public static let schemesLimit = 32
  /// Bytes of a text that answers an action: it travels to the relay.
  static let textLimit = 16 * 1024
  /// What an application is called that does not say its name.
  static let unnamed = "application"

  /// - Throws: `malformed` for what is not JSON; `invalid`, with the member, for what has no meaning.
  public init(parsing line: [UInt8]) throws(Refusal) {
    let json: JSON
    do throws(MalformedJSON) { json = try JSON(parsing: line) } catch {
      throw Refusal(.malformed, error.message)
    }
    let fields = try Fields(json)
    if fields.has("attach") {
      self = .attach(
        schemes: try ApplicationMessage.schemes(fields), name: try ApplicationMessage.name(fields))
    } else if let what = try fields.string("reload") {
      guard what == "authorization" else {
        throw fields.refusal("reload", "there is nothing of that name; \"authorization\" is")
      }
      self = .reloadAuthorization
    } else if let kind = try fields.choice("answer", Kind.self) {
      self = .answer(try Answer(kind, reading: fields))
    } else {
      throw Refusal(.invalid, "one of attach, answer, reload is wanted")
    }
  }

  private static func schemes(_ fields: Fields) throws(Refusal) -> Set<String> {
    let schemes = try LinkPolicy.schemes(fields, "attach") ?? []
    guard (1...schemesLimit).contains(schemes.count) else {
      throw fields.refusal("attach", "takes 1 to \(schemesLimit) schemes, not \(schemes.count)")
    }
    return schemes
  }

  private static func name(_ fields: Fields) throws(Refusal) -> String {
    let name = try fields.string("name") ?? ""
    return name.isEmpty ? unnamed : printable(name)
  }

  enum Kind: String, CaseIterable {
    case present, done, failed, tap, act, dismiss
  }
}

extension ApplicationMessage.Answer {
  init(_ kind: ApplicationMessage.Kind, reading fields: Fields) throws(Refusal) {
    guard let delivery = try fields.string("delivery"), !delivery.isEmpty else {
      throw fields.refusal("delivery", "is missing")
    }
    switch kind {
    case .present:
      guard let names = try fields.strings("presentation") else {
        throw fields.refusal("presentation", "is missing; [] is for nothing")
      }
      self = .present(
        delivery: delivery, try Presentation(reading: names, at: fields.place("presentation")))
    case .done: self = .done(delivery: delivery, step: try Self.step(fields))
    case .failed:
      let reason = try fields.string("reason") ?? ""
      self = .failed(
        delivery: delivery, step: try Self.step(fields), reason: printable(reason, limit: 1000))
    case .tap: self = .tap(delivery: delivery)
    case .act:
      guard let action = try fields.string("action"), !action.isEmpty else {
        throw fields.refusal("action", "is missing")
      }
      let text = try fields.string("text")
      guard text?.utf8.count ?? 0 <= ApplicationMessage.textLimit else {
        throw fields.refusal("text", "at most \(ApplicationMessage.textLimit) bytes are taken")
      }
      self = .act(delivery: delivery, action: action, text: text)
    case .dismiss: self = .dismiss(delivery: delivery)
    }
  }

  private static func step(_ fields: Fields) throws(Refusal) -> Int {
    guard let step = try fields.integer("step", in: 1...Int64(Int32.max)) else {
      throw fields.refusal("step", "is missing")
    }
    return Int(step)
  }

  /// The delivery that it speaks of.
  public var delivery: String {
    switch self {
    case .present(let delivery, _), .done(let delivery, _), .failed(let delivery, _, _), .tap(let delivery),
      .act(let delivery, _, _), .dismiss(let delivery):
      delivery
    }
  }
}
