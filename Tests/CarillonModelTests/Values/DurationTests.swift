import CarillonModel
import CarillonTestSupport
import Testing

struct DurationTests {
  @Test(arguments: [
    ("60", 60_000), ("1.5", 1500), ("0.001", 1), ("007", 7000), ("1e3", 1_000_000), ("0.29", 290),
    ("90s", 90_000), ("30m", 1_800_000), ("1h30m", 5_400_000), ("2d", 172_800_000), ("1w", 604_800_000),
    ("1w2d3h4m5s", 788_645_000), ("1.5h", 5_400_000), ("0.5s", 500), ("1m0.25s", 60_250),
    ("1:02:03", 3_723_000), ("100:00:00", 360_000_000), ("0:00:00.5", 500), ("00:00:30", 30_000),
    ("PT30M", 1_800_000), ("P1DT2H", 93_600_000), ("P1W", 604_800_000), ("PT0.5S", 500), ("PT0,5S", 500),
    ("PT36H", 129_600_000), ("P2D", 172_800_000), ("PT1H0M", 3_600_000),
    ("0.0004999s", 0), ("0.0005s", 1), ("2147483648", 2_147_483_648_000), ("36525d", 3_155_760_000_000),
  ])
  func `A text is read as so many milliseconds`(text: String, milliseconds: Int64) throws {
    let duration = try Duration(parsing: text, allowingZero: true)
    #expect(duration == .milliseconds(milliseconds))
    #expect(try Duration.read(.string(text), at: "x", zero: true) == duration)
  }

  @Test(
    arguments: [
      (JSON.integer(30), 30_000), (.number(0.5), 500), (.number(4.35), 4350), (.number(1.0004), 1000),
      (.integer(3_155_760_000), 3_155_760_000_000),
    ] as [(JSON, Int64)])
  func `A number is read as seconds`(value: JSON, milliseconds: Int64) throws {
    #expect(try Duration.read(value, at: "x") == .milliseconds(milliseconds))
  }

  @Test(arguments: [
    "", " ", " 60", "60 ", "nonsense", "NaN", "nan", "inf", "Infinity", "0x10", "+5", "5.", ".5", "1e",
    "1h30", "30m1h",
    "1h1h", "1.5h30m", "90S", "30M", "1y", "1mo", "5x", "s", "h1", "1 h", "1:30", "1:60:00", "1:00:60",
    "1:0:00",
    "1:00:00.", "1::00", ":00:00", "P", "PT", "P1DT", "P1Y", "P1M", "P1Y2M3D", "P1YT1H", "PT1M1H", "pt30m",
    "P1H", "T1H",
    "１５", "1\u{0}", "1h\u{301}", "1d-2h", "--5", "1_000", "1,000",
  ])
  func `A text that is no duration is refused at its place`(text: String) {
    let refusal = #expect(throws: Refusal.self) {
      try Duration.read(.string(text), at: "trigger.after", zero: true)
    }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "trigger.after")
  }

  @Test(
    arguments: [
      JSON.bool(true), .bool(false), .null, [], [:], ["1"], .number(.nan), .number(.infinity),
      .number(-.infinity),
      .number(1e300), .number(-1e300), .number(-1e-9), .integer(.max), .integer(.min), .integer(-5),
      .integer(3_155_760_001),
      "-5", "-30m", "-PT30M", "-1:00:00", "1e999", "-1e999", "1e300", "36526d", "5219w",
      "99999999999999999999999999",
      "99999999999999999999999999w", "99999999999999999999w99999999999999999999d",
      "99999999999999999999:00:00",
      "P99999999999999999999WT99999999999999999999H",
    ] as [JSON])
  func `A value that is no duration, negative or beyond a hundred years is refused`(value: JSON) {
    let refusal = #expect(throws: Refusal.self) { try Duration.read(value, at: "expires", zero: true) }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "expires")
  }

  @Test(
    arguments: [
      JSON.integer(0), .number(0), .number(-0.0), .number(1e-9), "0", "-0", "0s", "0:00:00", "PT0S", "1e-9",
      "0.0001s",
    ] as [JSON])
  func `Zero is refused unless it is allowed`(value: JSON) throws {
    let refusal = #expect(throws: Refusal.self) { try Duration.read(value, at: "trigger.every") }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "trigger.every")
    #expect(try Duration.read(value, at: "trigger.after", zero: true) == .zero)
  }

  @Test func `A refusal says what is wrong`() {
    func message(_ text: String) -> String? {
      #expect(throws: Refusal.self) { try Duration(parsing: text) }?.message
    }
    #expect(message("-5m") == "a duration cannot be negative")
    #expect(message("200000000000") == "a duration cannot be longer than 100 years")
    #expect(message("P1M")?.contains("no fixed length") == true)
    #expect(message("soon")?.hasPrefix("\"soon\" is not a duration; write ") == true)
    #expect(message(String(repeating: "x", count: 10_000)).map(\.count).map { $0 < 300 } == true)
  }

  @Test(
    arguments: [
      (0, "0s"), (1, "0.001s"), (500, "0.5s"), (1500, "1.5s"), (90_000, "1m30s"), (5_400_000, "1h30m"),
      (604_800_000, "7d"), (86_400_001, "1d0.001s"), (-1_800_000, "-30m"),
    ] as [(Int64, String)])
  func `A duration is written in days and smaller units`(milliseconds: Int64, text: String) {
    #expect(Duration.milliseconds(milliseconds).written == text)
  }

  @Test func `What is written is read as the same duration`() throws {
    var random = SplitMix(seed: 11)
    for _ in 0..<2000 {
      let bound = Int64(1) << Int64.random(in: 1...41, using: &random)
      let duration = Duration.milliseconds(Int64.random(in: 1...bound, using: &random))
      #expect(try Duration(parsing: duration.written) == duration)
    }
  }

  @Test func `Milliseconds are rounded down and stop at the ends of the axis`() {
    #expect(Duration.microseconds(1999).milliseconds == 1)
    #expect(Duration.microseconds(-1).milliseconds == -1)
    #expect(Duration.seconds(Int64.max).milliseconds == .max)
    #expect(Duration.seconds(Int64.min).milliseconds == .min)
    #expect(Duration.milliseconds(Int64.min).written == "-106751991167d7h12m55.808s")
  }
}
