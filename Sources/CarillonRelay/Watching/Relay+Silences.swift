import CarillonModel
import CarillonStore

// Requests that wait for a topic to fall silent.
extension Relay {
  /// A message on the topic of requests that wait for its silence: that begins anew.
  mutating func hear(_ watchers: [Watcher], at moment: Moment) throws(StoreError) {
    let changed = watchers.filter { isWorthWriting($0, at: moment) }
    let standings = try queue.standings(of: changed.map(\.sequence))
    var dues: [Int64?: [Int64]] = [:]
    for watcher in changed {
      guard let silence = watcher.condition.silence, let standing = standings[watcher.sequence],
        standing.isHeldOrPending
      else { continue }
      let delay = watcher.condition.delay
      let isArmed = watches.armed[watcher.sequence] != nil
      if !isArmed, let due = standing.due, Relay.isOver(due, delay, at: moment) { continue }
      let times = standing.watch.times(
        after: silence, delay: delay ?? .zero, watcher.condition.quiet, at: moment)
      dues[times?.due, default: []].append(watcher.sequence)
      watches.armed[watcher.sequence] = times.map { Watches.Armed(stored: $0.due, exact: $0.due) }
    }
    for (due, sequences) in dues { try queue.setDue(due, ofRequests: sequences) }
  }

  /// Whether the store has to know that a silence begins anew. Each change is a commit, and a chatty topic would make very
  /// many: the store follows in small steps.
  private mutating func isWorthWriting(_ watcher: Watcher, at moment: Moment) -> Bool {
    let (sequence, delay) = (watcher.sequence, watcher.condition.delay)
    guard let silence = watcher.condition.silence, let armed = watches.armed[sequence] else { return true }
    guard !Relay.isOver(armed.exact, delay, at: moment) else { return false }
    let due = moment.elapsed.addingSaturated((silence + (delay ?? .zero)).milliseconds)
    guard due - armed.stored <= silence.milliseconds / Relay.stepsOfSilence else { return true }
    watches.armed[sequence]?.exact = due
    return false
  }

  /// Whether it has been silent for so long, and only a delay is still to pass.
  private static func isOver(_ due: Int64, _ delay: Duration?, at moment: Moment) -> Bool {
    delay.map { moment.elapsed >= due.subtractingSaturated($0.milliseconds) } ?? false
  }

  /// In so many steps at most the store follows a silence that begins anew with each message; it may lag behind by one.
  private static let stepsOfSilence: Int64 = 100

  /// Writes down what has been heard since the store was told, as before a stop.
  mutating func saveSilences() throws(StoreError) {
    for (sequence, armed) in watches.armed where armed.exact != armed.stored {
      try queue.setDue(armed.exact, ofRequest: sequence)
      watches.armed[sequence]?.stored = armed.exact
    }
  }
}

extension Condition {
  /// How long nothing must be heard, where that is the test.
  var silence: Duration? {
    if case .silent(let duration) = test { duration } else { nil }
  }

  var isSilence: Bool { silence != nil }
}
