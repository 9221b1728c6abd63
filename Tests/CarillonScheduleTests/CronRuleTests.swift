import CarillonModel
import CarillonSchedule
import CarillonTime
import Testing

struct CronRuleTests {
  struct Fault: Sendable, CustomTestStringConvertible {
    var text: String
    var offset: Int
    var length: Int
    var message: String
    var testDescription: String { text }

    init(_ text: String, _ offset: Int, _ length: Int, _ message: String) {
      (self.text, self.offset, self.length, self.message) = (text, offset, length, message)
    }
  }

  static let faults = [
    Fault("75 * * * *", 0, 2, "minute 75 is not within 0-59"),
    Fault("61 * * * *", 0, 2, "minute 61 is not within 0-59"),
    Fault("0 24 * * *", 2, 2, "hour 24 is not within 0-23"),
    Fault("0 0 0 * *", 4, 1, "day of month 0 is not within 1-31"),
    Fault("0 0 32 * *", 4, 2, "day of month 32 is not within 1-31"),
    Fault("0 0 1 13 *", 6, 2, "month 13 is not within 1-12"),
    Fault("0 0 * * 8", 8, 1, "day of week 8 is not within 0-7"),
    Fault("99999999999999999999 * * * *", 0, 20, "minute 99999999999999999999 is not within 0-59"),
    Fault("*/0 * * * *", 2, 1, "a step of 0 never gets on; the least is 1"),
    Fault("*/x * * * *", 2, 1, "a step is a whole number, such as */5"),
    Fault("*/ * * * *", 2, 0, "a step is a whole number, such as */5"),
    Fault("1,,2 * * * *", 2, 0, "a value of minute is missing here"),
    Fault("1, * * * *", 2, 0, "a value of minute is missing here"),
    Fault("-5 * * * *", 0, 0, "a value of minute is missing here"),
    Fault("5- * * * *", 2, 0, "a value of minute is missing here"),
    Fault("1-2-3 * * * *", 3, 2, "unexpected \"-3\""),
    Fault("*5 * * * *", 1, 1, "unexpected \"5\""),
    Fault("30-10 * * * *", 0, 5, "a range runs upwards; write it as two, 30-59,0-10"),
    Fault("0 0 * * fri-mon", 8, 7, "a range runs upwards; write it as two, 5-7,0-1"),
    Fault("0 0 * * sat-sun", 8, 7, "a range runs upwards; Sunday at the end of one is 7, so write 6-7"),
    Fault("0 0 * * monday", 8, 6, "\"monday\" is no day of week; did you mean mon?"),
    Fault("0 0 * febr *", 6, 4, "\"febr\" is no month; did you mean feb?"),
    Fault("0 nine * * *", 2, 4, "hour is a number, not \"nine\""),
    Fault("0 9.5 * * *", 2, 3, "hour is a number, not \"9.5\""),
    Fault("0 0 L * *", 4, 1, "cron has no L for the last; write an rrule with BYMONTHDAY=-1 or BYDAY=-1FR"),
    Fault("0 0 * * 5L", 8, 2, "cron has no L for the last; write an rrule with BYMONTHDAY=-1 or BYDAY=-1FR"),
    Fault(
      "0 0 15W * *", 4, 3, "cron has no W for the nearest working day; an rrule with BYSETPOS can say it"),
    Fault(
      "0 0 * * tue#2", 8, 5,
      "cron has no #; for the 2nd Monday of a month write an rrule with BYDAY=2MO or a calendar with nth"),
    Fault("0 0 ? * 1", 4, 1, "cron has no ?; write *"),
    Fault("H * * * *", 0, 1, "cron has no random times; write a number"),
    Fault(
      "", 0, 0,
      "a cron expression has five fields; missing at the end: minute, hour, day of month, month, day of week"),
    Fault("0 7 * *", 7, 0, "a cron expression has five fields; missing at the end: day of week"),
    Fault(
      "0 0 7 * * *", 10, 1,
      "a cron expression has five fields (minute, hour, day of month, month, day of week), not 6; it has none for seconds, years or commands"
    ),
    Fault(
      "TZ=UTC 0 7 * * *", 0, 6, "a cron expression sets no variables; the zone of a request is its timezone"),
    Fault("@reboot", 0, 7, "@reboot is no time; a start of the relay fires nothing"),
    Fault(
      " @dayly", 1, 6,
      "\"@dayly\" is none of @hourly @daily @midnight @weekly @monthly @yearly @annually; did you mean @daily?"
    ),
    Fault("@daily 5", 7, 1, "nothing may follow a nickname"),
    Fault("0 0 1 jän *", 6, 4, "\"jän\" is no month"),
    Fault("0\n7 * * *", 9, 0, "a cron expression has five fields; missing at the end: day of week"),
  ]

