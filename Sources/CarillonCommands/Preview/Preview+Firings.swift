import CarillonModel
import CarillonSchedule
import CarillonTime

extension Preview {
  /// The schedule of a request that is accepted at a moment, by the rules that the relay follows.
  ///
  /// - Throws: `Refusal` for what cannot be previewed, cannot be read, or can never fire; `Failure` with the place of
  ///   a fault in a file that says where the sun is watched from.
  static func schedule(
    of trigger: Trigger, acceptedAt start: WallTime, in zone: Zone, _ call: Invocation
  ) throws -> TriggerSchedule {
    var place: SunLocation?
    switch trigger.kind {
    case .when:
      throw Refusal(
        .invalid, at: "trigger.when",
        "nobody knows in advance when a message or a device comes, so there is nothing to preview")
    case .sun:
      place = try location(call)
      guard place != nil else {
        throw Refusal(
          .invalid, at: "trigger.sun",
          "no place is known for which to tell the sun's times; give --location LAT,LON or set location in relay.json5"
        )
      }
    default: break
    }
    // Nobody sets the clock in a preview: elapsed time is the wall clock's.
    let moment = Moment(wall: start, elapsed: start.milliseconds)
    let schedule = try TriggerSchedule(
      trigger, TriggerSchedule.Context(zone: zone, location: place, moment: moment, accepted: start))
    if let reason = schedule.whyNever {
      throw Refusal(.never, at: "trigger.\(trigger.kind.name)", reason)
    }
    return schedule
  }

  /// The firings after a time, in order, as far as they can be written.
  static func firings(
    of schedule: TriggerSchedule, _ trigger: Trigger, after start: WallTime
  ) -> AnyIterator<WallTime> {
    var last: Occurrence?
    return AnyIterator {
      let next =
        if let last { schedule.next(after: last) } else {
          first(of: schedule, trigger, after: start.milliseconds)
        }
      guard let next, next.due <= WallTime.writable.upperBound.milliseconds else { return nil }
      last = next
      return WallTime(milliseconds: next.due)
    }
  }

  private static func first(of schedule: TriggerSchedule, _ trigger: Trigger, after start: Int64)
    -> Occurrence?
  {
    guard let first = schedule.first(from: start) else { return nil }
    // What has no delay fires at the start itself, which is otherwise no part of the preview.
    if first.due > start || trigger.kind == .after(.zero) { return first }
    return schedule.repeats ? schedule.first(from: start.addingSaturated(1)) : nil
  }
}
