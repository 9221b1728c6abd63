import CarillonModel
import CarillonSchedule
import CarillonTime

/// The rules, zones and instants that are measured with.
final class RuleSamples {
  struct Kind {
    var name: String
    var rules: [TriggerRule]
    /// What the median is to stay below, in microseconds.
    var limit: Double?
  }

  let kinds: [Kind]
  let zones: [Zone]
  let crons: [String]
  let recurrences: [(text: String, start: CivilTime)]
  private var mix = RuleMix(seed: 1)

  /// Clocks that change and do not, in both hemispheres, by half an hour, around Ramadan, and over the date line.
  private static let zoneNames = [
    "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Africa/Casablanca",
    "America/Santiago", "Pacific/Apia",
  ]

  init(count: Int) throws {
    let database = ZoneDatabase()
    zones = try RuleSamples.zoneNames.map { name in try database.zone(named: name) }
    var mix = RuleMix(seed: 2)
    crons = (0..<count).map { _ in mix.cron() }
    recurrences = try (0..<count).map { _ in
      let (text, start) = mix.recurrence()
      guard case .local(let reading) = try WrittenTime(parsing: start) else {
        throw Refusal(.invalid, "\(start) is no reading of a clock")
      }
      return (text, reading)
    }
    kinds = [
      Kind(name: "cron", rules: try crons.map { .cron(try CronRule(parsing: $0)) }, limit: 5),
      Kind(
        name: "calendar",
        rules: try (0..<count).map { _ in
          .calendar(CalendarRule(try CalendarComponents.read(mix.calendar(), at: "calendar")))
        }, limit: 5),
      Kind(
        name: "rrule",
        rules: try recurrences.map { .recurrence(try RecurrenceRule(parsing: $0.text, start: $0.start)) },
        limit: 30),
      Kind(name: "sun", rules: try (0..<count).map { _ in .sun(try RuleSamples.sun(&mix)) }),
    ]
  }

  /// Anywhere where people live, and beyond the polar circles, where some days have no sunrise.
  private static func sun(_ mix: inout RuleMix) throws -> SunRule {
    let location = try SunLocation(
      latitude: Double(mix.number(-55...70)), longitude: Double(mix.number(-180...180)))
    return try SunRule(
      mix.one(of: SunEvent.allCases), at: location, offset: .seconds(mix.one(of: [-3600, -900, 0, 0, 1800])),
      weekdays: mix.one(of: [nil, nil, [.friday], [.monday, .wednesday]]))
  }

  /// Instants from 2000 to 2100.
  func instants(_ count: Int) -> [WallTime] {
    (0..<count).map { _ in WallTime(seconds: Int64(mix.number(946_684_800...4_102_444_800))) }
  }
}
