/// An MQTT topic filter (MQTT 5, 4.7): topics level by level, where `+` stands for any one level and `#` at the end for all
/// that follow, also none.
public struct TopicFilter: Hashable, Sendable {
  public let text: String
  private let levels: [ArraySlice<UInt8>]

  /// - Throws: `invalid` for a wildcard beside something else in its level, a `#` before the end, and whatever no topic may
  ///   hold.
  public init(_ text: String, at path: String = "") throws(Refusal) {
    self.text = text
    levels = TopicFilter.levels(of: text)
    for (index, level) in levels.enumerated() where level.contains(where: TopicFilter.isWildcard) {
      guard level.count == 1 else {
        throw Refusal(
          .invalid, at: path, "\"\(printable(text))\": + and # stand alone in their level, as in home/+/state"
        )
      }
      guard level.first != TopicFilter.everything || index == levels.count - 1 else {
        throw Refusal(.invalid, at: path, "\"\(printable(text))\": # stands at the end")
      }
    }
    // What is left is what any topic has to be.
    let plain = text.utf8.map { TopicFilter.isWildcard($0) ? UInt8(ascii: "x") : $0 }
    try Topics.checkName(String(decoding: plain, as: UTF8.self), at: path)
  }

  private static let everything = UInt8(ascii: "#")
  private static let anything = UInt8(ascii: "+")
  private static func isWildcard(_ byte: UInt8) -> Bool { byte == everything || byte == anything }

  private static func levels(of text: String) -> [ArraySlice<UInt8>] {
    Array(text.utf8).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  }

  /// Whether a topic is among those meant.
  public func matches(_ topic: String) -> Bool {
    // The broker's own topics are meant by no wildcard (MQTT 5, 4.7.2), and no filter here names one.
    guard topic.utf8.first != UInt8(ascii: "$") else { return false }
    let names = TopicFilter.levels(of: topic)
    for (index, level) in levels.enumerated() {
      if level.first == TopicFilter.everything { return true }
      guard index < names.count, level.first == TopicFilter.anything || level == names[index] else {
        return false
      }
    }
    return names.count == levels.count
  }
}

extension Topics {
  /// Whether a topic, or a filter's first levels, are under the prefix, or the prefix itself.
  public func isOwn(_ topic: String) -> Bool {
    guard topic.utf8.starts(with: prefix.utf8) else { return false }
    let rest = topic.utf8.dropFirst(prefix.utf8.count)
    return rest.isEmpty || rest.first == UInt8(ascii: "/")
  }
}
