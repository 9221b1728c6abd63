import CarillonModel

extension LinkPolicy {
  /// The relay's `links: { schemes, hosts, deny }` (protocol §9); what is not given is as in `relayDefault`.
  public static func relay(reading links: Fields?) throws(Refusal) -> LinkPolicy {
    guard let links else { return .relayDefault }
    try links.allow(only: ["schemes", "hosts", "deny"])
    return LinkPolicy(
      schemes: try schemes(links, "schemes"), hosts: try hosts(links, "hosts"),
      deny: try schemes(links, "deny") ?? deniedByDefault)
  }

  /// A list of schemes from configuration, in lower case; `nil` where there is none. A colon at the end is forgiven.
  ///
  /// - Throws: `invalid` at the element that is no scheme.
  public static func schemes(_ fields: Fields, _ name: String) throws(Refusal) -> Set<String>? {
    guard let texts = try fields.strings(name) else { return nil }
    var schemes: Set<String> = []
    for (index, text) in texts.enumerated() {
      var bytes = text.utf8.map(lowercased)
      if bytes.last == UInt8(ascii: ":") { bytes.removeLast() }
      guard Link.isScheme(bytes) else {
        throw fields.refusal("\(name)[\(index)]", "no scheme; write just its name, such as \"https\"")
      }
      schemes.insert(String(decoding: bytes, as: UTF8.self))
    }
    return schemes
  }

  /// A list of web hosts from configuration, in the form of `Link.host`; `nil` where there is none.
  ///
  /// - Throws: `invalid` at the element that is no host. Patterns are none: each host is listed by itself.
  public static func hosts(_ fields: Fields, _ name: String) throws(Refusal) -> Set<String>? {
    guard let texts = try fields.strings(name) else { return nil }
    var hosts: Set<String> = []
    for (index, text) in texts.enumerated() {
      guard let link = try? Link(parsing: "https://\(text)"), let host = link.host, link.port == nil,
        link.bytes.count == link.pathRange.lowerBound, link.queryRange == nil, link.fragmentRange == nil
      else {
        throw fields.refusal(
          "\(name)[\(index)]", "no host; write a name such as \"example.org\", without scheme, port or path")
      }
      hosts.insert(host)
    }
    return hosts
  }
}
