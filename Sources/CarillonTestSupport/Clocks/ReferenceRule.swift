/// A rule and its firings as another implementation finds them, from a file of `Tests/Reference`.
public struct ReferenceRule: Sendable {
  public var zone: String
  /// Where firings are looked for from, in seconds of POSIX time.
  public var start: Int64
  public var rule: String
  /// In seconds of POSIX time.
  public var firings: [Int64]

  public init?(_ line: Substring) {
    let parts = line.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count == 4, let start = Int64(parts[1], radix: 36) else { return nil }
    zone = String(parts[0])
    self.start = start
    rule = String(parts[2])
    firings = []
    var last = start
    for step in parts[3].split(separator: " ") {
      last += Int64(step.filter { $0 != "!" }, radix: 36) ?? 0
      firings.append(last)
    }
  }
}
