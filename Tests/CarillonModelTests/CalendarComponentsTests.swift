import CarillonModel
import Testing

struct CalendarComponentsTests {
  private static let numbered =
    "weekdays are names (mon tue wed thu fri sat sun): their numbers mean three different days in cron, ISO 8601 and Apple's calendars"

  static let refused: [(JSON, Refusal)] = [
    (["hour": 24], Refusal(.invalid, at: "calendar.hour", "hour 24 is not within 0 to 23")),
    (["hour": -1], Refusal(.invalid, at: "calendar.hour", "hour -1 is not within 0 to 23")),
    (["hour": [7, 99]], Refusal(.invalid, at: "calendar.hour[1]", "hour 99 is not within 0 to 23")),
    (["hour": .number(9.5)], Refusal(.invalid, at: "calendar.hour", "hour is a whole number, not 9.5")),
    (["hour": .number(1e300)], Refusal(.invalid, at: "calendar.hour", "hour is a whole number, not 1e+300")),
    (["hour": "nine"], Refusal(.invalid, at: "calendar.hour", "hour is a whole number, not \"nine\"")),
    (
      ["hour": true],
      Refusal(.invalid, at: "calendar.hour", "expected a whole number or a list of them, got true or false")
    ),
    (
      ["hour": [[7]]],
      Refusal(.invalid, at: "calendar.hour[0]", "expected a whole number or a list of them, got a list")
    ),
    (["hour": []], Refusal(.invalid, at: "calendar.hour", "an empty list never matches")),
    (["minute": 60], Refusal(.invalid, at: "calendar.minute", "minute 60 is not within 0 to 59")),
    (["second": 60], Refusal(.invalid, at: "calendar.second", "second 60 is not within 0 to 59")),
    (["day": 0], Refusal(.invalid, at: "calendar.day", "day 0 is not within 1 to 31")),
    (
      ["day": -1],
      Refusal(
        .invalid, at: "calendar.day",
        "day -1 is not within 1 to 31; the last day of a month is an rrule with BYMONTHDAY=-1")
    ),
    (["month": 13], Refusal(.invalid, at: "calendar.month", "month 13 is not within 1 to 12")),
    (["year": 10_000], Refusal(.invalid, at: "calendar.year", "year 10000 is not within 1 to 9999")),
    (["weekday": 2], Refusal(.invalid, at: "calendar.weekday", numbered)),
    (["weekday": ["mon", "5"]], Refusal(.invalid, at: "calendar.weekday[1]", numbered)),
    (
      ["weekday": "mondy"],
      Refusal(
        .invalid, at: "calendar.weekday",
        "\"mondy\" is not a weekday: mon tue wed thu fri sat sun; did you mean monday?")
    ),
    (
      ["weekday": true],
      Refusal(
        .invalid, at: "calendar.weekday",
        "expected the name of a weekday or a list of them, got true or false")
    ),
    (
      ["nth": 2, "hour": 7],
      Refusal(.invalid, at: "calendar.nth", "nth counts weekdays, so it needs weekday beside it")
    ),
    (
      ["weekday": "mon", "nth": 0],
      Refusal(.invalid, at: "calendar.nth", "there is no 0th weekday of a month")
    ),
    (["weekday": "mon", "nth": 6], Refusal(.invalid, at: "calendar.nth", "nth 6 is not within -5 to 5")),
    (
      [:],
      Refusal(
        .invalid, at: "calendar",
        "a calendar needs at least one of year, month, day, hour, minute, second, weekday")
    ),
    (
      ["hour": nil],
      Refusal(
        .invalid, at: "calendar",
        "a calendar needs at least one of year, month, day, hour, minute, second, weekday")
    ),
    (
      ["hours": 7],
      Refusal(.unknownField, at: "calendar.hours", "there is no field \"hours\" here; did you mean \"hour\"?")
    ),
    (7, Refusal(.invalid, at: "calendar", "expected an object, got a number")),
  ]

  @Test(arguments: refused) func `What no clock shows is refused with its place`(
    _ json: JSON, _ refusal: Refusal
  ) {
    #expect(throws: refusal) { try CalendarComponents.read(json, at: "calendar") }
  }

  @Test func `Values come single, in lists, and as text`() throws {
    let written: JSON = [
      "weekday": ["Friday", "mon", "MON"], "hour": "07", "minute": [30, 0, "15"], "second": .number(3.0),
      "nth": -1,
    ]
    let components = try CalendarComponents.read(written, at: "")
    #expect(components.weekdays == [.monday, .friday])
    #expect(components.hours == [7])
    #expect(components.minutes == [0, 15, 30])
    #expect(components.seconds == [3])
    #expect(components.nths == [-1])
    #expect(components.years == nil && components.months == nil && components.days == nil)
    #expect(
      components.json == [
        "weekday": ["mon", "fri"], "nth": -1, "hour": 7, "minute": [0, 15, 30], "second": 3,
      ])
    #expect(try CalendarComponents.read(components.json, at: "") == components)
  }

  @Test func `The notation of the command line means the same`() throws {
    let written = try CalendarComponents(parsing: "  weekday=mon,fri hour=7\tminute=30 nth=-1,2")
    #expect(written.json == ["weekday": ["mon", "fri"], "nth": [-1, 2], "hour": 7, "minute": 30])
  }

  static let faults: [(String, TextFault)] = [
    ("hour=7 minute=75", TextFault(14..<16, "minute 75 is not within 0 to 59")),
    ("weekday=2", TextFault(8..<9, numbered)),
    ("hour=7,,8", TextFault(7..<7, "a value of hour is missing here")),
    ("hour=", TextFault(5..<5, "a value of hour is missing here")),
    ("hour", TextFault(4..<4, "write hour=VALUE, without blanks")),
    ("hour = 7", TextFault(4..<4, "write hour=VALUE, without blanks")),
    ("hour=7 hour=8", TextFault(7..<13, "hour is given twice; list its values with commas")),
    ("hour=+7", TextFault(5..<7, "hour is a whole number, not \"+7\"")),
    (
      "houre=7",
      TextFault(
        0..<5, "\"houre\" is none of year, month, day, hour, minute, second, weekday, nth; did you mean hour?"
      )
    ),
    ("hour=7 nth=2", TextFault(7..<12, "nth counts weekdays, so it needs weekday beside it")),
    (
      "", TextFault(0..<0, "a calendar needs at least one of year, month, day, hour, minute, second, weekday")
    ),
  ]

  @Test(arguments: faults) func `A fault in it is told with its place`(_ text: String, _ fault: TextFault) {
    #expect(throws: fault) { try CalendarComponents(parsing: text) }
  }
}
