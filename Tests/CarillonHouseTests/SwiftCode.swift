/// A Swift file without its comments and without what its texts say: what the compiler acts on.
struct SwiftCode {
  /// Each line's code. Line numbers are those of the file, less one.
  let lines: [String]

  init(_ text: String) {
    var scanner = Scanner(rest: Array(text.utf8)[...])
    scanner.run()
    lines = scanner.code.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The modules that it imports, in whatever form the import is written.
  var imports: [String] {
    lines.filter { $0.contains("import") }.compactMap { line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
        words[..<place].allSatisfy({ $0.hasPrefix("@") || SwiftCode.accessLevels.contains($0) })
      else { return nil }
      let isOfOneName = SwiftCode.kinds.contains(words[place + 1]) && place + 2 < words.count
      return String(words[isOfOneName ? place + 2 : place + 1].prefix { $0 != "." && $0 != ";" })
    }
  }

  private static let accessLevels: Set<Substring> = [
    "public", "package", "internal", "fileprivate", "private",
  ]
  private static let kinds: Set<Substring> = [
    "struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor",
  ]
}

/// Goes over the bytes of a file once.
private struct Scanner {
  enum Place {
    case code
    case quoted
    /// A text over several lines.
    case block
    case lineComment
    /// How many block comments are open: they nest.
    case comment(Int)
  }

  var rest: ArraySlice<UInt8>
  private(set) var code: [UInt8] = []
  private var place = Place.code

  init(rest: ArraySlice<UInt8>) { self.rest = rest }

  mutating func run() {
    while let byte = rest.first {
      if byte == UInt8(ascii: "\n") {
        code.append(byte)
        rest.removeFirst()
        if case .lineComment = place { place = .code }
        continue
      }
      step(byte)
    }
  }

  private mutating func step(_ byte: UInt8) {
    switch place {
    case .code: stepInCode(byte)
    case .lineComment: rest.removeFirst()
    case .quoted, .block: stepInText(byte)
    case .comment(let depth):
      if take("*/") {
        place = depth == 1 ? .code : .comment(depth - 1)
      } else if take("/*") {
        place = .comment(depth + 1)
      } else {
        rest.removeFirst()
      }
    }
  }

  private mutating func stepInCode(_ byte: UInt8) {
    if byte == UInt8(ascii: "\"") {
      place = take("\"\"\"") ? .block : .quoted
      if case .quoted = place { rest.removeFirst() }
    } else if byte == UInt8(ascii: "/"), take("//") {
      place = .lineComment
    } else if byte == UInt8(ascii: "/"), take("/*") {
      place = .comment(1)
    } else {
      code.append(byte)
      rest.removeFirst()
    }
  }

  private mutating func stepInText(_ byte: UInt8) {
    if case .block = place, take("\"\"\"") {
      place = .code
    } else if byte == UInt8(ascii: "\\") {
      rest = rest.dropFirst(2)
    } else {
      if case .quoted = place, byte == UInt8(ascii: "\"") { place = .code }
      rest.removeFirst()
    }
  }

  private mutating func take(_ text: StaticString) -> Bool {
    let isThere = text.withUTF8Buffer { rest.starts(with: $0) }
    if isThere { rest = rest.dropFirst(text.utf8CodeUnitCount) }
    return isThere
  }
}
