import CarillonModel
import Testing

@testable import CarillonStore

private let noon = WallTime(milliseconds: 1_800_000_000_000)
private let moment = Moment(wall: noon, elapsed: 5000)

private func fire(
  _ queue: Queue, to devices: [Int64], axis: TimeAxis = .wall, release: Int64, fired: WallTime? = nil
) throws(StoreError) {
  let row = try queue.insert(
    StoredFiring(
      sequence: 1, stamp: queue.nextSerial(), due: noon, axis: axis, release: release, fired: fired))
  for device in devices { try queue.insertDelivery(row, to: device, due: noon) }
}

@Suite struct QueueWaitingTests {
  @Test func `What was prepared is not unreceived before its moment, on either clock`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      try fire(queue, to: [1, 2], release: noon.milliseconds - 1, fired: noon)
      try fire(queue, to: [1], release: noon.milliseconds)
      try fire(queue, to: [1, 2], release: noon.milliseconds + 1)
      try fire(queue, to: [1], axis: .elapsed, release: 5000)
      try fire(queue, to: [1], axis: .elapsed, release: 5001)
    }
    #expect(try queue.countOpen(1) == 5)
    #expect(try queue.countUnreceived(1, at: moment) == 3)
    #expect(try queue.countUnreceived(2, at: moment) == 1)
    #expect(try queue.countUnreceived(3, at: moment) == 0)
    let later = Moment(wall: noon + .milliseconds(1), elapsed: 5001)
    #expect(try queue.countUnreceived(1, at: later) == 5)
  }

  @Test func `Devices for which something waits are found from one to the next`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      for _ in 0..<3 { try fire(queue, to: [2, 5, 9], release: noon.milliseconds) }
    }
    #expect(try queue.devicesWithOpen() == [2, 5, 9])
    #expect(try queue.devicesWithOpen(after: 2, limit: 1) == [5])
    #expect(try queue.devicesWithOpen(after: 5, limit: 8) == [9])
    #expect(try queue.devicesWithOpen(after: 9, limit: 8).isEmpty)
  }

  @Test(arguments: [
    // Too old: those due at 0, 1 and 2 seconds. Too many: all but the newest so many.
    (age: 3, keeping: 100, most: Int.max, dropped: 6), (age: 0, keeping: 15, most: .max, dropped: 5),
    (age: 3, keeping: 15, most: .max, dropped: 6), (age: 2, keeping: 15, most: .max, dropped: 5),
    (age: 0, keeping: 20, most: .max, dropped: 0), (age: 0, keeping: 0, most: .max, dropped: 20),
    (age: 3, keeping: 15, most: 4, dropped: 4), (age: 100, keeping: 100, most: .max, dropped: 20),
  ])
  func `The oldest go, by age or by number, and no more at once than asked for`(
    age: Int, keeping: Int, most: Int, dropped: Int
  ) throws {
    let queue = try Queue(path: ":memory:")
    let found = try queue.transaction { () throws(StoreError) in
      // Two at each second, for two devices.
      for number in 0..<20 {
        let row = try queue.insert(
          StoredFiring(
            sequence: 1, stamp: queue.nextSerial(), due: noon, axis: .wall, release: noon.milliseconds))
        for device: Int64 in [1, 2] {
          try queue.insertDelivery(row, to: device, due: noon + .seconds(number / 2))
        }
      }
      return try queue.dropWaiting(
        1, dueBefore: noon + .seconds(age), keeping: keeping, atMost: most, at: noon)
    }
    #expect(found == dropped)
    #expect(try queue.countOpen(1) == 20 - dropped)
    #expect(try queue.countOpen(2) == 20)
    let states = try (1...20).compactMap { try queue.delivery(Int64($0), 1)?.state }
    #expect(states.prefix(dropped).allSatisfy { $0 == .dropped })
    #expect(states.dropFirst(dropped).allSatisfy { $0 == .waiting })
  }

  @Test(arguments: [
    (Queue.openCount, ["SEARCH delivery USING COVERING INDEX delivery_open (device=?)"]),
    (Queue.nextOpenDevice, ["SEARCH delivery USING COVERING INDEX delivery_open (device>?)"]),
    (Queue.firstExcess, ["SEARCH delivery USING COVERING INDEX delivery_open (device=?)"]),
    (
      Queue.dropOldest,
      [
        "SEARCH delivery USING PRIMARY KEY (firing=? AND device=?)", "LIST SUBQUERY 1",
        "SEARCH delivery USING COVERING INDEX delivery_open (device=? AND (due,firing)<(?,?))",
      ]
    ),
    (
      Queue.unreleasedCount,
      [
        "SEARCH f USING INDEX firing_unfired (axis=? AND release>?)",
        "SEARCH d USING PRIMARY KEY (firing=? AND device=?)",
      ]
    ),
  ])
  func `What is asked for every device reads indexes alone`(query: String, plan: [String]) throws {
    let queue = try Queue(path: ":memory:")
    #expect(try queue.database.statement("EXPLAIN QUERY PLAN \(query)").all([]) { $0.text(3) } == plan)
  }
}
