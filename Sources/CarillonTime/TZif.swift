import CarillonModel

/// Why the bytes of a file are not a zone.
public enum ZoneFault: Error, Hashable, Sendable {
  /// It does not begin as a TZif file does.
  case notTZif
  /// It ends before its header says that it does.
  case truncated
  /// It says something that no zone can mean.
  case damaged(String)
  /// Its times count leap seconds, which POSIX time does not.
  case leapSeconds
}

extension ZoneFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notTZif: "not a time zone file"
    case .truncated: "the file ends too early"
    case .damaged(let what): "the file is damaged: \(what)"
    case .leapSeconds: "its times count leap seconds"
    }
  }
}

extension Zone {
  /// Reads a compiled zone, versions 1 to 4 (RFC 9636): the 64-bit block and the footer where there are any. Whatever the
  /// bytes are, the time and the memory that this takes are bounded by their number, and nothing traps.
  ///
  /// - Throws: `ZoneFault`.
  public init(name: String, tzif bytes: [UInt8]) throws(ZoneFault) {
    var reader = TZifReader(bytes: bytes)
    var header = try reader.header()
    guard header.version >= 2 else {
      self = try reader.zone(name: name, header, timeSize: 4, footer: false)
      return
    }
    try reader.skip(header.length(timeSize: 4))
    header = try reader.header()
    self = try reader.zone(name: name, header, timeSize: 8, footer: true)
  }
}

/// Reads big-endian numbers, each checked against the end.
private struct TZifReader {
  let bytes: [UInt8]
  private var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// A block's header (RFC 9636 §3.1): how many of each follow.
  struct Header {
    var version: Int
    var utcIndicators: Int
    var standardIndicators: Int
    var leapSeconds: Int
    var transitions: Int
    var types: Int
    var characters: Int

    func length(timeSize: Int) -> Int {
      transitions * (timeSize + 1) + types * 6 + characters + leapSeconds * (timeSize + 4)
        + standardIndicators + utcIndicators
    }
  }

  /// Over any real file: the longest table that tzdata has ever had is a few hundred long.
  private static let mostTransitions = 10_000

  mutating func header() throws(ZoneFault) -> Header {
    guard bytes.count - position >= 5, bytes[position..<position + 4].elementsEqual("TZif".utf8) else {
      throw .notTZif
    }
    let mark = bytes[position + 4]
    // A version that is not known yet is read as the newest that is: RFC 9636 promises as much.
    let version = mark == 0 ? 1 : Int(mark) - Int(UInt8(ascii: "0"))
    guard mark == 0 || (2...9).contains(version) else { throw .damaged("unknown version") }
    try skip(20)
    var counts: [Int] = []
    for _ in 0..<6 { counts.append(Int(UInt32(truncatingIfNeeded: try integer(4)))) }
    let header = Header(
      version: version, utcIndicators: counts[0], standardIndicators: counts[1], leapSeconds: counts[2],
      transitions: counts[3], types: counts[4], characters: counts[5])
    guard header.length(timeSize: 4) <= bytes.count else { throw .truncated }
    return header
  }

  mutating func skip(_ count: Int) throws(ZoneFault) {
    guard count <= bytes.count - position else { throw .truncated }
    position += count
  }

  private mutating func integer(_ size: Int) throws(ZoneFault) -> Int64 {
    let start = position
    try skip(size)
    var value: Int64 = Int8(bitPattern: bytes[start]) < 0 ? -1 : 0
    for byte in bytes[start..<position] { value = value << 8 | Int64(byte) }
    return value
  }

  mutating func zone(
    name: String, _ header: Header, timeSize: Int, footer: Bool
  ) throws(ZoneFault) -> Zone {
    guard header.length(timeSize: timeSize) <= bytes.count - position else { throw .truncated }
    guard header.leapSeconds == 0 else { throw .leapSeconds }
    guard header.types >= 1, header.types <= 256 else { throw .damaged("number of offsets") }
    guard header.transitions <= TZifReader.mostTransitions else { throw .damaged("too many transitions") }
    let transitions = try times(header.transitions, size: timeSize)
    let kinds = Array(bytes[position..<position + header.transitions])
    guard kinds.allSatisfy({ Int($0) < header.types }) else { throw .damaged("offset of a transition") }
    try skip(header.transitions)
    let offsets = try types(header)
    try skip(header.standardIndicators + header.utcIndicators)
    let rule = footer ? try rule() : nil
    return Zone(name: name, transitions: transitions, kinds: kinds, offsets: offsets, rule: rule)
  }

  private mutating func times(_ count: Int, size: Int) throws(ZoneFault) -> [Int64] {
    var times: [Int64] = []
    times.reserveCapacity(count)
    for _ in 0..<count {
      let time = try integer(size)
      if let last = times.last, time <= last { throw .damaged("transitions out of order") }
      times.append(time)
    }
    return times
  }

  private mutating func types(_ header: Header) throws(ZoneFault) -> [Zone.Offset] {
    let characters = position + header.types * 6
    let end = characters + header.characters
    var offsets: [Zone.Offset] = []
    for _ in 0..<header.types {
      let seconds = try integer(4)
      let isDaylight = try integer(1)
      let start = characters + Int(UInt8(truncatingIfNeeded: try integer(1)))
      guard Zone.offsetRange.contains(seconds), (0...1).contains(isDaylight) else {
        throw .damaged("offset out of range")
      }
      guard start < end, let stop = bytes[start..<end].firstIndex(of: 0) else {
        throw .damaged("abbreviation without an end")
      }
      guard bytes[start..<stop].allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw .damaged("abbreviation")
      }
      offsets.append(
        Zone.Offset(
          seconds: Int(seconds), abbreviation: String(decoding: bytes[start..<stop], as: UTF8.self),
          isDaylight: isDaylight == 1))
    }
    try skip(header.characters)
    return offsets
  }

  /// The footer: the rule between two line feeds; it may be empty.
  private mutating func rule() throws(ZoneFault) -> PosixRule? {
    guard position < bytes.count, bytes[position] == 0x0A,
      let end = bytes[(position + 1)...].firstIndex(of: 0x0A)
    else { throw .truncated }
    let text = bytes[(position + 1)..<end]
    if text.isEmpty { return nil }
    guard let rule = PosixRule(text) else { throw .damaged("rule for the years to come") }
    return rule
  }
}
