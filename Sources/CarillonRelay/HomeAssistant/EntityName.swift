import CarillonModel

/// A name as Home Assistant can have it in identifiers: lower-case ASCII letters, digits and `_`.
struct EntityName: Hashable {
  /// What people see in the ids of entities. Two names may look the same here; Home Assistant then numbers them.
  let shown: String
  /// No other name's, so that nobody takes another's place. What `shown` would lose is told apart by a hash.
  let unique: String

  init(_ name: String) {
    let shown = String(decoding: name.utf8.map(EntityName.letter), as: UTF8.self)
    self.shown = shown
    // Of these there is one name for each text, and none has two underscores side by side.
    let isPlain = name.utf8.allSatisfy {
      EntityName.letter($0) == $0 && $0 != EntityName.line || $0 == EntityName.dash
    }
    if isPlain, !name.utf8.isEmpty, !shown.contains("__") {
      unique = shown
    } else {
      let hash = String(UInt64(bitPattern: fingerprint(Array(name.utf8))), radix: 16)
      unique = shown + "__" + hash
    }
  }

  private static let line = UInt8(ascii: "_")
  private static let dash = UInt8(ascii: "-")

  private static func letter(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte + 32
    default: line
    }
  }
}
