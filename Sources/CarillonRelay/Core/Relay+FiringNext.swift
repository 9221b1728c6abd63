import CarillonModel
import CarillonStore

extension Relay {
  /// `fire` with `next`: fires now whatever falls due next, besides its schedule. Nags and snoozes are no requests of their
  /// own and are passed over.
  mutating func fireNext(_ context: CommandContext) throws(StoreError) -> Decision {
    guard let id = try nextRequest(at: context.moment) else { return Decision(["ids": .object([:])]) }
    if let refusal = try whyForbidden(.fire(id: id), context.publisher) { return Decision(refusal) }
    return try fire(id, context)
  }

  private func nextRequest(at moment: Moment) throws(StoreError) -> String? {
    var found: (due: WallTime, id: String)?
    func consider(_ due: Int64, _ axis: TimeAxis, _ id: String) {
      let time = moment.wall(at: due, on: axis)
      if time < found?.due ?? WallTime(milliseconds: .max) { found = (time, id) }
    }
    for axis in TimeAxis.allCases {
      let head = try queue.head(on: axis)
      if let request = head.request, let due = request.due { consider(due, axis, request.id) }
      if let earlier = head.earlier, let request = try queue.request(earlier.sequence) {
        consider(earlier.due, axis, request.id)
      }
    }
    return found?.id
  }
}