  @Test(arguments: faults) func `A fault is told with its place`(_ fault: Fault) {
    #expect(throws: TextFault(offset: fault.offset, length: fault.length, fault.message)) {
      try CronRule(parsing: fault.text)
    }
  }

  @Test func `A fault is a refusal of the field that holds the text`() throws {
    let fault = TextFault(offset: 2, length: 1, "no")
    #expect(fault.refusal(at: "trigger.cron") == Refusal(.invalid, at: "trigger.cron", "no", span: 2..<3))
    #expect(fault.refusal(at: "trigger.cron").below("request").span == 2..<3)
  }

  @Test func `A text of any length is judged at once`() {
    let long = String(repeating: "0,", count: 400_000) + "0 * * * *"
    #expect(throws: TextFault.self) { try CronRule(parsing: long) }
  }

  static let equals = [
    ("30 7 * * MON-Fri", "30 7 * * 1-5"), ("0 0 1 JAN,Jul *", "0 0 1 1,7 *"), ("0 0 * * 7", "0 0 * * 0"),
    ("0 0 * * 5-7", "0 0 * * 0,5,6"), ("0 0 * * sat-7", "0 0 * * 6,7"), ("  007\t7 *  * * ", "7 7 * * *"),
    ("10-40/15 * * * *", "10,25,40 * * * *"), ("5/20 0 * * *", "5,25,45 0 * * *"),
    ("0 0-23/6 * * *", "0 0,6,12,18 * * *"), ("0 0 * * 1-7/2", "0 0 * * 1,3,5,0"),
    ("*/100 1 * * *", "*/60 1 * * *"),
    ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@midnight", "@Daily"), ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"), ("@annually", "@YEARLY"),
  ]

  @Test(arguments: equals) func `Two ways to write a rule are one rule`(_ one: String, _ other: String) throws
  {
    #expect(try cron(one) == cron(other))
  }

  @Test func `Days of month and of week join by OR, unless one of them begins with a star`() throws {
    let either = try cron("0 0 13 * 5").firings(
      after: "2026-12-31T23:59:59Z", through: "2027-12-31T23:59:59Z", in: "UTC")
    #expect(either.count == 64)
    #expect(
      either.filter { $0.hasPrefix("2027-02") }.map { $0.dropFirst(8).prefix(2) } == [
        "05", "12", "13", "19", "26",
      ])
    func days(_ text: String) throws -> [Int] {
      try cron(text).firings(after: "2027-02-28T23:59:59Z", through: "2027-03-31T23:59:59Z", in: "UTC").map {
        Int($0.dropFirst(8).prefix(2)) ?? 0
      }
    }
    #expect(try days("0 0 */10 * 1") == [1])
    #expect(try days("0 0 1-31/10 * 1") == [1, 8, 11, 15, 21, 22, 29, 31])
    #expect(try days("0 0 1-7 * */2") == [2, 4, 6, 7])
    #expect(try days("0 0 13 * *") == [13])
    #expect(try days("0 0 13 * 0-6") == Array(1...31))
  }

  @Test func `A step that does not divide the hour begins anew with each`() throws {
    let firings = try cron("*/45 * * * *").firings(5, after: "2027-01-01T00:01:00Z", in: "UTC")
    #expect(firings.map { $0.dropFirst(11).prefix(5) } == ["00:45", "01:00", "01:45", "02:00", "02:45"])
  }

  @Test func `A new rule counts from its own acceptance`() throws {
    let firings = try cron("30 11 * * *").firings(1, after: "2027-05-10T12:00:00Z", in: "UTC")
    #expect(firings == ["2027-05-11T11:30:00+00:00"])
  }

  @Test func `A rule of once a year waits for the next`() throws {
    let firings = try cron("0 0 1 1 *").firings(1, after: "2027-01-01T00:00:01Z", in: "UTC")
    #expect(firings == ["2028-01-01T00:00:00+00:00"])
  }
}
