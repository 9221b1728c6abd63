/// A whole-value pattern (protocol §3): `*` stands for any run of characters, also none; everything else for itself.
///
/// There is no escape: a `*` in a value is matched by a `*` in the pattern, as anything is.
public struct Pattern: Hashable, Sendable {
  public let text: String

  public init(_ text: String) {
    self.text = text
  }
}
