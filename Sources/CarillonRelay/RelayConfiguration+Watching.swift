import CarillonModel

extension RelayConfiguration {
  /// So many levels are taken by libmosquitto and Mosquitto; a broker closes the connection at more.
  static let topicLevels = 200

  /// Why requests may not watch a topic, with the remedy; `nil` where they may.
  func whyNotWatched(_ topic: String) -> String? {
    let name = "\"\(printable(topic, limit: 200))\""
    if topics.isOwn(topic) { return "\(name) is the relay's own; a when trigger watches other topics" }
    guard topic.utf8.count(where: { $0 == UInt8(ascii: "/") }) < RelayConfiguration.topicLevels else {
      return "a topic that is watched has at most \(RelayConfiguration.topicLevels) levels"
    }
    guard watchable.contains(where: { $0.matches(topic) }) else {
      return "\(name) may not be watched; allow it in when.topics of the relay's configuration"
    }
    return nil
  }

  /// Reads `when`.
  ///
  /// - Throws: `invalid` or `unknown-field`, with the key.
  static func watchable(_ fields: Fields?, under topics: Topics) throws(Refusal) -> [TopicFilter] {
    guard let fields else { return [] }
    try fields.allow(only: ["topics"])
    var filters: [TopicFilter] = []
    for (index, text) in (try fields.strings("topics") ?? []).enumerated() {
      let place = fields.place("topics[\(index)]")
      guard !topics.isOwn(text) else {
        throw Refusal(.invalid, at: place, "\"\(printable(text))\" is the relay's own and is never watched")
      }
      filters.append(try TopicFilter(text, at: place))
    }
    return filters
  }
}
