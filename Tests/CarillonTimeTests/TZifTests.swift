import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonTime

/// What RFC 9636 says of compiled zones.
struct TZifTests {
  private typealias Kind = TZifFile.Kind

  private func zone(_ file: TZifFile) throws(ZoneFault) -> Zone { try Zone(name: "X", tzif: file.bytes) }

  private func abbreviation(_ zone: Zone, at seconds: Int64) -> String {
    zone.offset(at: WallTime(seconds: seconds)).abbreviation
  }

  /// Two kinds of time, `AAA` and `BBB` an hour east, of which the second begins at an instant.
  private func change(at time: Int64, version: UInt8 = UInt8(ascii: "2"), footer: String = "") -> TZifFile {
    TZifFile(
      version: version, transitions: [(time, 1)],
      kinds: [Kind(seconds: 0), Kind(seconds: 3600, isDaylight: 1, abbreviation: 4)],
      characters: "AAA\u{0}BBB\u{0}", footer: footer)
  }

  @Test(arguments: ["2", "3", "4", "5", "9"] as [Unicode.Scalar])
  func `Every version is read, and one to come as the newest that is known`(version: Unicode.Scalar) throws {
    let offset = try zone(TZifFile(version: UInt8(ascii: version), footer: "<+01>-1")).offset(
      at: WallTime(milliseconds: 0))
    #expect(offset == Zone.Offset(seconds: 3600, abbreviation: "+01", isDaylight: false))
  }

  @Test func `Version 1 has times of 32 bits and no rule; its last offset holds`() throws {
    let zone = try zone(change(at: -2_147_483_648, version: 0))
    #expect(abbreviation(zone, at: -2_147_483_649) == "AAA")
    #expect(abbreviation(zone, at: -2_147_483_648) == "BBB")
    #expect(abbreviation(zone, at: .max / 1000) == "BBB")
    #expect(zone.nextTransition(after: WallTime(milliseconds: 0)) == nil)
  }

  @Test func `Whatever follows version 1 is not read`() throws {
    _ = try Zone(name: "X", tzif: change(at: 0, version: 0).bytes + [1, 2, 3])
  }

  @Test(arguments: [
    TZifFile.header(version: 50, counts: [0, 0, 0, 0, 0, 0]),
    TZifFile.header(version: 50, counts: [0, 0, 0, 1, 1, 1]) + [UInt8](repeating: 0xFF, count: 12),
    TZifFile.header(version: 50, counts: [0, 0, 1, 0, 0, 0]) + [4, 0xB2, 0x58, 0, 0, 0, 0, 1],
  ])
  func `Of the first block only its length counts where a second follows`(first: [UInt8]) throws {
    let zone = try zone(TZifFile(footer: "XST-1", firstBlock: first))
    #expect(zone.offset(at: WallTime(milliseconds: 0)).seconds == 3600)
  }

