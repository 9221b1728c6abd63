import CarillonModel
import CarillonTestSupport
import FoundationEssentials
import Testing

@testable import CarillonStore

/// The log that SQLite writes before the file, and the notes that keep rows out of it.
@Suite struct QueueLogTests {
  /// A page of SQLite's, and what the log has besides of each.
  private static let page = 4096 + 24

  private func write(_ queue: Queue, pages: Int) throws {
    let content = [UInt8](repeating: 0x20, count: 4096)
    try queue.transaction { () throws(StoreError) in
      for _ in 0..<pages {
        _ = try queue.insert(
          StoredRequest(
            id: "r", state: .finished, axis: .wall, due: nil, anchor: nil, publisher: nil, thread: nil,
            revision: nil, zone: "UTC", accepted: WallTime(milliseconds: 0), rule: [], content: content))
      }
    }
  }

  private func logSize(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int)
  }

  @Test func `A long log is copied when somebody finds the time`() throws {
    let folder = try TemporaryDirectory()
    let queue = try Queue(path: folder.file("relay.db"))
    #expect(!queue.isLogLong)
    for _ in 0..<15 { try write(queue, pages: 100) }
    let before = try logSize(folder.file("relay.db"))
    #expect(queue.isLogLong)
    queue.copyLog()
    #expect(!queue.isLogLong)
    // It begins anew, in the place that it has.
    try write(queue, pages: 100)
    #expect(!queue.isLogLong)
    #expect(try logSize(folder.file("relay.db")) == before)
  }

  @Test func `If nobody does, it is copied all the same`() throws {
    let folder = try TemporaryDirectory()
    let queue = try Queue(path: folder.file("relay.db"))
    for _ in 0..<100 { try write(queue, pages: 100) }
    #expect(try logSize(folder.file("relay.db")) < 5000 * QueueLogTests.page)
  }

  @Test func `While somebody reads, it is not tried at each commit, and copied once he is done`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("relay.db")
    let queue = try Queue(path: path)
    try write(queue, pages: 100)
    let reader = try Database(path: path, isReadOnly: true)
    try reader.execute("BEGIN")
    #expect(try reader.integer("SELECT count(*) FROM request") == 100)
    for _ in 0..<11 { try write(queue, pages: 100) }
    #expect(queue.isLogLong)
    queue.copyLog()
    #expect(!queue.isLogLong)
    try write(queue, pages: 100)
    #expect(!queue.isLogLong)
    for _ in 0..<9 { try write(queue, pages: 100) }
    #expect(queue.isLogLong)
    #expect(try reader.integer("SELECT count(*) FROM request") == 100)
    try reader.execute("COMMIT")
    queue.copyLog()
    let size = try logSize(path)
    try write(queue, pages: 100)
    #expect(!queue.isLogLong)
    #expect(try logSize(path) == size, "it begins anew")
  }

  @Test func `A check beside it finds a store sound while it is written`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("relay.db")
    let queue = try Queue(path: path)
    for _ in 0..<3 {
      try write(queue, pages: 100)
      try Maintenance.check(path: path)
    }
    #expect(throws: StoreError.self) { try Maintenance.check(path: folder.file("none.db")) }
  }

  @Test func `A change that need not be on disk at once is one all the same`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("relay.db")
    do {
      let queue = try Queue(path: path)
      try queue.transaction(isDurable: false) { () throws(StoreError) in try queue.setFact("a", "1") }
      try? queue.transaction(isDurable: false) { () throws(StoreError) in
        try queue.setFact("a", "2")
        throw StoreError.readOnly
      }
      try queue.transaction { () throws(StoreError) in try queue.setFact("b", "3") }
    }
    let queue = try Queue(path: path)
    #expect(try queue.fact("a") == "1")
    #expect(try queue.fact("b") == "3")
  }

  @Test func `The next due time is that of a note, where one comes before every row`() throws {
    let queue = try Queue(path: ":memory:")
    func note(_ due: Int64, _ sequence: Int64) throws {
      try queue.transaction { () throws(StoreError) in
        try queue.noteEarlier(DuePlace(due: due, sequence: sequence))
      }
    }
    #expect(try queue.nextDue(on: .wall) == nil)
    try note(500, 7)
    try note(500, 7)
    #expect(try queue.nextDue(on: .wall) == 500)
    #expect(try queue.nextDue(on: .elapsed) == nil)
    try queue.transaction { () throws(StoreError) in
      for due: Int64 in [400, 600] {
        _ = try queue.insert(
          StoredRequest(
            id: "r\(due)", state: .pending, axis: .wall, due: due, anchor: nil, publisher: nil, thread: nil,
            revision: nil, zone: "UTC", accepted: WallTime(milliseconds: 0), rule: [], content: []))
      }
    }
    #expect(try queue.nextDue(on: .wall) == 400)
    try note(300, 2)
    #expect(try queue.earlier(through: 499, limit: 10) == [DuePlace(due: 300, sequence: 2)])
    #expect(try queue.earlier(through: 500, limit: 10).map(\.sequence) == [2, 7])
    try queue.transaction { () throws(StoreError) in
      try queue.forgetEarlier(DuePlace(due: 300, sequence: 2))
    }
    #expect(try queue.nextDue(on: .wall) == 400)
  }
}
