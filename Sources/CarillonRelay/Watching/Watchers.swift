import CarillonModel
import CarillonStore

/// One request's condition on a topic or a device.
struct Watcher: Sendable {
  var sequence: Int64
  var condition: Condition
  var state: WatchState
}

/// The conditions on one topic, by acceptance. They are kept in pieces: while somebody holds a copy of them, to add or to
/// change one copies its piece only.
struct Watchers: Sendable {
  private(set) var pieces: [[Watcher]] = []
  private(set) var count = 0

  private static let size = 128

  init() {}

  init(_ watchers: [Watcher]) {
    for watcher in watchers { append(watcher) }
  }

  mutating func append(_ watcher: Watcher) {
    if pieces.last.map({ $0.count < Watchers.size }) == true {
      pieces[pieces.count - 1].append(watcher)
    } else {
      pieces.append([watcher])
    }
    count += 1
  }

  /// Calls a body for each; what it returns is how that one stands from now on, `nil` for as before.
  mutating func update<Failure: Error>(_ body: (Watcher) throws(Failure) -> WatchState?) throws(Failure) {
    for piece in pieces.indices {
      for place in pieces[piece].indices {
        if let state = try body(pieces[piece][place]) { pieces[piece][place].state = state }
      }
    }
  }

  /// Takes some out.
  mutating func remove(_ sequences: Set<Int64>) {
    for (place, piece) in pieces.enumerated() where piece.contains(where: { sequences.contains($0.sequence) })
    {
      pieces[place].removeAll { sequences.contains($0.sequence) }
      count += pieces[place].count - piece.count
    }
    pieces.removeAll(where: \.isEmpty)
  }
}
