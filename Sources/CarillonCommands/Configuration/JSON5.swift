import CarillonModel
import FoundationEssentials

/// Reads JSON5 text into the neutral tree that configuration is read from.
///
/// The values come from FoundationEssentials' decoder. It names no places and takes the last of two equal
/// keys, so `JSON5Places` goes over the text first.
enum JSON5 {
  /// - Throws: `JSON5Fault`, with line and column where they are known.
  static func read(_ bytes: [UInt8]) throws(JSON5Fault) -> (value: JSON, places: JSON5Places) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw JSON5Fault(message: "not valid UTF-8", line: 0, column: 0)
    }
    let places = try JSON5Places(text)
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    do {
      // Behind a number that ends the text the decoder looks at bytes that are not its own: there must be one of ours.
      let ended = bytes + [UInt8(ascii: "\n")]
      return (try decoder.decode(DecodedJSON.self, from: Data(ended)).value, places)
    } catch let fault as DecodingError {
      throw JSON5Fault(fault, places)
    } catch {
      throw JSON5Fault(message: "not valid JSON5", line: 0, column: 0)
    }
  }
}

/// Why a text is not JSON5, and where.
struct JSON5Fault: Error, Hashable, Sendable {
  let message: String
  /// Counted from 1; 0 where there is no place to name.
  let line: Int
  let column: Int
}

/// The bridge from `Decodable` to the neutral tree.
private struct DecodedJSON: Decodable {
  let value: JSON

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let object = try? decoder.container(keyedBy: Name.self) {
      // The decoder keeps no order; sorted, the same file always gives the same message.
      let names = object.allKeys.sorted { $0.stringValue < $1.stringValue }
      value = .object(
        JSONObject(
          try names.map {
            JSONObject.Member($0.stringValue, try object.decode(DecodedJSON.self, forKey: $0).value)
          }))
    } else if var list = try? decoder.unkeyedContainer() {
      var elements: [JSON] = []
      while !list.isAtEnd { elements.append(try list.decode(DecodedJSON.self).value) }
      value = .array(elements)
    } else {
      value = try DecodedJSON.scalar(try decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSON {
    if container.decodeNil() { return .null }
    if let flag = try? container.decode(Bool.self) { return .bool(flag) }
    if let whole = try? container.decode(Int64.self) { return .integer(whole) }
    if let number = try? container.decode(Double.self) {
      guard number.isFinite else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a finite number")
      }
      return .number(number)
    }
    return .string(try container.decode(String.self))
  }
}

extension JSON5Fault {
  /// The decoder's fault, placed where the text has the value that it names.
  fileprivate init(_ fault: DecodingError, _ places: JSON5Places) {
    guard case .dataCorrupted(let context) = fault, !context.codingPath.isEmpty else {
      self.init(message: "not valid JSON5", line: 0, column: 0)
      return
    }
    let path = context.codingPath.reduce(into: "") { path, step in
      if let index = step.intValue {
        path += "[\(index)]"
      } else {
        path += path.isEmpty ? step.stringValue : "." + step.stringValue
      }
    }
    let place = places[path]
    self.init(
      message: "\(printable(path)): \(context.debugDescription)", line: place?.line ?? 0,
      column: place?.column ?? 0)
  }
}
