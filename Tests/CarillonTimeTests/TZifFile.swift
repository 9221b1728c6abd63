/// A compiled zone to write (RFC 9636 §3), right or wrong.
struct TZifFile {
  struct Kind {
    var seconds: Int32 = 3600
    var isDaylight: UInt8 = 0
    /// The place of its abbreviation in `characters`.
    var abbreviation: UInt8 = 0
  }

  /// 0 for version 1, which has one block, with times of 32 bits, and no footer; else the digit's code.
  var version = UInt8(ascii: "2")
  var transitions: [(time: Int64, kind: UInt8)] = []
  var kinds = [Kind()]
  var characters = "XST\u{0}"
  var leapSeconds: [(time: Int64, correction: Int32)] = []
  var standardIndicators: [UInt8] = []
  var utcIndicators: [UInt8] = []
  /// Between the line feeds.
  var footer = "XST-1"
  /// The whole first block of version 2 and later, of which readers of 64 bits make no use; `nil`: a sound one.
  var firstBlock: [UInt8]?

  var bytes: [UInt8] {
    guard version != 0 else { return block(timeSize: 4) }
    return (firstBlock ?? TZifFile(version: version).block(timeSize: 4)) + block(timeSize: 8)
      + Array("\n\(footer)\n".utf8)
  }

  /// Only a header, with the number of UTC and standard indicators, leap seconds, transitions, kinds and characters.
  static func header(version: UInt8, counts: [UInt32]) -> [UInt8] {
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
