/// The name of a device, a group or a publisher: 1 to 64 of `A-Z a-z 0-9 . _ -`, case kept (protocol §1).
///
/// Names become topic levels, so nothing else is ever accepted; `all` is reserved.
public struct Name: Hashable, Comparable, Sendable, CustomStringConvertible {
  public static let lengthLimit = 64
  /// The word that stands for every device that has announced itself.
  public static let everyone = "all"

  public let text: String

  /// - Throws: `invalid`, saying which character or length is at fault.
  public init(_ text: String) throws(Refusal) {
    guard !text.isEmpty else { throw Refusal(.invalid, "a name must not be empty") }
    guard text.utf8.count <= Name.lengthLimit else {
      throw Refusal(.invalid, "a name has at most \(Name.lengthLimit) characters")
    }
    guard text.utf8.allSatisfy(Name.isAllowed) else {
      throw Refusal(
        .invalid, "\"\(printable(text))\" is not a name: only letters A-Z a-z, digits, \".\", \"_\" and \"-\""
      )
    }
    guard text != Name.everyone else {
      throw Refusal(.invalid, "\"all\" is reserved for every device")
    }
    self.text = text
  }

  /// The name at a place of a command or configuration.
  public init(_ text: String, at path: String) throws(Refusal) {
    do { try self.init(text) } catch { throw error.below(path) }
  }

  /// A name that the store holds, checked when it was written.
  public init(stored text: String) { self.text = text }

  public static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  public var description: String { text }
  public static func < (left: Name, right: Name) -> Bool { left.text < right.text }
}
