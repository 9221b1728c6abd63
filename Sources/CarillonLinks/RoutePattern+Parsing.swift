import CarillonModel

extension RoutePattern {
  /// Reads a pattern as a routes file has it.
  ///
  /// - Throws: `invalid` for whatever `Link` refuses, a parameter in the host's place (hosts have no case), a name that
  ///   is none or occurs twice, `*name` before the end, a repeated query key, braces, and a fragment.
  public init(parsing text: String, form: Bool = false) throws(Refusal) {
    try RoutePattern.inspect(Array(text.utf8))
    let link = try Link(parsing: text)
    if link.fragmentRange != nil {
      throw Refusal(.invalid, "a fragment; routes do not look at it, so leave \"#…\" out")
    }
    let split = SplitLink(link)
    var names = ParameterNames()
    let path = try RoutePattern.path(split, &names)
    let query = try RoutePattern.query(split, form, &names)
    self.init(
      text: text, form: form, parameters: names.all, scheme: link.scheme, host: link.host,
      port: link.effectivePort, prefix: Array(link.bytes[..<link.pathRange.lowerBound]),
      segments: path.segments,
      rest: path.rest, query: query)
  }

  /// What needs a better word than a link's own faults.
  private static func inspect(_ bytes: [UInt8]) throws(Refusal) {
    if bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) {
      throw Refusal(.invalid, "braces; in a route's link a parameter is written :name (a brace itself %7B)")
    }
    guard let authority = Link.authority(of: bytes).map({ bytes[$0] }), authority.first != UInt8(ascii: "[")
    else {
      return
    }
    let colon = authority.firstIndex(of: UInt8(ascii: ":"))
    let isParameter = colon.map { authority[authority.index(after: $0)...].contains(where: { !isDigit($0) }) }
    if isParameter ?? false || colon == authority.startIndex || authority.contains(UInt8(ascii: "*")) {
      throw Refusal(
        .invalid, "a parameter in the host's place; hosts have no case, so move it to the path or the query")
    }
  }

  private static func path(
    _ split: SplitLink, _ names: inout ParameterNames
  ) throws(Refusal) -> (segments: [Segment], rest: String?) {
    var segments: [Segment] = []
    for (index, range) in split.segments.enumerated() {
      let raw = Array(split.bytes[range])
      switch raw.first {
      case UInt8(ascii: ":"): segments.append(.parameter(try names.add(raw.dropFirst())))
      case UInt8(ascii: "*"):
        guard index == split.segments.count - 1 else {
          throw Refusal(.invalid, "\"*\" binds all of the remaining path, so nothing can follow it")
        }
        return (segments, try names.add(raw.dropFirst()))
      default:
        segments.append(.literal(raw: raw, decoded: PercentEncoding.decode(split.bytes, range)))
      }
    }
    return (segments, nil)
  }

  private static func query(
    _ split: SplitLink, _ form: Bool, _ names: inout ParameterNames
  ) throws(Refusal) -> [Requirement] {
    var query: [Requirement] = []
    for pair in split.pairs {
      let name = PercentEncoding.decode(split.bytes, pair.name, plusIsBlank: form)
      if query.contains(where: { $0.name == name }) {
        let key = printable(String(decoding: name, as: UTF8.self))
        throw Refusal(
          .invalid, "the query key \"\(key)\" twice; of a repeated key only the first ever counts")
      }
      query.append(
        Requirement(
          rawName: Array(split.bytes[pair.name]), name: name, value: try value(pair, split, form, &names)))
    }
    return query
  }

  private static func value(
    _ pair: SplitLink.Pair, _ split: SplitLink, _ form: Bool, _ names: inout ParameterNames
  ) throws(Refusal) -> Value {
    guard let range = pair.value else { return .literal(raw: nil, decoded: []) }
    let raw = Array(split.bytes[range])
    if raw.first == UInt8(ascii: ":") { return .parameter(try names.add(raw.dropFirst())) }
    if raw.first == UInt8(ascii: "*") {
      throw Refusal(.invalid, "\"*\" stands for the rest of a path only; a star itself is written %2A")
    }
    return .literal(raw: raw, decoded: PercentEncoding.decode(split.bytes, range, plusIsBlank: form))
  }
}

/// The names that a pattern binds, each a word and each once.
private struct ParameterNames {
  private(set) var all: [String] = []

  mutating func add(_ bytes: ArraySlice<UInt8>) throws(Refusal) -> String {
    let name = String(decoding: bytes, as: UTF8.self)
    guard isParameterName(bytes) else {
      throw Refusal(
        .invalid,
        "\"\(printable(name))\" is no parameter's name: a letter, then letters, digits and _ "
          + "(a colon itself is written %3A, a star %2A)")
    }
    if RunTemplate.reserved.contains(name) {
      throw Refusal(.invalid, "the name \"\(printable(name))\" has a meaning in run already; choose another")
    }
    if all.contains(name) {
      throw Refusal(.invalid, "the parameter \"\(printable(name))\" twice; give each its own name")
    }
    all.append(name)
    return name
  }
}

/// A letter or `_`, then letters, digits and `_`; ASCII, so that every comparison of names is one of bytes.
func isParameterName(_ bytes: some Collection<UInt8>) -> Bool {
  guard let first = bytes.first, !isDigit(first) else { return false }
  return bytes.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }
}
