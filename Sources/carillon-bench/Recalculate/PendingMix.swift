import CarillonModel
import CarillonSchedule
import CarillonStore
import CarillonTime
import Glibc

/// Pending requests as the relay stores them: cron, calendar and rrule in equal parts, each of them once a day or more
/// seldom, none of them due while it is measured.
final class PendingMix {
  /// A request whose next firing is looked at afterwards.
  struct Sample {
    var id: String
    /// What the clocks show when it fires.
    var reading: CivilTime
  }

  private(set) var samples: [Sample] = []
  /// Of all identifiers, rules and contents.
  private(set) var bytes = 0
  private let zones: ReplaceableZones
  private let now: Moment
  private let reached: Reached
  private var mix = RuleMix(seed: 3)

  /// Nothing falls due within it, whatever the clocks show.
  private static let quiet: Duration = .seconds(4 * 3600)
  /// One in so many is a sample.
  private static let samplePeriod = 1000
  private static let mostSamples = 500

  init(_ zones: ReplaceableZones) throws {
    self.zones = zones
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let wall = WallTime(seconds: Int64(time.tv_sec))
    now = Moment(wall: wall, elapsed: 0)
    reached = Reached(time: wall, reading: zones.old.reading(at: wall).utc.milliseconds)
  }

  /// The request of a number, from 0.
  func request(_ number: Int) throws -> StoredRequest {
    while true {
      let json = trigger(number % 3)
      let trigger = try Trigger.read(json, at: "trigger")
      guard let due = try first(trigger, zones.old), due > now.wall + PendingMix.quiet else { continue }
      let id = "request-\(number)"
      if number % PendingMix.samplePeriod == 0, samples.count < PendingMix.mostSamples {
        samples.append(Sample(id: id, reading: zones.old.reading(at: due)))
      }
      return stored(id, json, due)
    }
  }

  private func trigger(_ kind: Int) -> JSON {
    switch kind {
    case 0: return ["cron": .string(mix.cron(frequent: false))]
    case 1: return ["calendar": mix.calendar(frequent: false), "repeats": true]
    default:
      let (text, start) = mix.recurrence(frequent: false)
      return ["rrule": .string(text), "start": .string(start)]
    }
  }

  private func first(_ trigger: Trigger, _ zone: Zone) throws -> WallTime? {
    let context = TriggerSchedule.Context(zone: zone, location: nil, moment: now, accepted: now.wall)
    return try TriggerSchedule(trigger, context).first(from: now.wall.milliseconds)
      .map { WallTime(milliseconds: $0.due) }
  }

  private func stored(_ id: String, _ trigger: JSON, _ due: WallTime) -> StoredRequest {
    let content: JSONObject = [
      "title": "Bins out", "body": .string("On the street before seven, the green one and the paper; \(id)"),
      "url": "home://chores/bins?due={due}&from=kitchen", "thread": "chores",
      "actions": [["id": "done", "title": "Done"], ["id": "map", "title": "Where"]],
    ]
    var request = StoredRequest(
      id: id, state: .pending, axis: .wall, due: due.milliseconds, anchor: nil, publisher: nil,
      thread: "chores", revision: nil, zone: ReplaceableZones.name, accepted: now.wall,
      rule: members(["to": "hall", "trigger": trigger]), content: members(content))
    request.reached = reached
    bytes += id.utf8.count + request.rule.count + request.content.count
    return request
  }

  /// The store keeps objects without their braces.
  private func members(_ object: JSONObject) -> [UInt8] {
    Array(JSON.object(object).encoded.dropFirst().dropLast())
  }
}
