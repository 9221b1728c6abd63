import CarillonModel
import CarillonTime

extension TriggerRule {
  /// The rule of a trigger of the wall clock, whose texts are read here.
  ///
  /// - Throws: `invalid`, at the field in `trigger`, with the part of its text that is at fault.
  init(_ trigger: Trigger, _ context: TriggerSchedule.Context) throws(Refusal) {
    switch trigger.kind {
    case .calendar(let components): self = .calendar(CalendarRule(components))
    case .cron(let text):
      do { self = .cron(try CronRule(parsing: text)) } catch { throw error.refusal(at: "trigger.cron") }
    case .recurrence(let text, let start, let except):
      let first = TriggerRule.start(start, context)
      do {
        self = .recurrence(try RecurrenceRule(parsing: text, start: first, except: except))
      } catch {
        throw error.refusal(at: "trigger.rrule")
      }
    case .sun(let event, let offset, let weekdays):
      guard let location = context.location else {
        throw Refusal(
          .invalid, at: "trigger.sun", "nobody has said where the sun is watched from; configure a location")
      }
      do {
        self = .sun(try SunRule(event, at: location, offset: offset, weekdays: weekdays.map(Set.init)))
      } catch {
        throw error.below("trigger")
      }
    default: throw Refusal(.invalid, at: "trigger", "this trigger has no rule of the wall clock")
    }
  }

  /// Where a recurrence rule begins, as its zone's clocks read it; without a start: the first whole second that was still to
  /// come when the request was accepted, so that a rule that begins there has its first occurrence.
  private static func start(_ start: WrittenTime?, _ context: TriggerSchedule.Context) -> CivilTime {
    switch start {
    case .local(let reading): return reading
    case .instant(let time): return context.zone.reading(at: time)
    case nil: return context.zone.reading(at: WallTime(seconds: context.accepted.seconds + 1))
    }
  }
}
