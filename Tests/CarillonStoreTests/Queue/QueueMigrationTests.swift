import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonStore

/// A store that an older program has made.
@Suite struct QueueMigrationTests {
  /// A store of schema 1, as later programs up to a schema have opened it.
  private func old(_ directory: TemporaryDirectory, schema: Int = 1) throws -> String {
    let path = try first(directory)
    var kind = Queue.kind
    kind.migrations = Array(Queue.kind.migrations.prefix(schema))
    _ = try StoreFile(path: path, kind: kind)
    return path
  }

  private func first(_ directory: TemporaryDirectory) throws -> String {
    let path = directory.file("relay.db")
    var kind = Queue.kind
    kind.migrations = [Queue.kind.migrations[0]]
    let file = try StoreFile(path: path, kind: kind)
    try file.database.write { () throws(StoreError) in
      try file.database.execute(
        """
        INSERT INTO meta VALUES ('store', '12345678');
        INSERT INTO zone VALUES (1, 'Europe/Berlin');
        INSERT INTO device(row, name, announced) VALUES (1, 'desk', 1);
        INSERT INTO request VALUES
          (1, 'tea', 1, 0, 1, 5000, NULL, 0, 'p', NULL, NULL, 1, 1000, '"trigger":{"after":"5s"}', '"title":"Tea"'),
          (2, 'bins', 1, 0, 0, 9000, NULL, 0, NULL, 'chores', 7, 1, 1000, '"trigger":{"at":9}', '"title":"Bins"');
        INSERT INTO firing VALUES (1, 1, 4000, 0, 4000, 1, 4000, 4000, 0, 0, NULL, NULL, NULL);
        INSERT INTO delivery VALUES (1, 1, 4000, 0, 1, NULL, NULL);
        UPDATE counter SET pending = 2, fired = 1;
        """)
    }
    return path
  }

  @Test(arguments: 1...Queue.kind.migrations.count)
  func `Everything in it is there, and it can hold what is new`(schema: Int) throws {
    let directory = try TemporaryDirectory()
    let queue = try Queue(path: try old(directory, schema: schema))
    #expect(queue.storeID == "12345678")
    #expect(queue.counters.pending == 2)
    let tea = try #require(try queue.current("tea"))
    #expect(tea.due == 5000)
    #expect(tea.reached == nil)
    #expect(tea.zone == "Europe/Berlin")
    let firing = try #require(
      try queue.firing(DeliveryID(store: "12345678", sequence: 1, stamp: 4000, counter: 0)))
    #expect(firing.series == nil)
    #expect(try queue.outgoing(1, to: 1)?.open == .notification)
    #expect(try queue.nextFollowup() == nil)
    #expect(try queue.watchedTopics() == [])
    var bins = try #require(try queue.current("bins"))
    bins.reached = Reached(time: WallTime(milliseconds: 8000), reading: 11_000)
    try queue.transaction { () throws(StoreError) in try queue.update(bins, was: .pending) }
    #expect(try queue.current("bins")?.reached == bins.reached)
    #expect(try queue.wallRequests(after: .start, limit: 10).map(\.id) == ["bins"])
    var listed: [String] = []
    try queue.eachListed(after: 0) { request in
      listed.append(request.id)
      return true
    }
    #expect(listed == ["tea", "bins"])
    #expect(try queue.notes() == [])
    let focus = StoredFocus.on(until: WallTime(milliseconds: 7000))
    #expect(try queue.devices().map(\.focus) == [nil])
    try queue.transaction { () throws(StoreError) in try queue.setFocus(1, focus) }
    #expect(try queue.devices().map(\.focus) == [focus])
  }

  @Test func `What recognises repeated commands is kept, and no number is given again`() throws {
    let directory = try TemporaryDirectory()
    let path = try old(directory, schema: 4)
    let reply = #"{"ok":true,"note":"\"é\""}"#
    do {
      let database = try Database(path: path)
      try database.run("INSERT INTO taken VALUES (998, 1998, 7, -77, x'')")
      try database.run("INSERT INTO taken VALUES (999, 1999, 8, 78, ?)", .bytes(Array(reply.utf8)))
      // The last request and the last firing are gone.
      try database.execute("DELETE FROM request WHERE sequence = 2; DELETE FROM firing; DELETE FROM delivery")
    }
    let queue = try Queue(path: path)
    let taken = [
      TakenMessage(packet: 7, hash: -77, reply: []),
      TakenMessage(packet: 8, hash: 78, reply: Array(reply.utf8)),
    ]
    #expect(try queue.takenMessages() == taken)
    #expect(try queue.takenNumber() == 1999)
    var coffee = try #require(try queue.current("tea"))
    coffee.id = "coffee"
    try queue.transaction { () throws(StoreError) in
      #expect(try queue.insert(coffee) == 3)
      let firing = StoredFiring(
        sequence: 3, stamp: 1, due: WallTime(milliseconds: 1), axis: .wall, release: 1)
      #expect(try queue.insert(firing) == 2)
    }
    #expect(try queue.database.text("PRAGMA integrity_check") == "ok")
    #expect(try queue.database.integer("SELECT count(*) FROM sqlite_sequence WHERE name = 'request'") == 0)
  }

  @Test func `The old program does not touch it any more`() throws {
    let directory = try TemporaryDirectory()
    let path = try first(directory)
    do { _ = try Queue(path: path) }
    var kind = Queue.kind
    kind.migrations = [Queue.kind.migrations[0]]
    let found = Queue.kind.migrations.count
    #expect(throws: StoreError.newerSchema(found: found, known: 1)) { try StoreFile(path: path, kind: kind) }
  }
}
