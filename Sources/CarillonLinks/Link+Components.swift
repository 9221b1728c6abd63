/// The parts of a link for people and logs. Bytes that are no UTF-8 show as U+FFFD here; a route refuses them.
extension Link {
  /// One `name=value` of a query.
  public struct QueryItem: Hashable, Sendable {
    /// Decoded; may be empty.
    public var name: String
    /// `nil` where the name stands without `=`; a route binds that as the empty text.
    public var value: String?

    /// A pair; `nil` for a name without `=`.
    public init(_ name: String, _ value: String?) {
      self.name = name
      self.value = value
    }
  }

  /// The path as it is written, escapes and all.
  public var rawPath: String { text(pathRange) }

  /// The path's segments, split first, then decoded once each. A trailing slash shows as an empty last one.
  public var pathSegments: [String] {
    SplitLink.segments(self).map { decoded($0) }
  }

  /// The query as it is written, without its question mark.
  public var rawQuery: String? { queryRange.map(text) }

  /// The fragment as it is written, without its `#`. Routes do not look at it.
  public var fragment: String? { fragmentRange.map(text) }

  /// The query's pairs in their order, repeated ones too; pairs without a byte in them are left out.
  ///
  /// - Parameter form: whether `+` means a blank (HTML forms). By default it is a plus, as RFC 3986 has it.
  public func query(form: Bool = false) -> [QueryItem] {
    SplitLink.pairs(self).map { pair in
      QueryItem(decoded(pair.name, form), pair.value.map { decoded($0, form) })
    }
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private func decoded(_ range: Range<Int>, _ form: Bool = false) -> String {
    String(decoding: PercentEncoding.decode(bytes, range, plusIsBlank: form), as: UTF8.self)
  }
}
