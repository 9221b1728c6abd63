import CarillonModel
import CarillonStore
import CarillonTestSupport
import Testing

private let noon = WallTime(milliseconds: 1_800_000_000_000)
private let moment = Moment(wall: noon, elapsed: 5000)

private func request(_ id: String, due: Int64? = 1_800_000_060_000, thread: String? = nil) -> StoredRequest {
  StoredRequest(
    id: id, state: due == nil ? .finished : .pending, axis: .wall, due: due, anchor: nil, publisher: nil,
    thread: thread, revision: nil, zone: "Europe/Berlin", accepted: noon, rule: [],
    content: Array("\"title\":\"T\"".utf8))
}

/// A firing of a request with a delivery to one device.
private func fire(
  _ queue: Queue, _ id: String, to device: String, at time: WallTime = noon
) throws -> (firing: Int64, device: Int64) {
  try queue.transaction { () throws(StoreError) in
    let sequence = try queue.insert(request(id, due: nil))
    let row = try queue.insert(
      StoredFiring(
        sequence: sequence, stamp: time.milliseconds, due: time, axis: .wall, release: time.milliseconds,
        fired: time))
    let device = try queue.deviceRow(Name(stored: device))
    try queue.insertDelivery(row, to: device, due: time)
    return (firing: row, device: device)
  }
}

private func outgoing(_ queue: Queue, _ device: Int64) throws -> [String] {
  var found: [String] = []
  try queue.eachOutgoing(to: device) {
    found.append($0.id)
    return true
  }
  return found
}

