import CarillonModel

/// What publishers may do, by name. Who is neither named nor meant by "*" may do nothing.
///
/// The name is the last level of the topic, so it is worth as much as the broker's access list makes it.
public struct Permissions: Hashable, Sendable {
  /// `nil` is whoever publishes on the bare topic, without a name.
  var byPublisher: [Name?: Permission]
  /// For everybody else.
  var others: Permission?

  /// A publisher's; `nil` where it may do nothing.
  func of(_ publisher: Name?) -> Permission? { byPublisher[publisher] ?? others }
}

extension Permissions {
  /// The key of whoever publishes on the bare topic.
  static let unnamed = ""
  /// The key of everybody who has none.
  static let everybodyElse = "*"

  /// Reads `publishers`: an object with one entry for each publisher.
  ///
  /// - Throws: `invalid` or `unknown-field`, with the place.
  init(reading fields: Fields) throws(Refusal) {
    byPublisher = [:]
    for member in fields.object.members {
      let place = fields.place(printable(member.name))
      let permission = try Permission(reading: try Fields(member.value, at: place))
      switch member.name {
      case Permissions.unnamed: byPublisher[Name?.none] = permission
      case Permissions.everybodyElse: others = permission
      case let text: byPublisher[try Name(text, at: place)] = permission
      }
    }
  }
}
