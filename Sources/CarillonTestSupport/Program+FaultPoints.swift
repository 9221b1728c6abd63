import FoundationEssentials

extension Program {
  /// Whether the built `carillon` holds fault points: only a debug build does.
  public static func hasFaultPoints() throws -> Bool {
    let path = try carillon()
    guard let bytes = FileManager.default.contents(atPath: path) else {
      throw TestFailure("cannot read \(path)")
    }
    return bytes.firstRange(of: Data("CARILLON_FAULT".utf8)) != nil
  }
}
