extension Topics {
  /// Checks that a text is the name of a topic that a relay can watch. Whether it may, is another question.
  ///
  /// - Throws: `invalid` where it is empty or over 65,535 bytes, holds a wildcard, a control character or a code point
  ///   that is no character (brokers close the connection at those, MQTT 5 §1.5.4), or begins with `$`, which is the
  ///   broker's own.
  static func checkName(_ text: String, at path: String) throws(Refusal) {
    func fault(_ message: String) -> Refusal { Refusal(.invalid, at: path, message) }
    guard !text.isEmpty else { throw fault("a topic must not be empty") }
    guard text.utf8.count <= Limits.topic else {
      throw fault("\(text.utf8.count) bytes; a topic has at most \(Limits.topic)")
    }
    guard text.utf8.first != UInt8(ascii: "$") else {
      throw fault("topics that begin with \"$\" belong to the broker")
    }
    guard !text.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "#") }) else {
      throw fault("one topic, without the wildcards + and #")
    }
    let isBad = text.holdsControl || text.unicodeScalars.contains(where: \.properties.isNoncharacterCodePoint)
    guard !isBad else { throw fault("a topic must not hold control characters") }
  }
}
