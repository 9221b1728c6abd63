import CarillonModel

/// A request's `url` (protocol §3): a link in which `{id}`, `{due}`, `{device}` and `{delivery}` are filled in at
/// each firing, with everything but RFC 3986 unreserved characters percent-encoded.
///
/// A placeholder may stand in path, query and fragment; `{device}` also in the host, whose names are harmless there.
/// A filled link is checked like any other, so `LinkPolicy` has its say about it at each firing.
public struct LinkTemplate: Hashable, Sendable {
  /// What can be filled in.
  public enum Placeholder: String, Sendable, CaseIterable {
    case id, due, device, delivery
  }

  private enum Part: Hashable {
    case text([UInt8])
    case value(Placeholder)
  }

  /// As it was given.
  public let text: String
  /// Those that occur, so that a caller need not work out what nobody asks for.
  public let placeholders: Set<Placeholder>
  private let parts: [Part]
  /// The link itself, where nothing is to be filled in.
  private let constant: Link?

  /// Reads a template, and tries it with values.
  ///
  /// - Throws: `invalid` for braces around anything else, for a placeholder that would choose the scheme or the host,
  ///   and for whatever `Link` refuses once the gaps are filled.
  public init(parsing text: String) throws(Refusal) {
    self.text = text
    let bytes = Array(text.utf8)
    guard bytes.contains(where: { $0 == UInt8(ascii: "{") || $0 == UInt8(ascii: "}") }) else {
      constant = try Link(parsing: text)
      parts = []
      placeholders = []
      return
    }
    constant = nil
    parts = try LinkTemplate.parts(bytes)
    placeholders = Set(
      parts.compactMap { part in
        if case .value(let placeholder) = part { placeholder } else { nil }
      })
    _ = try sample(id: "id")
  }

  /// The link of one firing.
  ///
  /// - Parameter due: RFC 3339 in whole seconds.
  /// - Throws: `invalid` where the values make it something that is no link: a dot segment, over 8 KiB.
  public func link(id: String, due: String, device: String, delivery: String) throws(Refusal) -> Link {
    if let constant { return constant }
    var filled: [UInt8] = []
    for part in parts {
      switch part {
      case .text(let text): filled += text
      case .value(.id): PercentEncoding.encode(id.utf8, into: &filled)
      case .value(.due): PercentEncoding.encode(due.utf8, into: &filled)
      case .value(.device): PercentEncoding.encode(device.utf8, into: &filled)
      case .value(.delivery): PercentEncoding.encode(delivery.utf8, into: &filled)
      }
    }
    return try Link(parsing: String(decoding: filled, as: UTF8.self))
  }

  /// The link of a firing yet to come, with values as long as they can get: what is refused at acceptance need not
  /// fail when it is due.
  public func sample(id: String) throws(Refusal) -> Link {
    try link(
      id: id, due: "2026-12-01T19:00:00+01:00", device: LinkTemplate.longestName,
      delivery: LinkTemplate.longestName)
  }

  /// Names have at most 64 characters (protocol §1).
  private static let longestName = String(repeating: "x", count: 64)
}

extension LinkTemplate {
  private static func parts(_ bytes: [UInt8]) throws(Refusal) -> [Part] {
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    let authority = Link.authority(of: bytes) ?? colon..<colon
    var parts: [Part] = []
    var start = 0
    while let open = bytes[start...].firstIndex(where: isBrace) {
      let close = bytes[open...].firstIndex(of: UInt8(ascii: "}")) ?? bytes.count
      let name = String(decoding: bytes[open..<close].dropFirst(), as: UTF8.self)
      guard bytes[open] == UInt8(ascii: "{"), close < bytes.count,
        let placeholder = Placeholder(rawValue: name)
      else { throw unknown(name) }
      if open < colon || (authority.contains(open) && placeholder != .device) {
        throw Refusal(.invalid, "{\(name)} may not choose the scheme or the host of a link")
      }
      if open > start { parts.append(.text(Array(bytes[start..<open]))) }
      parts.append(.value(placeholder))
      start = close + 1
    }
    if start < bytes.count { parts.append(.text(Array(bytes[start...]))) }
    return parts
  }

  private static func isBrace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}")
  }

  private static func unknown(_ name: String) -> Refusal {
    let known = Placeholder.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
    let near = nearest(to: name, among: Placeholder.allCases.map(\.rawValue)).map {
      "; did you mean {\($0)}?"
    }
    return Refusal(
      .invalid,
      "braces stand around \(known) only\(near ?? ""); a brace itself is written %7B or %7D")
  }
}
