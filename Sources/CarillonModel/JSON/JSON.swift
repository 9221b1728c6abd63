/// A JSON value (RFC 8259) as it was written: members keep their order, whole numbers stay whole.
public enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object(JSONObject)
}

/// A JSON object: members in the order in which they were written, each name once.
public struct JSONObject: Hashable, Sendable {
  public struct Member: Hashable, Sendable {
    public var name: String
    public var value: JSON

    public init(_ name: String, _ value: JSON) {
      self.name = name
      self.value = value
    }
  }

  public private(set) var members: [Member]

  public init(_ members: [Member] = []) {
    self.members = members
  }

  /// The member of that name. Objects are small, so the search is a walk.
  /// Names are compared byte for byte, as everything in the protocol: no Unicode normalisation.
  public subscript(name: String) -> JSON? {
    get {
      for member in members where member.name.isIdentical(to: name) { return member.value }
      return nil
    }
    set {
      if let place = members.firstIndex(where: { $0.name.isIdentical(to: name) }) {
        if let newValue {
          members[place].value = newValue
        } else {
          members.remove(at: place)
        }
      } else if let newValue {
        members.append(Member(name, newValue))
      }
    }
  }

  /// Adds a member that is known not to be there yet.
  public mutating func append(_ name: String, _ value: JSON) {
    members.append(Member(name, value))
  }

  public mutating func reserveCapacity(_ count: Int) {
    members.reserveCapacity(count)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self.init(elements.map { Member($0.0, $0.1) })
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(arrayLiteral elements: JSON...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(JSONObject(elements.map { JSONObject.Member($0.0, $0.1) }))
  }
  public init(nilLiteral: ()) { self = .null }
}

extension JSON {
  /// What the value is, in the words of error messages.
  public var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .number: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// The text, where the value is one.
  public var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The member of that name, where the value is an object that has it.
  public subscript(name: String) -> JSON? {
    if case .object(let object) = self { object[name] } else { nil }
  }

  /// The elements, where the value is a list.
  public var elements: [JSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }
}

extension String {
  /// Byte-for-byte equality. Swift's `==` calls two spellings of one character equal; identifiers, keys and
  /// topics are different as soon as one byte is.
  public func isIdentical(to other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in left.elementsEqual(right) }
    }
    return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
  }
}
