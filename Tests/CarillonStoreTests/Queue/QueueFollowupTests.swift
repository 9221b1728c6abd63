import CarillonModel
import Testing

@testable import CarillonStore

private let noon = WallTime(milliseconds: 1_800_000_000_000)

/// A queue with a finished request that has fired once at noon, and nothing left to send.
private func queueWithFiring(thread: String? = nil) throws -> (
  queue: Queue, request: StoredRequest, firing: Int64
) {
  let queue = try Queue(path: ":memory:")
  var request = StoredRequest(
    id: "a", state: .finished, axis: .wall, due: nil, anchor: nil, publisher: nil, thread: thread,
    revision: nil, zone: "UTC", accepted: noon, rule: [], content: [])
  let firing = try queue.transaction { () throws(StoreError) in
    request.sequence = try queue.insert(request)
    let row = try queue.insert(
      StoredFiring(
        sequence: request.sequence, stamp: noon.milliseconds, due: noon, axis: .wall,
        release: noon.milliseconds, fired: noon))
    try queue.insertDelivery(row, to: 1, due: noon)
    try queue.markAccepted(row, 1, closing: .notification, at: noon)
    return row
  }
  return (queue: queue, request: request, firing: firing)
}

@Suite struct QueueFollowupTests {
  @Test(arguments: [Followup.Kind.nag, .snooze])
  func `What something is to come after stays in the history until it has come`(kind: Followup.Kind) throws {
    let (queue, request, firing) = try queueWithFiring()
    func prune() throws -> Int {
      try queue.transaction { () throws(StoreError) in
        let firings = try queue.pruneHistory(before: noon + .seconds(1), limit: 10).removed
        return firings + (try queue.pruneHistory(before: noon + .seconds(1), limit: 10).removed)
      }
    }
    try queue.transaction { () throws(StoreError) in
      try queue.insert(
        Followup(sequence: request.sequence, firing: firing, kind: kind, due: 1), isHeld: false)
    }
    #expect(try prune() == 0)
    #expect(try queue.firing(row: firing) != nil)
    #expect(try queue.current("a") == request)
    try queue.transaction { () throws(StoreError) in
      for followup in try queue.followups(through: 1, limit: 10) { try queue.delete(followup) }
    }
    #expect(try prune() == 2)
    #expect(try queue.current("a") == nil)
  }

  @Test func `What is held is not due, and comes in order once it is let go`() throws {
    let (queue, request, firing) = try queueWithFiring(thread: "x")
    try queue.transaction { () throws(StoreError) in
      for due in [3, 1, 2] as [Int64] {
        try queue.insert(
          Followup(sequence: request.sequence, firing: firing, kind: .snooze, due: due), isHeld: due != 3)
      }
    }
    #expect(try queue.nextFollowup() == 3)
    #expect(try queue.followups(through: 5, limit: 10).map(\.due) == [3])
    try queue.transaction { () throws(StoreError) in
      #expect(try queue.hold(false, followupsOf: "b") == 0)
      #expect(try queue.hold(false, followupsOf: "a") == 3)
    }
    #expect(try queue.followups(through: 2, limit: 10).map(\.due) == [1, 2])
    try queue.transaction { () throws(StoreError) in
      try queue.hold(true, followupsOf: SelectedRequests(thread: "y"))
    }
    #expect(try queue.nextFollowup() == 1)
    try queue.transaction { () throws(StoreError) in
      try queue.hold(true, followupsOf: SelectedRequests(thread: "x"))
    }
    #expect(try queue.nextFollowup() == nil)
  }

  @Test func `Ids with something to come are told once, unless they are listed as pending`() throws {
    let (queue, request, firing) = try queueWithFiring(thread: "x")
    func followed(_ thread: String?) throws -> [String] {
      let found = try queue.followed(SelectedRequests(thread: thread), limit: 10)
      #expect(found.count == found.ids.count)
      return found.ids
    }
    #expect(try followed(nil) == [])
    try queue.transaction { () throws(StoreError) in
      for kind in [Followup.Kind.nag, .snooze] {
        try queue.insert(
          Followup(sequence: request.sequence, firing: firing, kind: kind, due: 1), isHeld: false)
      }
    }
    #expect(try followed(nil) == ["a"])
    #expect(try followed("x") == ["a"])
    #expect(try followed("y") == [])
    try queue.transaction { () throws(StoreError) in
      try queue.supersede(request)
      var next = request
      next.state = .pending
      _ = try queue.insert(next)
    }
    #expect(try followed(nil) == [])
  }

  @Test(arguments: [
    (SeriesPlace(first: 1, position: 0, times: 2), nil, false),
    (SeriesPlace(first: 1, position: 1, times: 2), 1, false),
    (SeriesPlace(first: 1, position: 2, times: 2), 2, false),
    (SeriesPlace(first: 1, position: 3, times: 2), nil, true),
    (SeriesPlace(first: 1, position: 4, times: 2), 1, true),
    (SeriesPlace(first: 1, position: 5, times: 2), 2, true),
  ])
  func `A place tells which repetition it is, and for whom`(
    place: SeriesPlace, repetition: Int64?, isForThen: Bool
  ) throws {
    #expect(place.repetition == repetition)
    #expect(place.isForThen == isForThen)
    let (queue, request, _) = try queueWithFiring()
    var firing = StoredFiring(
      sequence: request.sequence, stamp: 1, counter: 1, due: noon, axis: .wall, release: 1)
    firing.series = place
    let row = try queue.transaction { () throws(StoreError) in try queue.insert(firing) }
    #expect(try queue.firing(row: row)?.series == place)
  }

  @Test func `The next is found by an index, however many are held`() throws {
    let queue = try Queue(path: ":memory:")
    let plan = try queue.database.statement("EXPLAIN QUERY PLAN \(Queue.nextFollowupDue)").all([]) {
      $0.text(3)
    }
    #expect(plan == ["SCAN followup USING INDEX followup_due"])
  }
}
