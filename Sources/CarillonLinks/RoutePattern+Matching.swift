import CarillonModel

extension RoutePattern {
  /// What the pattern binds in a link; `nil` where it does not match.
  ///
  /// A link whose path ends in a slash is tried without it first. Only when that fails does the empty segment after
  /// the slash count, so `myapp://note/` still binds an empty title in `myapp://note/:title`.
  ///
  /// - Throws: `invalid` where the link matches but a parameter is no UTF-8 once decoded, or holds NUL: such a link is
  ///   refused rather than left to the next route, whose author did not mean it.
  public func match(_ link: Link) throws(Refusal) -> [String: String]? {
    guard hasOrigin(of: link) else { return nil }
    let split = SplitLink(link)
    if fits(split, split.segments.count) { return try bind(split) }
    if split.trailing != nil, fits(split, split.segments.count + 1) { return try bind(split) }
    return nil
  }

  func hasOrigin(of link: Link) -> Bool {
    scheme == link.scheme && host == link.host && port == link.effectivePort
  }

  /// Whether path and query match, `count` segments taken: all, or one more for the empty one after a trailing slash.
  func fits(_ split: SplitLink, _ count: Int) -> Bool {
    guard rest == nil ? count == segments.count : count >= segments.count else { return false }
    for (index, segment) in segments.enumerated() {
      guard case .literal(_, let decoded) = segment else { continue }
      let range = index < split.segments.count ? split.segments[index] : 0..<0
      if !PercentEncoding.decodes(split.bytes, range, to: decoded) { return false }
    }
    return query.allSatisfy { isMet($0, in: split) }
  }

  private func isMet(_ requirement: Requirement, in split: SplitLink) -> Bool {
    guard let pair = split.first(requirement.name, plusIsBlank: form) else { return false }
    switch requirement.value {
    case .parameter: return true
    case .literal(_, let decoded):
      return PercentEncoding.decodes(split.bytes, pair.value ?? 0..<0, to: decoded, plusIsBlank: form)
    }
  }

  /// The parameters of a link that fits.
  func bind(_ split: SplitLink) throws(Refusal) -> [String: String] {
    guard !parameters.isEmpty else { return [:] }
    var bound = [String: String](minimumCapacity: parameters.count)
    for (index, segment) in segments.enumerated() {
      guard case .parameter(let name) = segment else { continue }
      let range = index < split.segments.count ? split.segments[index] : 0..<0
      bound[name] = try text(PercentEncoding.decode(split.bytes, range), of: name)
    }
    if let rest { bound[rest] = try text(remaining(split), of: rest) }
    for requirement in query {
      guard case .parameter(let name) = requirement.value else { continue }
      let value = split.first(requirement.name, plusIsBlank: form)?.value ?? 0..<0
      bound[name] = try text(PercentEncoding.decode(split.bytes, value, plusIsBlank: form), of: name)
    }
    return bound
  }

  /// The segments after the pattern's own, each decoded once, joined by slashes.
  private func remaining(_ split: SplitLink) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, range) in split.segments.dropFirst(segments.count).enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: "/")) }
      bytes += PercentEncoding.decode(split.bytes, range)
    }
    return bytes
  }

  private func text(_ bytes: [UInt8], of name: String) throws(Refusal) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Refusal(.invalid, "the link's \"\(printable(name))\" is no UTF-8 text once decoded")
    }
    if bytes.contains(0) {
      throw Refusal(.invalid, "the link's \"\(printable(name))\" holds a NUL")
    }
    return text
  }
}
