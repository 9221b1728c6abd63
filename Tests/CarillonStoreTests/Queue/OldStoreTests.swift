import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonStore

/// Stores as the programs of then made them: their SQL is kept in `Tests/Schemas`, and never changes.
@Suite struct OldStoreTests {
  static let schemas = Array(1...Queue.kind.migrations.count)

  private static func made(_ schema: Int, in directory: TemporaryDirectory) throws -> String {
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let file = try TemporaryFile.text("/\(folder)/Schemas/schema\(schema).sql")
    let path = directory.file("relay.db")
    let database = try Database(path: path)
    try database.execute("PRAGMA journal_mode = WAL")
    try database.execute(file)
    return path
  }

  /// Each table's and index's own statement, in one order.
  private func tables(_ queue: Queue) throws -> [String] {
    try queue.database.statement(
      "SELECT type || ' ' || name FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY 1"
    ).all([]) { $0.text(0) }
  }

  /// The columns of every table.
  private func columns(_ queue: Queue) throws -> [String] {
    try queue.database.statement(
      """
      SELECT s.name || '.' || c.name || ' ' || c.type || c.pk FROM sqlite_schema s, pragma_table_info(s.name) c
      WHERE s.type = 'table' ORDER BY 1
      """
    ).all([]) { $0.text(0) }
  }

  @Test(arguments: schemas) func `A store of every schema opens and is as a new one is`(schema: Int) throws {
    let directory = try TemporaryDirectory()
    let queue = try Queue(path: try Self.made(schema, in: directory))
    let new = try Queue(path: ":memory:")
    #expect(try tables(queue) == tables(new))
    #expect(try columns(queue) == columns(new))
    #expect(try queue.database.text("PRAGMA integrity_check") == "ok")
  }

  @Test(arguments: schemas) func `Everything in a store of every schema is kept`(schema: Int) throws {
    let directory = try TemporaryDirectory()
    let queue = try Queue(path: try Self.made(schema, in: directory))
    #expect(queue.storeID == "12345678")
    #expect(
      queue.counters == Queue.Counters(pending: 3, fired: 1, failed: 0, serial: 5, request: 3, firing: 1))
    #expect(try queue.current("tea")?.due == 5000)
    #expect(try queue.current("bins")?.revision == 7)
    #expect(try queue.current("bins")?.thread == "chores")
    #expect(try queue.current("rest")?.state == .paused)
    #expect(try queue.countPaused(atMost: 10) == 1)
    let id = DeliveryID(store: "12345678", sequence: 1, stamp: 4000, counter: 0)
    #expect((try queue.firing(id)?.series != nil) == (schema >= 2))
    #expect(try queue.outgoing(1, to: 1)?.open == .notification)
    #expect(try queue.nextFollowup() == (schema >= 2 ? 6000 : nil))
    #expect(try queue.watchedTopics() == (schema >= 2 ? ["home/door"] : []))
    #expect(try queue.notes().isEmpty == (schema < 3))
    let focus = StoredFocus.on(until: WallTime(milliseconds: 7000))
    #expect(try queue.devices().map(\.focus) == [schema >= 4 ? focus : nil])
    let ok = Array(#"{"ok":true}"#.utf8)
    let taken = [
      TakenMessage(packet: 7, hash: 77, reply: []), TakenMessage(packet: 8, hash: 78, reply: ok),
    ]
    #expect(try queue.takenMessages() == (schema >= 5 ? taken : []))
    #expect(try queue.takenNumber() == (schema >= 5 ? 42 : 0))
    let keys = try queue.database.integer("SELECT count(*) FROM command_key")
    #expect(keys == 1)
  }

  @Test(arguments: schemas) func `A backup of every schema can be restored, under another id`(schema: Int)
    throws
  {
    let (old, new) = (try TemporaryDirectory(), try TemporaryDirectory())
    let backup = old.file("backup.db")
    let store = try Self.made(schema, in: old)
    let contents = try Maintenance.backUp(store, to: backup, replaces: false)
    #expect(contents == Maintenance.Contents(store: "12345678", schema: schema, pending: 3))
    let restored = try Maintenance.restore(backup, to: new.file("relay.db"), date: "now")
    #expect(restored.kept == nil && restored.contents.schema == schema)
    let queue = try Queue(path: new.file("relay.db"))
    #expect(queue.storeID == restored.contents.store && queue.storeID != "12345678")
    #expect(try queue.current("bins")?.due == 9000)
    // Those of before are not given again.
    #expect(queue.counters.request == 3)
    #expect(try Maintenance.examine(backup).store == "12345678")
  }

  @Test func `A backup of a newer program is refused and changes nothing`() throws {
    let directory = try TemporaryDirectory()
    let store = try Self.made(1, in: directory)
    let newer = try TemporaryDirectory()
    let file = try Self.made(1, in: newer)
    do {
      let database = try Database(path: file)
      try database.execute("PRAGMA user_version = \(Queue.kind.migrations.count + 1)")
    }
    let known = Queue.kind.migrations.count
    #expect(throws: StoreError.newerSchema(found: known + 1, known: known)) {
      try Maintenance.restore(file, to: store, date: "now")
    }
    #expect(try Maintenance.examine(store).store == "12345678")
    #expect(directory.read("relay.db.before-restore-now") == nil)
  }

  @Test func `A damaged store is kept with its log beside the one that takes its place`() throws {
    let directory = try TemporaryDirectory()
    let other = try TemporaryDirectory()
    let file = try Self.made(2, in: other)
    let store = try directory.write("relay.db", "no database at all")
    try directory.write("relay.db-wal", "its log")
    let (_, kept) = try Maintenance.restore(file, to: store, date: "now")
    #expect(kept == "\(store).before-restore-now")
    #expect(directory.read("relay.db.before-restore-now") == "no database at all")
    #expect(directory.read("relay.db.before-restore-now-wal") == "its log")
    #expect(try Queue(path: store).counters.pending == 3)
  }

  @Test func `A backup is never put in another file's place unasked`() throws {
    let directory = try TemporaryDirectory()
    let store = try Self.made(1, in: directory)
    let file = try directory.write("there", "mine")
    #expect(throws: StoreError.self) { try Maintenance.backUp(store, to: file, replaces: false) }
    #expect(directory.read("there") == "mine")
    try Maintenance.backUp(store, to: file, replaces: true)
    #expect(try Maintenance.examine(file).pending == 3)
  }
}

/// A file of the tests' own.
enum TemporaryFile {
  static func text(_ path: String) throws -> String {
    let directory = try TemporaryDirectory()
    symlink(path, directory.file("link"))
    guard let text = directory.read("link") else { throw TestFailure("there is no \(path)") }
    return text
  }
}
