import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import Testing

struct RecurrenceFaultTests {
  /// A text, the place of its fault, and a part of the message.
  static let faults: [(String, Range<Int>, String)] = [
    ("", 0..<0, "missing"),
    ("FREQ=DAILY;", 11..<11, "missing"),
    ("COUNT=3", 0..<0, "FREQ"),
    ("RRULE:FREQ=DAILY", 0..<6, "without"),
    ("FREQ=DAILY; COUNT=3", 11..<12, "blanks"),
    ("FREQ=DAILY;COUNT=３", 17..<18, "ASCII"),
    ("FREQ=DAYLY", 5..<10, "did you mean DAILY"),
    ("FREQ=", 5..<5, "no value"),
    ("FREQ", 0..<4, "no value"),
    ("=DAILY", 0..<0, "name"),
    ("FREQ=DAILY;BYWEEKDAY=MO", 11..<20, "no part"),
    ("FREQ=DAILY;BYEASTER=0", 11..<19, "BYEASTER"),
    ("FREQ=DAILY;RSCALE=CHINESE", 11..<17, "RFC 7529"),
    ("FREQ=DAILY;EXDATE=20270101", 11..<17, "field"),
    ("FREQ=DAILY;COUNT=3;COUNT=4", 19..<26, "twice"),
    ("FREQ=DAILY;COUNT=0", 17..<18, "at least 1"),
    ("FREQ=DAILY;INTERVAL=0", 20..<21, "at least 1"),
    ("FREQ=DAILY;INTERVAL=-1", 20..<22, "whole number"),
    ("FREQ=DAILY;INTERVAL=99999999999999999999", 20..<40, "at most"),
    ("FREQ=DAILY;COUNT=3;UNTIL=20270101", 11..<18, "together"),
    ("FREQ=DAILY;UNTIL=20270230", 17..<25, "no time"),
    ("FREQ=DAILY;UNTIL=20270228T250000", 17..<32, "no time"),
    ("FREQ=DAILY;UNTIL=1", 17..<18, "no time"),
    ("FREQ=DAILY;BYHOUR=8,24", 20..<22, "hour 24 is not within 0-23"),
    ("FREQ=DAILY;BYMINUTE=75", 20..<22, "minute 75 is not within 0-59"),
    ("FREQ=DAILY;BYSECOND=60", 20..<22, "leap"),
    ("FREQ=DAILY;BYHOUR=-1", 18..<20, "number"),
    ("FREQ=DAILY;BYHOUR=8,,9", 20..<20, "missing"),
    ("FREQ=MONTHLY;BYMONTHDAY=1,0", 26..<27, "not within 1-31 or -31--1"),
    ("FREQ=MONTHLY;BYMONTHDAY=32", 24..<26, "not within"),
    ("FREQ=YEARLY;BYMONTH=JAN", 20..<23, "numbers here"),
    ("FREQ=YEARLY;BYMONTH=13", 20..<22, "not within 1-12"),
    ("FREQ=YEARLY;BYYEARDAY=-367", 22..<26, "not within"),
    ("FREQ=YEARLY;BYWEEKNO=54", 21..<23, "not within"),
    ("FREQ=MONTHLY;BYWEEKNO=5", 13..<23, "YEARLY alone"),
    ("FREQ=MONTHLY;BYYEARDAY=5", 13..<24, "MONTHLY"),
    ("FREQ=WEEKLY;BYMONTHDAY=5", 12..<24, "WEEKLY"),
    ("FREQ=WEEKLY;BYDAY=MO,2TU", 21..<24, "counts within"),
    ("FREQ=DAILY;BYDAY=-1FR", 17..<21, "counts within"),
    ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO", 30..<33, "BYWEEKNO"),
    ("FREQ=MONTHLY;BYDAY=6MO", 19..<22, "five times"),
    ("FREQ=YEARLY;BYDAY=54MO", 18..<20, "not within"),
    ("FREQ=YEARLY;BYDAY=0MO", 18..<19, "not within"),
    ("FREQ=YEARLY;BYDAY=MON", 18..<21, "no weekday"),
    ("FREQ=YEARLY;BYDAY=1", 18..<19, "no weekday"),
    ("FREQ=YEARLY;BYDAY=xMO", 18..<19, "no number"),
    ("FREQ=WEEKLY;WKST=1MO", 17..<20, "no weekday"),
    ("FREQ=MONTHLY;BYSETPOS=1", 13..<23, "there is none"),
    ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", 31..<32, "not within"),
  ]

  @Test(arguments: faults)
  func `A fault is told with its place`(text: String, place: Range<Int>, message: String) throws {
    let fault = try #require(throws: TextFault.self) { try recurrence(text, from: "2027-01-01T00:00") }
    #expect(fault.span == place)
    #expect(fault.message.contains(message), "\(fault.message)")
  }

