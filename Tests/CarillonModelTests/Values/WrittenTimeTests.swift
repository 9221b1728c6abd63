import CarillonModel
import Testing

struct WrittenTimeTests {
  @Test(
    arguments: [
      ("2026-12-01T19:00:00+01:00", 1_796_148_000_000), ("2026-12-01 19:00:00+01:00", 1_796_148_000_000),
      ("2026-12-01t18:00:00z", 1_796_148_000_000), ("2026-12-01T18:00Z", 1_796_148_000_000),
      ("2026-12-01T23:45+05:45", 1_796_148_000_000), ("2026-12-01T18:00:00-00:00", 1_796_148_000_000),
      ("2026-12-01T18:00:00.1Z", 1_796_148_000_100),
      ("2026-12-01T18:00:00.123999999999999999999Z", 1_796_148_000_123),
      ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59.999Z", -1),
      ("2027-06-10T09:00:00+05:45", 1_812_597_300_000),
      ("0001-01-01T00:00:00Z", -62_135_596_800_000), ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
      ("2016-12-31T23:59:60Z", 1_483_228_800_000), ("2017-01-01T00:59:60.5+01:00", 1_483_228_800_500),
      ("1796148000", 1_796_148_000_000), ("1796148000.25", 1_796_148_000_250), ("-1", -1000), ("0", 0),
      ("-62135596800", -62_135_596_800_000), ("253402300799", 253_402_300_799_000),
      ("253402300799.9999", 253_402_300_799_999), ("1.796148e9", 1_796_148_000_000),
    ] as [(String, Int64)])
  func `A text with an offset, or of seconds, is an instant`(text: String, milliseconds: Int64) throws {
    let instant = WrittenTime.instant(WallTime(milliseconds: milliseconds))
    #expect(try WrittenTime(parsing: text) == instant)
    #expect(try WrittenTime.read(.string(text), at: "x") == instant)
    #expect(try WrittenTime(parsing: instant.description) == instant)
  }

  @Test(
    arguments: [(JSON.integer(1_796_148_000), 1_796_148_000_000), (.number(0.001), 1), (.number(-0.5), -500)]
      as [(JSON, Int64)])
  func `A number is seconds since 1970`(value: JSON, milliseconds: Int64) throws {
    #expect(try WrittenTime.read(value, at: "x") == .instant(WallTime(milliseconds: milliseconds)))
  }

  @Test(arguments: [
    ("2026-12-24T18:00", "2026-12-24T18:00:00"), ("2026-12-24 18:00:30", "2026-12-24T18:00:30"),
    ("2026-12-24T18:00:30.5", "2026-12-24T18:00:30.500"), ("2028-02-29T00:00", "2028-02-29T00:00:00"),
    ("0001-01-01T00:00", "0001-01-01T00:00:00"), ("9999-12-31T23:59:59", "9999-12-31T23:59:59"),
  ])
  func `A text without an offset is a reading of the clock`(text: String, written: String) throws {
    let time = try WrittenTime(parsing: text)
    guard case .local = time else {
      Issue.record("\(text) was read as \(time)")
      return
    }
    #expect(time.description == written)
    #expect(try WrittenTime(parsing: written) == time)
  }

  @Test(arguments: [
    "", " ", "now", "tomorrow", "nan", "2026-12-24", "18:00", "2026-12-24T", "2026-12-24T18",
    "2026-12-24T1800",
    "20261224T180000Z", "2026-12-24T18:00:", "2026-12-24T18:00:00.", "2026-12-24T18:00:00,5",
    "2026-12-24T18:00:00+0100",
    "2026-12-24T18:00:00+01", "2026-12-24T18:00:00+24:00", "2026-12-24T18:00:00+01:60",
    "2026-12-24T18:00:00 Z",
    "2026-12-24T18:00:00Zulu", "2026-12-24  18:00", "2026-12-24_18:00", " 2026-12-24T18:00",
    "2026-12-24T18:00 ",
    "2026-12-24T24:00:00", "2026-12-24T18:60:00", "2026-12-24T18:00:61", "2026-13-01T00:00",
    "2026-00-01T00:00",
    "2026-04-31T00:00", "2027-02-29T00:00", "2100-02-29T00:00", "2026-12-00T00:00", "0000-01-01T00:00Z",
    "0000-06-01T00:00",
    "10000-01-01T00:00Z", "-2026-12-24T18:00", "26-12-24T18:00", "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "9999-12-31T23:59:60Z", "2016-12-31T23:59:60", "2016-12-31T12:00:60Z", "2016-12-30T23:59:60Z",
    "２０２６-12-24T18:00",
    "253402300800", "-62135596801", "1796148000000", "1e999", "-1e999", "0x10", "2026-W53-5T00:00",
    "2026-12-24T18:00\u{0}",
  ])
  func `A text that is no time is refused at its place`(text: String) {
    let refusal = #expect(throws: Refusal.self) { try WrittenTime.read(.string(text), at: "trigger.at") }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "trigger.at")
  }

  @Test(
    arguments: [
      JSON.null, .bool(true), [], [:], .number(.nan), .number(.infinity), .number(-.infinity), .number(1e300),
      .integer(.max), .integer(.min), .integer(253_402_300_800),
    ] as [JSON])
  func `A value that is no time is refused`(value: JSON) {
    let refusal = #expect(throws: Refusal.self) { try WrittenTime.read(value, at: "until") }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "until")
  }

  @Test func `Milliseconds given for seconds are named as the slip`() {
    let refusal = #expect(throws: Refusal.self) { try WrittenTime(parsing: "1796148000000") }
    #expect(refusal?.message.contains("milliseconds") == true)
  }
}
