import CarillonModel

extension RoutePattern {
  /// The link that binds these parameters: `match` gives exactly them back.
  ///
  /// - Throws: `invalid` for a parameter that is missing or unknown, and for a value that no link can carry in that
  ///   place: a lone `.` or `..` as a path segment, NUL, more than 8 KiB in all.
  public func link(for values: [String: String]) throws(Refusal) -> Link {
    for name in values.keys where !parameters.contains(name) {
      throw Refusal(.invalid, at: printable(name), "the link \"\(printable(text))\" has no such parameter")
    }
    for name in parameters where values[name] == nil {
      throw Refusal(.invalid, at: printable(name), "the link \"\(printable(text))\" needs this parameter")
    }
    var bytes = prefix
    printPath(values, into: &bytes)
    printQuery(values, into: &bytes)
    let link = try Link(parsing: String(decoding: bytes, as: UTF8.self))
    guard let back = try match(link), back.allSatisfy({ values[$0.key]?.isIdentical(to: $0.value) == true })
    else {
      throw Refusal(.invalid, "these parameters cannot be written as a link of this form")
    }
    return link
  }

  private func printPath(_ values: [String: String], into bytes: inout [UInt8]) {
    var pieces = segments.map { segment in
      switch segment {
      case .literal(let raw, _): raw
      case .parameter(let name): encoded(values[name] ?? "")
      }
    }
    if let rest, let value = values[rest], !value.isEmpty { pieces += restPieces(value) }
    guard let last = pieces.last else { return }
    if !isOpaque { bytes.append(UInt8(ascii: "/")) }
    bytes += pieces.joined(separator: [UInt8(ascii: "/")])
    // An empty last segment needs a slash of its own, since one trailing slash does not count.
    if last.isEmpty { bytes.append(UInt8(ascii: "/")) }
  }

  /// A remaining path, cut at its slashes. A dot segment, which no link may have, stays joined to its neighbour by an
  /// escaped slash; so does an empty beginning of an opaque path, which would read as a host.
  private func restPieces(_ value: String) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var wasDot = false
    let parts = value.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      let isDot = part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8)
      let opens = isOpaque && segments.isEmpty && pieces.first?.isEmpty == true
      if index > 0, isDot || wasDot || opens {
        PercentEncoding.escape(UInt8(ascii: "/"), into: &pieces[pieces.count - 1])
        PercentEncoding.encode(part, into: &pieces[pieces.count - 1])
      } else {
        pieces.append(encoded(part))
      }
      wasDot = isDot
    }
    return pieces
  }

  private func printQuery(_ values: [String: String], into bytes: inout [UInt8]) {
    for (index, requirement) in query.enumerated() {
      bytes.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
      bytes += requirement.rawName
      switch requirement.value {
      case .literal(nil, _): break
      case .literal(let raw?, _):
        bytes.append(UInt8(ascii: "="))
        bytes += raw
      case .parameter(let name):
        bytes.append(UInt8(ascii: "="))
        PercentEncoding.encode((values[name] ?? "").utf8, into: &bytes)
      }
    }
  }

  private func encoded(_ text: String) -> [UInt8] { encoded(text.utf8) }

  private func encoded(_ text: some Sequence<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    PercentEncoding.encode(text, into: &bytes)
    return bytes
  }
}