  @Test(arguments: [-576_460_752_303_423_488, -3_000_000_000, 0, 3_000_000_000, Int64.max / 1000])
  func `A transition begins with its second, wherever on the axis`(time: Int64) throws {
    let zone = try zone(change(at: time))
    #expect(zone.stretch(at: time - 1).offset.abbreviation == "AAA")
    #expect(zone.stretch(at: time - 1).end == time)
    #expect(
      zone.stretch(at: time).offset == Zone.Offset(seconds: 3600, abbreviation: "BBB", isDaylight: true))
    #expect(zone.stretch(at: time).end == nil)
  }

  /// RFC 9636 §3.2, unlike POSIX systems of old, which took the first offset that is standard time.
  @Test func `Before the first transition the first offset holds, even daylight saving time`() throws {
    var file = change(at: 1000)
    file.kinds.swapAt(0, 1)
    #expect(abbreviation(try zone(file), at: 999) == "BBB")
    #expect(abbreviation(try zone(file), at: 1000) == "AAA")
  }

  @Test func `Without transitions the rule holds at all times, or without it the first offset`() throws {
    for time in [-3_000_000_000, 0, 5_000_000_000] as [Int64] {
      #expect(abbreviation(try zone(TZifFile(footer: "YST-2")), at: time) == "YST")
      #expect(abbreviation(try zone(TZifFile(footer: "")), at: time) == "XST")
    }
  }

  @Test func `The rule holds from the last transition on`() throws {
    let zone = try zone(change(at: 1_000_000_000, footer: "AAA0BBB,M3.5.0,M10.5.0"))
    #expect(abbreviation(zone, at: 999_999_999) == "AAA")
    #expect(abbreviation(zone, at: 1_000_000_000) == "BBB")
    #expect(
      zone.nextTransition(after: WallTime(seconds: 1_000_000_000)) == (try instant("2001-10-28T01:00:00Z")))
  }

  @Test func `Without a rule the last offset holds`() throws {
    let zone = try zone(change(at: 0))
    #expect(abbreviation(zone, at: .max / 1000) == "BBB")
    #expect(zone.nextTransition(after: WallTime(milliseconds: 0)) == nil)
  }

  @Test(arguments: [
    // RFC 9636 §3.3.2: hours from -167 to 167, here for Greenland's clocks before 2023.
    ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "2018-03-25T00:59:59Z", "-03"),
    ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "2018-03-25T01:00:00Z", "-02"),
    ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "2018-10-28T00:59:59Z", "-02"),
    ("<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "2018-10-28T01:00:00Z", "-03"),
    // An hour short of a week after Thursday, 25 March.
    ("XST-1XDT,M3.4.4/167,M10.4.4/50", "2027-03-31T21:59:59Z", "XST"),
    ("XST-1XDT,M3.4.4/167,M10.4.4/50", "2027-03-31T22:00:00Z", "XDT"),
    // Daylight saving time all the year, as §3.3.2 writes it.
    ("XXX3EDT4,0/0,J365/23", "2027-01-01T02:59:59Z", "EDT"),
    ("XXX3EDT4,0/0,J365/23", "2028-12-31T23:59:59Z", "EDT"),
    ("XXX3EDT4,0/0,J365/23", "2029-01-01T03:00:00Z", "EDT"),
  ])
  func `A rule may say more than POSIX's`(rule: String, time: String, abbreviation: String) throws {
    let zone = try zone(TZifFile(version: UInt8(ascii: "3"), footer: rule))
    #expect(zone.offset(at: try instant(time)).abbreviation == abbreviation)
  }

  @Test func `Indicators are passed over`() throws {
    var file = change(at: 0, footer: "CCC-2")
    file.standardIndicators = [0, 1]
    file.utcIndicators = [0, 1]
    #expect(abbreviation(try zone(file), at: 0) == "CCC")
  }

  @Test func `An abbreviation may be the end of another`() throws {
    var file = change(at: 0)
    file.characters = "XAAA\u{0}"
    file.kinds[0].abbreviation = 0
    file.kinds[1].abbreviation = 1
    #expect(abbreviation(try zone(file), at: -1) == "XAAA")
    #expect(abbreviation(try zone(file), at: 0) == "AAA")
  }

  @Test func `As many offsets as a byte can tell apart are read`() throws {
    var file = change(at: 0)
    file.kinds = (0..<256).map { Kind(seconds: $0) }
    file.transitions = [(0, 255)]
    #expect(try zone(file).offset(at: WallTime(milliseconds: 0)).seconds == 255)
  }

  /// Those of version 4 may begin anywhere (§3.2's truncation) and end with an expiration, which repeats the correction.
  @Test(
    arguments: [
      [(78_796_800, 1)], [(78_796_800, 1), (94_694_401, 2)], [(1_483_228_826, 27)],
      [(1_483_228_826, 27), (1_750_636_827, 27)],
    ] as [[(time: Int64, correction: Int32)]])
  func `A table that counts leap seconds is refused`(table: [(time: Int64, correction: Int32)]) {
    for version in [0, UInt8(ascii: "2"), UInt8(ascii: "4")] {
      #expect(throws: ZoneFault.leapSeconds) { try zone(TZifFile(version: version, leapSeconds: table)) }
    }
  }

  @Test func `Every installed zone is read`() throws {
    let database = ZoneDatabase(directory: ZoneDatabase.systemDirectory)
    let names = database.allNames()
    #expect(names.count > 400)
    for name in names { _ = try database.zone(named: name) }
  }
}
