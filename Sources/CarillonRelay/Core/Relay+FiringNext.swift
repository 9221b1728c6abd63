import CarillonModel
import CarillonStore

extension Relay {
  /// `fire` with `next` as the `fire` that it means at the moment: of whatever falls due next. Nags and snoozes are no
  /// requests of their own and are passed over.
  ///
  /// - Returns: `nil` where nothing is pending; any other command as it is.
  func named(_ command: Command, at moment: Moment) throws(StoreError) -> Command? {
    guard command == .fireNext else { return command }
    return try nextRequest(at: moment).map { .fire(id: $0) }
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
