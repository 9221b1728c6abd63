extension Fields {
  /// A date-time (protocol §3).
  public func time(_ name: String) throws(Refusal) -> WrittenTime? {
    guard let value = self[name] else { return nil }
    return try WrittenTime.read(value, at: place(name))
  }

  /// A list of date-times; empty where there is none.
  func times(_ name: String) throws(Refusal) -> [WrittenTime] {
    var times: [WrittenTime] = []
    for (index, element) in (try list(name) ?? []).enumerated() {
      times.append(try WrittenTime.read(element, at: place("\(name)[\(index)]")))
    }
    return times
  }

  /// A duration (protocol §3).
  public func duration(_ name: String) throws(Refusal) -> Duration? {
    guard let value = self[name] else { return nil }
    return try Duration.read(value, at: place(name))
  }

  /// A text of 1 to 1000 bytes that has a grammar of its own.
  func expression(_ name: String) throws(Refusal) -> String? {
    guard let text = try string(name) else { return nil }
    guard !text.isEmpty else { throw refusal(name, "must not be empty") }
    guard text.utf8.count <= Limits.expression else {
      throw refusal(name, "\(text.utf8.count) bytes; at most \(Limits.expression) are taken")
    }
    return text
  }
}
