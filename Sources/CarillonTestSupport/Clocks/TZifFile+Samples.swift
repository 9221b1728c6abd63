extension TZifFile {
  /// With everything that a file can have but leap seconds.
  public static let rich = TZifFile(
    version: UInt8(ascii: "3"), transitions: [(-3_000_000_000, 1), (0, 2), (1_000_000_000, 1)],
    kinds: [
      .init(seconds: 1234), .init(seconds: 3600, abbreviation: 4),
      .init(seconds: 7200, isDaylight: 1, abbreviation: 8),
    ], characters: "LMT\u{0}XST\u{0}XDT\u{0}", standardIndicators: [0, 1, 0], utcIndicators: [0, 1, 0],
    footer: "XST-1XDT,M3.5.0,M10.5.0/3")

  /// Of version 1, with times of 32 bits and no footer.
  public static let old = TZifFile(
    version: 0, transitions: [(-2_000_000_000, 1), (0, 0)],
    kinds: [.init(seconds: 1234), .init(seconds: -3600)])
}
