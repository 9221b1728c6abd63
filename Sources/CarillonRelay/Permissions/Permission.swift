import CarillonLinks
import CarillonModel

/// What one publisher may do (protocol §9).
public struct Permission: Hashable, Sendable {
  /// The commands that it may send; `nil` for any.
  public var verbs: Set<Verb>?
  /// The devices that its requests may reach, and those that it may silence or forget. Default: any.
  public var devices = Recipients.all
  /// The schemes of its links; `nil` for any that the relay takes.
  public var schemes: Set<String>?
  /// Whether it may replace, cancel, pause, resume, fire and withdraw only what it has asked for itself. Default false.
  public var own = false

  public init() {}
}

extension Permission {
  /// Reads `{ verbs, devices, schemes, own }`; what is left out is not limited.
  ///
  /// - Throws: `invalid` or `unknown-field`, with the place.
  init(reading fields: Fields) throws(Refusal) {
    try fields.allow(only: ["verbs", "devices", "schemes", "own"])
    verbs = try Permission.verbs(fields)
    devices = try Recipients(reading: fields, "devices")
    schemes = try LinkPolicy.schemes(fields, "schemes")
    own = try fields.bool("own") ?? false
  }

  private static func verbs(_ fields: Fields) throws(Refusal) -> Set<Verb>? {
    guard let words = try fields.strings("verbs") else { return nil }
    var verbs: Set<Verb> = []
    for (index, word) in words.enumerated() {
      guard let verb = Verb(rawValue: word) else {
        let near = nearest(to: word, among: Verb.allCases.map(\.rawValue)).map { "; did you mean \"\($0)\"?" }
        throw fields.refusal("verbs[\(index)]", "\"\(printable(word))\" is no command\(near ?? "")")
      }
      verbs.insert(verb)
    }
    return verbs
  }
}
