import CarillonModel
import CarillonTestSupport
import Testing

// What is wrong with the rule of a trigger.
extension BadInputTests {
  private func trigger(_ json: String, _ code: String, _ path: String, _ hint: String) -> BadCommand {
    BadCommand(json, #"{"title":"x","trigger":\#(json)}"#, code, path, hint)
  }

  @Test("A rule that can never fire, and one that is over, are refused with the reason")
  func never() throws {
    try expectRefused([
      trigger(#"{"cron":"0 0 31 2 *"}"#, "never", "trigger.cron", "31 February does not exist"),
      trigger(#"{"cron":"0 0 31 4,6 *"}"#, "never", "trigger.cron", "April and June have no day 31"),
      trigger(
        #"{"calendar":{"month":2,"day":30},"repeats":true}"#, "never", "trigger.calendar", "30 February"),
      trigger(
        #"{"calendar":{"weekday":"mon","nth":5,"day":1}}"#, "never", "trigger.calendar",
        "day 1 is never the 5th Monday"),
      trigger(
        #"{"rrule":"FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30"}"#, "never", "trigger.rrule", "30 February"),
      trigger(
        #"{"rrule":"FREQ=YEARLY;BYWEEKNO=20;BYMONTH=12","start":"2036-01-01T00:00"}"#, "never",
        "trigger.rrule", "BYWEEKNO=20 and BYMONTH=12"),
      trigger(#"{"calendar":{"year":2020,"month":5}}"#, "past", "trigger.calendar", "ended"),
      trigger(
        #"{"rrule":"FREQ=DAILY;COUNT=1","start":"2020-01-01T00:00"}"#, "past", "trigger.rrule", "ended"),
      trigger(#"{"cron":"@daily","until":"2020-01-01T00:00"}"#, "past", "trigger.until", "ended"),
    ])
  }

  @Test("A rule that cannot be read is refused with what is wrong in it")
  func rules() throws {
    try expectRefused([
      trigger(#"{"cron":"0 75 * * *"}"#, "invalid", "trigger.cron", "hour 75 is not within 0-23"),
      trigger(#"{"cron":"61 * * * *"}"#, "invalid", "trigger.cron", "minute 61"),
      trigger(#"{"cron":"*/0 * * * *"}"#, "invalid", "trigger.cron", "step of 0"),
      trigger(#"{"cron":"0 0 * * 8"}"#, "invalid", "trigger.cron", "day of week 8"),
      trigger(#"{"cron":"@reboot"}"#, "invalid", "trigger.cron", "@reboot"),
      trigger(#"{"cron":"0 7 * *"}"#, "invalid", "trigger.cron", "five fields"),
      trigger(#"{"cron":""}"#, "invalid", "trigger.cron", "empty"),
      trigger(#"{"cron":["@daily"]}"#, "invalid", "trigger.cron", "text"),
      trigger(#"{"calendar":{"weekday":2}}"#, "invalid", "trigger.calendar.weekday", "names"),
      trigger(#"{"calendar":{"hour":[7,24]}}"#, "invalid", "trigger.calendar.hour[1]", "24"),
      trigger(#"{"calendar":{"nth":1}}"#, "invalid", "trigger.calendar.nth", "weekday"),
      trigger(#"{"calendar":{}}"#, "invalid", "trigger.calendar", "at least one"),
      trigger(#"{"calendar":{"hours":7}}"#, "unknown-field", "trigger.calendar.hours", "hour"),
      trigger(#"{"rrule":"FREQ=DAILY;BYHOUR=24"}"#, "invalid", "trigger.rrule", "hour 24"),
      trigger(#"{"rrule":"RRULE:FREQ=DAILY"}"#, "invalid", "trigger.rrule", "RRULE:"),
      trigger(#"{"rrule":"FREQ=DAILY","start":"soon"}"#, "invalid", "trigger.start", "time"),
      trigger(#"{"rrule":"FREQ=DAILY","except":["x"]}"#, "invalid", "trigger.except[0]", "time"),
      trigger(#"{"sun":"moonrise"}"#, "invalid", "trigger.sun", "sunrise"),
      trigger(#"{"sun":"sunset","repeats":true}"#, "invalid", "trigger.sun", "location"),
      trigger(#"{"sun":"sunset","offset":"25h"}"#, "invalid", "trigger.offset", "24"),
      trigger(#"{"cron":"@daily","repeats":true}"#, "invalid", "trigger.repeats", "by nature"),
      trigger(#"{"calendar":{"hour":7},"count":2}"#, "invalid", "trigger.count", "repeats: true"),
      trigger(
        #"{"when":{"device":"desk","presence":"here"}}"#, "invalid", "trigger.when.presence", "active"),
    ])
  }
}
