import CarillonModel
import Testing

struct TimestampTests {
  static let time = WallTime(milliseconds: 1_796_148_000_002)

  @Test(arguments: [
    (3600, "2026-12-01T19:00:00.002+01:00"), (0, "2026-12-01T18:00:00.002+00:00"),
    (-12_600, "2026-12-01T14:30:00.002-03:30"), (20_700, "2026-12-01T23:45:00.002+05:45"),
    (50_400, "2026-12-02T08:00:00.002+14:00"), (-1800, "2026-12-01T17:30:00.002-00:30"),
    // Local mean times: the seconds of the offset are cut off, and the reading with them.
    (3208, "2026-12-01T18:53:00.002+00:53"), (-17_762, "2026-12-01T13:04:00.002-04:56"),
    (-59, "2026-12-01T18:00:00.002+00:00"),
  ])
  func `An instant is written at its offset`(offset: Int, text: String) throws {
    #expect(timestamp(Self.time, offsetSeconds: offset) == text)
    #expect(try WrittenTime(parsing: text) == .instant(Self.time))
  }

  @Test func `Milliseconds and the letter Z are written where they are asked for`() {
    #expect(timestamp(Self.time, offsetSeconds: 3600, milliseconds: false) == "2026-12-01T19:00:00+01:00")
    #expect(timestamp(utc: Self.time) == "2026-12-01T18:00:00.002Z")
    #expect(timestamp(utc: Self.time, milliseconds: false) == "2026-12-01T18:00:00Z")
    #expect("\(WallTime(milliseconds: -1))" == "1969-12-31T23:59:59.999Z")
  }

  @Test(
    arguments: [
      (-62_135_596_800_001, "0000-12-31T23:59:59.999Z"), (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "10000-01-01T00:00:00.000Z"), (.max, "292278994-08-17T07:12:55.807Z"),
      (.min, "-292275055-05-16T16:47:04.192Z"),
    ] as [(Int64, String)])
  func `Instants beyond what can be written are still told apart`(milliseconds: Int64, text: String) {
    #expect(timestamp(utc: WallTime(milliseconds: milliseconds)) == text)
    _ = timestamp(WallTime(milliseconds: milliseconds), offsetSeconds: .max)
    _ = timestamp(WallTime(milliseconds: milliseconds), offsetSeconds: .min)
  }
}
