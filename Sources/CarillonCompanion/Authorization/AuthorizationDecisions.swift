import CarillonModel

/// What was decided on the device itself, with `carillon device`, or by a tap on Allow or Deny.
public struct AuthorizationDecisions: Hashable, Sendable {
  /// The standing of everybody; `nil`: what the configuration says.
  public var standard: Authorization.Standing?
  /// The newer behind the older; of one selection there is one.
  public private(set) var rules: [Authorization.Rule]

  /// How many rules are kept: names of publishers come from outside.
  public static let limit = 4096

  public init(standard: Authorization.Standing? = nil, rules: [Authorization.Rule] = []) {
    self.standard = standard
    self.rules = rules
  }

  /// Takes a decision, in the place of an older one for the same notifications. Without a selector it is for everybody.
  public mutating func decide(_ rule: Authorization.Rule) {
    guard rule.selectors > 0 else {
      standard = rule.standing
      return
    }
    rules.removeAll { $0.hasSelectors(of: rule) }
    rules.append(rule)
    if rules.count > AuthorizationDecisions.limit { rules.removeFirst() }
  }

  /// - Throws: `unknown-field` or `invalid`, with the place.
  public init(reading fields: Fields) throws(Refusal) {
    try fields.allow(only: ["default", "rules"])
    self.init(
      standard: try fields.choice("default", Authorization.Standing.self),
      rules: try Authorization.rules(fields))
  }

  /// The file's text: a line for each rule.
  var encoded: [UInt8] {
    let standard = standard.map { JSON.string($0.rawValue) } ?? .null
    let lines = rules.map { "\n    " + $0.json.encodedText }.joined(separator: ",")
    return Array("{\n  \"default\": \(standard.encodedText),\n  \"rules\": [\(lines)]\n}\n".utf8)
  }
}
