/// What a bubble on the desktop is about. Its text has the kind first: no delivery, whoever named it, can pass for a
/// question of the companion's own.
enum BubbleKey: Hashable {
  case delivery(String)
  /// Whether a publisher may show notifications; nil is the one without a name.
  case prompt(publisher: String?)

  /// The buttons of the question.
  static let allow = "allow"
  static let deny = "deny"

  var stored: String {
    switch self {
    case .delivery(let delivery): "delivery \(delivery)"
    case .prompt(let publisher): "publisher \(publisher ?? "")"
    }
  }

  init?(stored: String) {
    if stored.hasPrefix("delivery ") {
      self = .delivery(String(stored.dropFirst("delivery ".count)))
    } else if stored.hasPrefix("publisher ") {
      let name = String(stored.dropFirst("publisher ".count))
      self = .prompt(publisher: name.isEmpty ? nil : name)
    } else {
      return nil
    }
  }
}
