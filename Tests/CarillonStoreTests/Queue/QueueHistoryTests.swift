import CarillonModel
import Testing

@testable import CarillonStore

private let noon = WallTime(milliseconds: 1_800_000_000_000)
private let cut = noon + .seconds(1)

private func request(_ id: String, _ state: RequestState = .finished, revision: Int64? = nil) -> StoredRequest
{
  StoredRequest(
    id: id, state: state, axis: .wall, due: nil, anchor: nil, publisher: nil, thread: nil, revision: revision,
    zone: "UTC", accepted: noon, rule: [], content: [])
}

/// Adds a firing of a request, with a delivery that waits or one that is over.
@discardableResult
private func fire(_ queue: Queue, _ sequence: Int64, due: WallTime = noon, devices: Int64 = 1, waits: Bool)
  throws(StoreError) -> Int64
{
  let row = try queue.insert(
    StoredFiring(
      sequence: sequence, stamp: queue.nextSerial(), due: due, axis: .wall, release: due.milliseconds,
      fired: due))
  for device in 1...devices {
    try queue.insertDelivery(row, to: device, due: due)
    if !waits { try queue.markAccepted(row, device, closing: .notification, at: due) }
  }
  return row
}

extension Queue {
  /// Prunes slice by slice until all that is old has been seen.
  fileprivate func pruneAll(
    before: WallTime = cut, revisionsBefore: WallTime? = nil, limit: Int
  ) throws -> (removed: Int, slices: Int) {
    var removed = 0
    for slice in 1...100 {
      let found = try transaction { () throws(StoreError) in
        try pruneHistory(before: before, revisionsBefore: revisionsBefore, limit: limit)
      }
      removed += found.removed
      if found.isDone { return (removed: removed, slices: slice) }
    }
    Issue.record("it never ends")
    return (removed: removed, slices: 100)
  }
}

@Suite struct QueueHistoryTests {
  @Test func `What waits for a device that is away does not stop what comes after it`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      for number in 0..<30 {
        let waiting = number < 20
        let sequence = try queue.insert(request(waiting ? "waiting\(number)" : "done\(number)"))
        try fire(queue, sequence, waits: waiting)
      }
    }
    let found = try queue.pruneAll(limit: 7)
    #expect(found.removed == 20)
    for number in 0..<20 { #expect(try queue.current("waiting\(number)") != nil) }
    for number in 20..<30 { #expect(try queue.current("done\(number)") == nil) }
    #expect(try queue.countOpen(1) == 20)
  }

  @Test func `It begins anew at the end, and takes what has been answered since`() throws {
    let queue = try Queue(path: ":memory:")
    let row = try queue.transaction { () throws(StoreError) in
      let row = try fire(queue, try queue.insert(request("first")), waits: true)
      for number in 0..<10 { try fire(queue, try queue.insert(request("r\(number)")), waits: false) }
      return row
    }
    #expect(try queue.pruneAll(limit: 4).removed == 20)
    #expect(try queue.pruneAll(limit: 4).removed == 0)
    try queue.transaction { () throws(StoreError) in
      try queue.markAccepted(row, 1, closing: .notification, at: noon)
    }
    #expect(try queue.pruneAll(limit: 4).removed == 2)
    #expect(try queue.current("first") == nil)
  }

  @Test func `A request goes with the last of its firings, and not before`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      let sequence = try queue.insert(request("twice"))
      try fire(queue, sequence, waits: false)
      try fire(queue, sequence, due: cut, waits: false)
      let pending = try queue.insert(request("pending", .pending))
      try fire(queue, pending, waits: false)
    }
    #expect(try queue.pruneAll(limit: 10).removed == 2)
    #expect(try queue.current("twice") != nil)
    #expect(try queue.current("pending") != nil)
    #expect(try queue.pruneAll(before: cut + .seconds(1), limit: 10).removed == 2)
    #expect(try queue.current("twice") == nil)
    #expect(try queue.current("pending") != nil)
  }

  @Test func `Requests that ended without a firing go by their age, past those that stay`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      for number in 0..<10 {
        try fire(queue, try queue.insert(request("fired\(number)")), due: cut, waits: false)
      }
      for number in 0..<10 {
        _ = try queue.insert(request("none\(number)", number % 2 == 0 ? .finished : .cancelled))
      }
      _ = try queue.insert(request("invalid", .invalid))
    }
    #expect(try queue.pruneAll(limit: 3).removed == 10)
    for number in 0..<10 {
      #expect(try queue.current("fired\(number)") != nil)
      #expect(try queue.current("none\(number)") == nil)
    }
    #expect(try queue.current("invalid") != nil)
  }

  @Test func `A cancelled request with a revision has an age of its own`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      _ = try queue.insert(request("plain", .cancelled))
      _ = try queue.insert(request("revised", .cancelled, revision: 5))
      let fired = try queue.insert(request("fired", .cancelled, revision: 5))
      try fire(queue, fired, waits: false)
      _ = try queue.insert(request("finished", .finished, revision: 5))
    }
    #expect(try queue.pruneAll(revisionsBefore: noon, limit: 100).removed == 3)
    #expect(try queue.current("plain") == nil)
    #expect(try queue.current("revised")?.revision == 5)
    #expect(try queue.current("fired")?.revision == 5)
    #expect(try queue.current("finished") == nil)
    #expect(try queue.pruneAll(revisionsBefore: cut, limit: 100).removed == 2)
    #expect(try queue.current("revised") == nil)
  }

  @Test func `Firings for many devices go a few at a time`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      for number in 0..<6 {
        try fire(queue, try queue.insert(request("r\(number)")), devices: 60, waits: false)
      }
    }
    let first = try queue.transaction { () throws(StoreError) in
      try queue.pruneHistory(before: cut, limit: 10)
    }
    #expect(first.removed == 4)
    #expect(!first.isDone)
    #expect(try queue.pruneAll(limit: 10).removed == 8)
  }

  @Test func `A slice that fails is looked at again`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      for number in 0..<4 { try fire(queue, try queue.insert(request("r\(number)")), waits: false) }
    }
    #expect(throws: StoreError.busy) {
      try queue.transaction { () throws(StoreError) in
        _ = try queue.pruneHistory(before: cut, limit: 2)
        throw .busy
      }
    }
    #expect(try queue.pruneAll(limit: 2).removed == 8)
  }

  @Test(arguments: [
    (Queue.oldFirings, ["SEARCH firing USING INTEGER PRIMARY KEY (rowid>?)"]),
    (Queue.endedRequests, ["SEARCH request USING INDEX request_past (accepted>? AND accepted<?)"]),
    (
      Queue.deleteEnded,
      [
        "SEARCH request USING INTEGER PRIMARY KEY (rowid=?)", "SCALAR SUBQUERY 1",
        "SEARCH firing USING COVERING INDEX firing_request (sequence=?)",
      ]
    ),
  ])
  func `Housekeeping goes by indexes`(query: String, plan: [String]) throws {
    let queue = try Queue(path: ":memory:")
    #expect(try queue.database.statement("EXPLAIN QUERY PLAN \(query)").all([]) { $0.text(3) } == plan)
  }
}
