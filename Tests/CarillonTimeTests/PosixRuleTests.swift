import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonTime

struct PosixRuleTests {
  private func parse(_ text: String) -> PosixRule? { PosixRule(text.utf8) }

  @Test(arguments: [
    ("UTC0", "2027-07-01T00:00:00Z", 0, "UTC"), ("<+0545>-5:45", "2027-07-01T00:00:00Z", 20_700, "+0545"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2027-03-28T00:59:59Z", 3600, "CET"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2027-03-28T01:00:00Z", 7200, "CEST"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2027-10-31T00:59:59Z", 7200, "CEST"),
    ("CET-1CEST,M3.5.0,M10.5.0/3", "2027-10-31T01:00:00Z", 3600, "CET"),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2027-03-28T00:59:59Z", -7200, "-02"),
    ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2027-03-28T01:00:00Z", -3600, "-01"),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "2027-03-25T23:59:59Z", 7200, "IST"),
    ("IST-2IDT,M3.4.4/26,M10.5.0", "2027-03-26T00:00:00Z", 10_800, "IDT"),
    // 1 March is day 60 of every year for J, and day 59 or 60 of the plain count.
    ("AAA0BBB,J60/0,J300/0", "2028-02-29T23:59:59Z", 0, "AAA"),
    ("AAA0BBB,J60/0,J300/0", "2028-03-01T00:00:00Z", 3600, "BBB"),
    ("AAA0BBB,J60/0,J300/0", "2027-03-01T00:00:00Z", 3600, "BBB"),
    ("AAA0BBB,59/0,300/0", "2028-02-29T00:00:00Z", 3600, "BBB"),
    ("AAA0BBB,59/0,300/0", "2027-02-28T23:59:59Z", 0, "AAA"),
    ("AAA0BBB,59/0,300/0", "2027-03-01T00:00:00Z", 3600, "BBB"),
    // Daylight saving time the whole year (RFC 9636 §3.3.2), also across the turn of the year.
    ("EST5EDT,0/0,J365/25", "2027-12-31T23:59:59Z", -14_400, "EDT"),
    ("EST5EDT,0/0,J365/25", "2028-01-01T05:00:00Z", -14_400, "EDT"),
    ("EST5EDT,0/0,J365/25", "2028-07-01T00:00:00Z", -14_400, "EDT"),
    // Southern summers cross the turn of the year.
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2027-01-01T00:00:00Z", 39_600, "AEDT"),
    ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2027-07-01T00:00:00Z", 36_000, "AEST"),
    ("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2027-01-01T00:00:00Z", 39_600, "+11"),
    ("XXX3:04:05", "2027-07-01T00:00:00Z", -11_045, "XXX"),
  ])
  func `A rule says what holds at an instant`(text: String, time: String, seconds: Int, abbreviation: String)
    throws
  {
    let offset = try #require(parse(text)).stretch(at: instant(time).seconds).offset
    #expect(offset.seconds == seconds)
    #expect(offset.abbreviation == abbreviation)
  }

  @Test(arguments: [
    "", "CET", "C-1", "CE-1", "-1", "CET-25", "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0",
    "CET-1CEST,M3.5.0,", "CET-1,M3.5.0,M10.5.0",
    "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M0.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
    "CET-1CEST,M3.0.0,M10.5.0",
    "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,M3.5,M10.5.0", "CET-1CEST,J0,J300", "CET-1CEST,J366,J300",
    "CET-1CEST,366,300",
    "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0/-168,M10.5.0", "CET-1CEST,M3.5.0/2:60,M10.5.0",
    "CET-1CEST,M3.5.0,M10.5.0/3 ",
    "<CET-1CEST,M3.5.0,M10.5.0", "<+1>-1", "CET-99999999999999999999", "CET-1CEST,99999999999999999999,300",
    "CET-1:5:", "ÄÖÜ-1",
  ])
  func `A text that is no rule is not read as one`(text: String) {
    #expect(parse(text) == nil)
  }

  /// Both changes of a year may lie in the year before, or in the year after.
  @Test(arguments: [
    ("AAA0BBB,J1/-167,J2/-167", "2027-12-25T00:59:59Z", "AAA", "2027-12-25T01:00:00Z"),
    ("AAA0BBB,J1/-167,J2/-167", "2027-12-25T01:00:00Z", "BBB", "2027-12-26T00:00:00Z"),
    ("AAA0BBB,J1/-167,J2/-167", "2027-12-26T00:00:00Z", "AAA", "2028-12-25T01:00:00Z"),
    ("AAA0BBB,J1/-167,J2/-167", "2027-12-31T23:59:59Z", "AAA", "2028-12-25T01:00:00Z"),
    ("AAA0BBB,J365/167,J364/167", "2026-12-31T23:59:59Z", "BBB", "2027-01-05T22:00:00Z"),
    ("AAA0BBB,J365/167,J364/167", "2027-01-01T00:00:00Z", "BBB", "2027-01-05T22:00:00Z"),
    ("AAA0BBB,J365/167,J364/167", "2027-01-05T22:00:00Z", "AAA", "2027-01-06T23:00:00Z"),
    ("AAA0BBB,J365/167,J364/167", "2027-01-06T23:00:00Z", "BBB", "2028-01-05T22:00:00Z"),
  ])
  func `Changes outside of their year are found`(
    text: String, time: String, abbreviation: String, end: String
  )
    throws
  {
    let stretch = try #require(parse(text)).stretch(at: instant(time).seconds)
    #expect(stretch.offset.abbreviation == abbreviation)
    #expect(stretch.end == (try instant(end).seconds))
  }

  @Test func `Where winter is daylight saving time, the flag says so`() throws {
    let rule = try #require(parse("IST-1GMT0,M10.5.0,M3.5.0/1"))
    let (summer, winter) = (try instant("2027-07-01T00:00:00Z"), try instant("2027-01-01T00:00:00Z"))
    #expect(
      rule.stretch(at: summer.seconds).offset == .init(seconds: 3600, abbreviation: "IST", isDaylight: false))
    #expect(
      rule.stretch(at: winter.seconds).offset == .init(seconds: 0, abbreviation: "GMT", isDaylight: true))
  }

  @Test func `The next change is always later`() throws {
    var random = SplitMix(seed: 3)
    for text in [
      "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,0/0,J365/25", "AAA24BBB-24,J1/-167,J365/167",
      "AAA-24BBB24,M1.1.0/-167,M12.5.6/167",
    ] {
      let rule = try #require(parse(text))
      for _ in 0..<2000 {
        let shift = Int.random(in: 0...62, using: &random)
        let second = Int64(truncatingIfNeeded: random.next()) >> Int64(shift)
        let stretch = rule.stretch(at: second)
        guard let end = stretch.end, end > second || second == .max else {
          Issue.record("\(text) at \(second): \(stretch)")
          return
        }
      }
    }
  }
}
