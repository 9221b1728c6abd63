/// A compiled zone to write (RFC 9636 §3), right or wrong.
public struct TZifFile: Sendable {
  public struct Kind: Sendable {
    public var seconds: Int32
    public var isDaylight: UInt8
    /// The place of its abbreviation in `characters`.
    public var abbreviation: UInt8

    public init(seconds: Int32 = 3600, isDaylight: UInt8 = 0, abbreviation: UInt8 = 0) {
      (self.seconds, self.isDaylight, self.abbreviation) = (seconds, isDaylight, abbreviation)
    }
  }

  /// 0 for version 1, which has one block, with times of 32 bits, and no footer; else the digit's code.
  public var version: UInt8
  public var transitions: [(time: Int64, kind: UInt8)]
  public var kinds: [Kind]
  public var characters: String
  public var leapSeconds: [(time: Int64, correction: Int32)]
  public var standardIndicators: [UInt8]
  public var utcIndicators: [UInt8]
  /// Between the line feeds.
  public var footer: String
  /// The whole first block of version 2 and later, of which readers of 64 bits make no use; `nil`: a sound one.
  public var firstBlock: [UInt8]?

  public init(
    version: UInt8 = UInt8(ascii: "2"), transitions: [(time: Int64, kind: UInt8)] = [],
    kinds: [Kind] = [Kind()], characters: String = "XST\u{0}",
    leapSeconds: [(time: Int64, correction: Int32)] = [], standardIndicators: [UInt8] = [],
    utcIndicators: [UInt8] = [], footer: String = "XST-1", firstBlock: [UInt8]? = nil
  ) {
    self.version = version
    self.transitions = transitions
    self.kinds = kinds
    self.characters = characters
    self.leapSeconds = leapSeconds
    self.standardIndicators = standardIndicators
    self.utcIndicators = utcIndicators
    self.footer = footer
    self.firstBlock = firstBlock
  }

  public var bytes: [UInt8] {
    guard version != 0 else { return block(timeSize: 4) }
    return (firstBlock ?? TZifFile(version: version).block(timeSize: 4)) + block(timeSize: 8)
      + Array("\n\(footer)\n".utf8)
  }

  /// Only a header, with the number of UTC and standard indicators, leap seconds, transitions, kinds and characters.
  public static func header(version: UInt8, counts: [UInt32]) -> [UInt8] {
    Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
      + counts.flatMap { integer(Int64($0), size: 4) }
  }

  private func block(timeSize: Int) -> [UInt8] {
    let counts = [
      utcIndicators.count, standardIndicators.count, leapSeconds.count, transitions.count, kinds.count,
      characters.utf8.count,
    ]
    return TZifFile.header(version: version, counts: counts.map(UInt32.init))
      + transitions.flatMap { TZifFile.integer($0.time, size: timeSize) } + transitions.map(\.kind)
      + kinds.flatMap { TZifFile.integer(Int64($0.seconds), size: 4) + [$0.isDaylight, $0.abbreviation] }
      + characters.utf8
      + leapSeconds.flatMap {
        TZifFile.integer($0.time, size: timeSize) + TZifFile.integer(Int64($0.correction), size: 4)
      } + standardIndicators + utcIndicators
  }

  private static func integer(_ value: Int64, size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> Int64(8 * (size - 1 - $0))) }
  }
}