@Suite struct QueueTests {
  @Test func `What was committed is there after the store is opened again`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("relay.db")
    var store = ""
    do {
      let queue = try Queue(path: path)
      store = queue.storeID
      try queue.transaction { () throws(StoreError) in
        _ = try queue.insert(request("tea"))
        try queue.setFact("clock", "now")
      }
    }
    let queue = try Queue(path: path)
    #expect(queue.storeID == store)
    #expect(queue.counters.pending == 1)
    let found = try queue.current("tea")
    #expect(found?.zone == "Europe/Berlin")
    #expect(found?.due == 1_800_000_060_000)
    #expect(try queue.fact("clock") == "now")
    #expect(try queue.nextDue(on: .wall) == 1_800_000_060_000)
    #expect(try queue.nextDue(on: .elapsed) == nil)
  }

  @Test func `A transaction that fails leaves nothing, not even in memory`() throws {
    let queue = try Queue(path: ":memory:")
    let before = queue.counters
    #expect(throws: StoreError.busy) {
      try queue.transaction { () throws(StoreError) in
        _ = try queue.insert(request("tea"))
        _ = try queue.deviceRow(Name(stored: "desk"))
        _ = queue.nextSerial()
        throw .busy
      }
    }
    #expect(queue.counters == before)
    #expect(try queue.current("tea") == nil)
    #expect(try queue.devices().isEmpty)
    // The row number that was handed out is not remembered for a device that does not exist.
    let row = try queue.transaction { () throws(StoreError) in try queue.deviceRow(Name(stored: "desk")) }
    #expect(try queue.devices().map(\.row) == [row])
  }

  @Test func `Two stores on one file are one too many`() throws {
    let folder = try TemporaryDirectory()
    let first = try Queue(path: folder.file("relay.db"))
    let error = #expect(throws: StoreError.self) { try Queue(path: folder.file("relay.db")) }
    guard case .alreadyOpen(_, let process)? = error else {
      Issue.record("opened twice: \(String(describing: error))")
      return
    }
    #expect(process != nil)
    #expect(first.counters.pending == 0)
  }

  @Test func `Identifiers are different as soon as one byte is`() throws {
    let queue = try Queue(path: ":memory:")
    let ids = ["ab12", "ba21", "AB12", "\u{e9}", "e\u{301}", "x ", "x"]
    try queue.transaction { () throws(StoreError) in
      for id in ids { _ = try queue.insert(request(id)) }
    }
    for id in ids { #expect(try queue.current(id)?.id.utf8.elementsEqual(id.utf8) == true) }
    #expect(queue.counters.pending == Int64(ids.count))
  }

  @Test func `Deliveries go out in the order of their due times`() throws {
    let queue = try Queue(path: ":memory:")
    _ = try fire(queue, "late", to: "desk", at: noon + .seconds(2))
    let (_, desk) = try fire(queue, "early", to: "desk")
    _ = try fire(queue, "same", to: "desk")
    _ = try fire(queue, "other", to: "bed")
    #expect(try outgoing(queue, desk) == ["early", "same", "late"])
    #expect(try queue.oldestOpen(desk) == noon)
  }

  @Test func `The broker's acknowledgement closes only what nothing answers`() throws {
    let queue = try Queue(path: ":memory:")
    let answered = try fire(queue, "a", to: "desk")
    let plain = try fire(queue, "b", to: "log")
    try queue.transaction { () throws(StoreError) in
      try queue.markAccepted(answered.firing, answered.device, closing: .nothing, at: noon)
      try queue.markAccepted(plain.firing, plain.device, closing: .notification, at: noon)
    }
    #expect(try outgoing(queue, answered.device) == ["a"])
    #expect(try outgoing(queue, plain.device).isEmpty)
    #expect(try queue.delivery(answered.firing, answered.device)?.state == .accepted)
  }

  @Test func `What waits too long, or beyond the limit, is dropped from the oldest on`() throws {
    let queue = try Queue(path: ":memory:")
    var desk: Int64 = 0
    for number in 0..<10 {
      (_, desk) = try fire(queue, "r\(number)", to: "desk", at: noon + .seconds(number))
    }
    let dropped = try queue.transaction { () throws(StoreError) in
      try queue.dropWaiting(desk, dueBefore: noon + .seconds(3), keeping: 5, at: noon)
    }
    #expect(dropped == 5)
    #expect(try outgoing(queue, desk) == ["r5", "r6", "r7", "r8", "r9"])
  }

  @Test func `History goes by age; what is pending or on the way stays`() throws {
    let queue = try Queue(path: ":memory:")
    let done = try fire(queue, "done", to: "desk")
    _ = try fire(queue, "waiting", to: "desk")
    try queue.transaction { () throws(StoreError) in
      _ = try queue.insert(request("pending"))
      try queue.markAccepted(done.firing, done.device, closing: .notification, at: noon)
      _ = try queue.pruneHistory(before: noon + .seconds(1), limit: 100)
    }
    #expect(try queue.current("done") == nil)
    #expect(try queue.current("waiting") != nil)
    #expect(try queue.current("pending") != nil)
  }

  @Test func `A key is known to its publisher alone, and for its time`() throws {
    let queue = try Queue(path: ":memory:")
    let desk = Name(stored: "desk")
    try queue.transaction { () throws(StoreError) in
      try queue.keep(publisher: desk, key: "k", KeptReply(hash: 1, reply: [1]), at: noon.milliseconds)
    }
    #expect(try queue.reply(publisher: desk, key: "k", since: noon.milliseconds)?.reply == [1])
    #expect(try queue.reply(publisher: nil, key: "k", since: noon.milliseconds) == nil)
    #expect(try queue.reply(publisher: desk, key: "k", since: noon.milliseconds + 1) == nil)
  }

  @Test func `A forgotten device has nothing waiting and keeps its history`() throws {
    let queue = try Queue(path: ":memory:")
    let (firing, desk) = try fire(queue, "a", to: "desk")
    try queue.transaction { () throws(StoreError) in
      try queue.setStatus(desk, isOnline: true)
      #expect(try queue.forget(Name(stored: "desk")))
      #expect(try !queue.forget(Name(stored: "nobody")))
    }
    #expect(try outgoing(queue, desk).isEmpty)
    #expect(try queue.devices().first?.isAnnounced == false)
    #expect(try queue.deliveries(of: firing).isEmpty)
  }
}
