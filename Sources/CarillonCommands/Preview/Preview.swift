import CarillonModel
import CarillonTime

/// `carillon preview`: prints when a trigger fires next. Needs no broker.
enum Preview {
  static let verb = CommandLineVerb(
    "preview", "Print when a trigger fires next, without a broker",
    forms: ["TRIGGER [--timezone ZONE] [--after TIME] [--count N]"],
    configuration: .client,
    groups: [
      OptionGroup("Trigger", SharedOptions.trigger.options.filter { $0.name != "after" }),
      OptionGroup(
        "Output",
        [
          Option("after", "TIME", "Where the preview starts, exclusive. Default: now."),
          Option("count", "N", "How many firings to print. Default 5."),
          SharedOptions.timezone, location, SharedOptions.json,
        ]),
    ],
    discussion: "Prints one firing a line, in the zone: those of a request that were accepted at the start. "
      + "--after is the start here; a trigger of that kind is given with --trigger. A --rrule without --start "
      + "begins a second after it. A --calendar or a --sun without --repeats fires once. --when cannot be foreseen.",
    examples: [
      .init(
        "Every six hours from a fixed time on:",
        "carillon preview --every 6h --from 2026-12-01T08:00 --timezone Europe/Berlin"),
      .init(
        "Mondays and Fridays at half past seven:",
        "carillon preview --calendar 'weekday=mon,fri hour=7 minute=30' --repeats"),
      .init("What a crontab's line means:", "carillon preview --cron '0 9 1 * mon' --count 10"),
      .init(
        "The last Friday of each month, but for Christmas:",
        "carillon preview --rrule 'FREQ=MONTHLY;BYDAY=-1FR' --start 2026-01-30T17:00 --except 2026-12-25T17:00"
      ),
      .init(
        "Half an hour before sunset in Berlin:",
        "carillon preview --sun sunset --offset -30m --repeats --location 52.5,13.4 --timezone Europe/Berlin"),
      .init("What half an hour from now is:", "carillon preview --trigger '{\"after\":\"30m\"}'"),
      .init(
        "A time at which the clocks change:",
        "carillon preview --at 2027-03-28T02:30 --timezone Europe/Berlin --after 2027-01-01T00:00"),
    ],
    run: run)

  /// Firings printed where `--count` does not say (protocol §8).
  private static let defaultCount = 5
  private static let countLimit: Int64 = 100_000

  private static func run(_ call: Invocation) throws -> ExitStatus {
    do {
      guard let json = try TriggerOptions.trigger(call.settings, ignoring: ["after"]) else {
        throw Failure.usage("a trigger is missing, such as --every 6h; carillon help preview has examples")
      }
      let trigger = try Trigger.read(json, at: "trigger")
      let zone = try zone(call)
      let start = try start(call, zone)
      let schedule = try schedule(of: trigger, acceptedAt: start, in: zone, call)
      let found = print(firings(of: schedule, trigger, after: start), try count(call), zone, call)
      if found == 0 {
        call.console.say(
          "carillon preview: nothing fires after \(zone.timestamp(start, milliseconds: false))")
      }
      return .done
    } catch let refusal as Refusal {
      throw refusal.failure(call.settings, call.verb)
    }
  }

  private static func zone(_ call: Invocation) throws -> Zone {
    let zones = ZoneDatabase()
    if let name = call.settings.text("timezone") { return try zones.zone(named: name) }
    let local = zones.local()
    if let problem = local.problem { call.console.say("carillon preview: \(problem)") }
    return local.zone
  }

  private static func start(_ call: Invocation, _ zone: Zone) throws -> WallTime {
    guard let text = call.settings.text("after") else { return call.surroundings.now() }
    do { return zone.instant(of: try WrittenTime(parsing: text)) } catch {
      throw error.below("after")
    }
  }

  private static func count(_ call: Invocation) throws -> Int {
    guard let setting = call.settings["count"] else { return defaultCount }
    guard let count = Int64(setting.value), (1...countLimit).contains(count) else {
      throw setting.failure("a whole number from 1 to \(countLimit) is wanted")
    }
    return Int(count)
  }

  /// - Returns: how many there were.
  private static func print(
    _ firings: AnyIterator<WallTime>, _ count: Int, _ zone: Zone, _ call: Invocation
  ) -> Int {
    var found = 0
    for time in firings.prefix(count) {
      found += 1
      if call.settings.has("json") {
        call.console.print(["due": .string(zone.timestamp(time)), "utc": .string(timestamp(utc: time))])
      } else {
        call.console.print(ShownTime.short(zone.timestamp(time)))
      }
      if !call.console.isWhole { break }
    }
    return found
  }
}
