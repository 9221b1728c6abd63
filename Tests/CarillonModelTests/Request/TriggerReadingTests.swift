import Testing

@testable import CarillonModel

private func trigger(_ text: String) throws -> Trigger {
  try Trigger.read(try JSON(parsing: Array(text.utf8)), at: "trigger")
}

@Suite struct TriggerReadingTests {
  private static func local(_ text: String) -> WrittenTime? { try? WrittenTime(parsing: text) }

  @Test func everyKindIsRead() throws {
    let calendar = try CalendarComponents(parsing: "weekday=mon,fri hour=7")
    #expect(try trigger(#"{"after":0}"#) == Trigger(.after(.zero)))
    #expect(try trigger(#"{"every":"6h"}"#) == Trigger(.every(.seconds(21_600), from: nil)))
    #expect(try trigger(#"{"at":0}"#) == Trigger(.at(.instant(WallTime(milliseconds: 0)))))
    #expect(try trigger(#"{"calendar":{"weekday":["fri","mon"],"hour":7}}"#) == Trigger(.calendar(calendar)))
    #expect(try trigger(#"{"cron":"30 7 * * mon-fri"}"#) == Trigger(.cron("30 7 * * mon-fri")))
    #expect(try trigger(#"{"sun":"dusk"}"#) == Trigger(.sun(.dusk, offset: .zero, weekdays: nil)))
    #expect(
      try trigger(#"{"when":{"topic":"a","equals":1}}"#)
        == Trigger(.when(Condition(source: .topic("a"), test: .equals(1)))))
  }

  @Test func aRecurrenceHasItsStartAndItsExceptions() throws {
    let start = try #require(Self.local("2026-01-30T17:00"))
    let except = try #require(Self.local("2026-12-25T17:00"))
    #expect(
      try trigger(
        #"{"rrule":"FREQ=MONTHLY;BYDAY=-1FR","start":"2026-01-30T17:00","except":["2026-12-25T17:00"]}"#)
        == Trigger(.recurrence("FREQ=MONTHLY;BYDAY=-1FR", start: start, except: [except])))
    #expect(
      try trigger(#"{"rrule":"FREQ=DAILY","except":[]}"#)
        == Trigger(.recurrence("FREQ=DAILY", start: nil, except: [])))
  }

  @Test func theSunHasAnOffsetAndWeekdays() throws {
    #expect(
      try trigger(#"{"sun":"sunset","offset":"-30m","weekday":["Friday","mon","fri"],"repeats":true}"#)
        == Trigger(.sun(.sunset, offset: .seconds(-1800), weekdays: [.monday, .friday]), repeats: true))
    #expect(
      try trigger(#"{"sun":"noon","weekday":"sun"}"#)
        == Trigger(.sun(.noon, offset: .zero, weekdays: [.sunday])))
  }

  @Test(arguments: [
    (#""-30m""#, -1_800_000), (#""+10m""#, 600_000), (#""10m""#, 600_000), ("-90", -90_000), ("0.5", 500),
    (#""-90""#, -90_000), (#""+1.5""#, 1500), ("0", 0), ("-0.0", 0), (#""-0""#, 0), (#""-PT1H""#, -3_600_000),
    (#""-0:30:00""#, -1_800_000), (#""24h""#, 86_400_000), ("-86400", -86_400_000),
  ])
  func anOffsetGoesEitherWay(written: String, milliseconds: Int64) throws {
    guard case .sun(_, let offset, _) = try trigger(#"{"sun":"dawn","offset":\#(written)}"#).kind else {
      Issue.record("no sun")
      return
    }
    #expect(offset.milliseconds == milliseconds)
  }

  @Test func aConditionHasItsHoldoffBesideIt() throws {
    let read = try trigger(#"{"when":{"topic":"a","above":3},"repeats":true,"holdoff":"10m","count":2}"#)
    #expect(
      read
        == Trigger(
          .when(Condition(source: .topic("a"), test: .above(3), holdoff: .seconds(600))), repeats: true,
          count: 2))
  }

  @Test(arguments: [
    (#"{"after":5}"#, false), (#"{"at":0}"#, false), (#"{"every":5}"#, true), (#"{"cron":"@daily"}"#, true),
    (#"{"rrule":"FREQ=DAILY"}"#, true), (#"{"calendar":{"hour":7}}"#, false), (#"{"sun":"noon"}"#, false),
    (#"{"calendar":{"hour":7},"repeats":true}"#, true), (#"{"calendar":{"hour":7},"repeats":false}"#, false),
    (#"{"calendar":{"hour":7},"repeats":null}"#, false), (#"{"every":5,"repeats":null}"#, true),
    (#"{"sun":"noon","repeats":true}"#, true), (#"{"when":{"topic":"a","silent":5}}"#, false),
    (#"{"when":{"topic":"a","silent":5},"repeats":true}"#, true),
  ])
  func someKindsRepeatByNatureAndSomeWhenAsked(text: String, repeats: Bool) throws {
    #expect(try trigger(text).repeats == repeats)
  }

  @Test(arguments: [
    #"{"every":"1h"}"#, #"{"cron":"@daily"}"#, #"{"rrule":"FREQ=DAILY"}"#,
    #"{"calendar":{"hour":7},"repeats":true}"#, #"{"sun":"noon","repeats":true}"#,
    #"{"when":{"topic":"a","equals":"b"},"repeats":true}"#,
  ])
  func whateverRepeatsHasAnEnd(text: String) throws {
    let read = try trigger(text.dropLast() + #","count":3,"until":"2030-01-01T00:00"}"#)
    #expect(read.count == 3)
    #expect(read.until == Self.local("2030-01-01T00:00"))
  }

  @Test func elapsedTimeIsTheClockOfThreeKinds() throws {
    let elapsed = try [
      #"{"after":5}"#, #"{"every":5}"#, #"{"when":{"topic":"a","silent":5}}"#, #"{"at":0}"#,
      #"{"calendar":{"hour":7}}"#, #"{"cron":"@daily"}"#, #"{"rrule":"FREQ=DAILY"}"#, #"{"sun":"noon"}"#,
    ].map { try trigger($0).isElapsed }
    #expect(elapsed == [true, true, true, false, false, false, false, false])
    #expect(!Trigger.now.isElapsed)
  }

  @Test func everyKindIsNamedByItsField() throws {
    for text in [
      #"{"after":5}"#, #"{"every":5}"#, #"{"at":0}"#, #"{"calendar":{"hour":7}}"#, #"{"cron":"x"}"#,
      #"{"rrule":"x"}"#, #"{"sun":"noon"}"#, #"{"when":{"topic":"a","silent":5}}"#,
    ] {
      let name = try trigger(text).kind.name
      #expect(text.hasPrefix("{\"\(name)\""))
    }
    #expect(Trigger.now.kind.name == "now")
  }
}
