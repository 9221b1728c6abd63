import CarillonLinks
import CarillonModel
import CarillonSchedule

extension CommandBatch {
  /// Judges the commands as the relay will, so that a slip is told at once and without a broker.
  ///
  /// What only the relay knows, it says itself: which links and topics are allowed, its zone, its place and its clock.
  ///
  /// - Throws: `Refusal`, with the place.
  func check() throws(Refusal) {
    switch CommandPayload(reading: payload()) {
    case .empty: throw Refusal(.invalid, "the command is empty")
    case .refused(let refusal): throw refusal
    case .single(let received): try CommandBatch.check(received)
    case .list(let elements):
      for (index, received) in elements.enumerated() {
        do { try CommandBatch.check(received) } catch { throw error.below("[\(index)]") }
      }
    }
  }

  private static func check(_ received: ReceivedCommand) throws(Refusal) {
    guard case .schedule(let request) = try received.command.get() else { return }
    for link in request.content.links {
      do { _ = try LinkTemplate(parsing: link.text) } catch { throw error.below(link.path) }
    }
    try check(request.trigger)
  }

  /// Reads the text of a rule, and asks a rule whose start is in it, or which has none, whether it can fire.
  private static func check(_ trigger: Trigger) throws(Refusal) {
    var isWhole = true
    switch trigger.kind {
    case .calendar, .cron: break
    case .recurrence(_, start: .local, except: _): break
    // It begins when and where the relay says.
    case .recurrence: isWhole = false
    default: return
    }
    let moment = Moment(wall: WallTime(milliseconds: 0), elapsed: 0)
    let schedule = try TriggerSchedule(
      trigger, TriggerSchedule.Context(zone: .utc, location: nil, moment: moment, accepted: moment.wall))
    if isWhole, let reason = schedule.whyNever {
      throw Refusal(.never, at: "trigger.\(trigger.kind.name)", reason)
    }
  }
}