  @Test func `A text of any length is read or refused`() throws {
    let long = "FREQ=YEARLY;BYYEARDAY=" + Array(repeating: "366", count: 4000).joined(separator: ",")
    #expect(throws: TextFault.self) { try recurrence(long, from: "2027-01-01T00:00") }
    let full = "FREQ=YEARLY;BYYEARDAY=" + (1...366).map(String.init).joined(separator: ",")
    #expect(try recurrence(full, from: "2027-01-01T00:00").occurrences(2).count == 2)
  }

  /// A rule, its start and why it is never.
  static let never: [(String, String, String)] = [
    ("FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30", "2027-01-01T00:00", "30 February does not exist"),
    ("FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "2027-01-01T00:00", "30 February does not exist"),
    ("FREQ=YEARLY;BYMONTH=2,4;BYMONTHDAY=31", "2027-01-01T00:00", "February and April have no day 31"),
    ("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30", "2027-01-30T08:15", "30 February does not exist"),
    ("FREQ=MONTHLY;BYMONTH=2", "2027-01-30T08:15", "30 February does not exist"),
    ("FREQ=YEARLY;BYMONTH=4,6", "2027-01-31T08:15", "April and June have no day 31"),
    ("FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=-30", "2027-01-01T00:00", "BYMONTH=2 and BYMONTHDAY=-30"),
    ("FREQ=YEARLY;BYWEEKNO=20;BYMONTH=12", "2027-01-01T00:00", "BYWEEKNO=20 and BYMONTH=12"),
    ("FREQ=YEARLY;BYYEARDAY=1;BYMONTH=2;BYDAY=MO", "2027-01-01T00:00", "BYYEARDAY=1 and BYMONTH=2"),
    ("FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29", "2027-01-01T00:00", "INTERVAL=4"),
    ("FREQ=DAILY;INTERVAL=7;BYDAY=TU", "2027-01-01T00:00", "INTERVAL=7 and BYDAY=TU"),
    ("FREQ=MONTHLY;INTERVAL=12;BYMONTH=3", "2027-01-01T00:00", "INTERVAL=12 and BYMONTH=3"),
    ("FREQ=HOURLY;INTERVAL=168;BYDAY=TU", "2027-01-01T00:00", "INTERVAL=168 and BYDAY=TU"),
    ("FREQ=HOURLY;INTERVAL=7;BYDAY=TU;BYHOUR=1", "2027-01-01T00:00", "INTERVAL=7"),
    ("FREQ=SECONDLY;INTERVAL=2;BYSECOND=1", "2027-01-01T00:00", "INTERVAL=2 and BYSECOND=1"),
    ("FREQ=MONTHLY;BYDAY=1MO;BYSETPOS=2", "2027-01-01T00:00", "BYSETPOS=2 and BYDAY=1MO never come together"),
    ("FREQ=SECONDLY;BYHOUR=1;BYSETPOS=2", "2027-01-01T00:00", "BYSETPOS=2"),
    ("FREQ=WEEKLY;BYDAY=MO;BYSETPOS=-2", "2027-01-01T00:00", "BYSETPOS=-2"),
    ("FREQ=YEARLY;INTERVAL=9000", "2027-01-01T00:00", ""),
    ("FREQ=DAILY;UNTIL=20261231", "2027-01-01T00:00", "after UNTIL"),
    ("FREQ=DAILY;UNTIL=20260101T000000Z", "2027-01-01T00:00", "after UNTIL"),
    (
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;UNTIL=20271231", "2027-01-01T00:00",
      "2028-02-29T00:00:00, is after UNTIL"
    ),
  ]

  @Test(arguments: never)
  func `A rule that can never fire is found at once, with the reason`(
    text: String, start: String, reason: String
  ) throws {
    var why: String?
    let elapsed = try processorTime { why = try recurrence(text, from: start).whyNever }
    if reason.isEmpty {
      // The start itself is one.
      #expect(why == nil)
    } else {
      #expect(why?.contains(reason) == true, "\(why ?? "-")")
    }
    #expect(elapsed < Sanitizer.allowing(.milliseconds(100)))
  }

  @Test func `A rule that is left out whole is never`() throws {
    let rule = try recurrence(
      "FREQ=DAILY;COUNT=2", from: "2027-01-01T00:00", except: ["2027-01-01T00:00", "2027-01-02T00:00"])
    #expect(rule.whyNever?.contains("except") == true)
  }

  @Test func `A rare rule is no never, and found at once`() throws {
    for text in [
      "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=29",
      "FREQ=SECONDLY;INTERVAL=86399;BYMONTH=2;BYMONTHDAY=29;BYHOUR=0",
    ] {
      let elapsed = try processorTime {
        let rule = try recurrence(text, from: "2097-01-01T00:00")
        #expect(rule.isSatisfiable)
        #expect(
          rule.next(after: try instant("2097-01-01T00:00:00Z"), in: try installed("Europe/Berlin")) != nil)
      }
      #expect(elapsed < Sanitizer.allowing(.milliseconds(100)))
    }
  }
}
