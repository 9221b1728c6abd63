import CSQLite
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonStore

/// A commit's pages reach the file together, and whoever looks into it finds them.
@Suite struct GatheredLogTests {
  private func fill(_ database: Database, from first: Int, count: Int, isDurable: Bool = true) throws {
    try database.write(isDurable: isDurable) { () throws(StoreError) in
      for number in first..<first + count {
        try database.run(
          "INSERT INTO item VALUES (?, ?)", .integer(Int64(number)),
          .bytes([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 3000)))
      }
    }
  }

  private func made(_ directory: TemporaryDirectory) throws -> Database {
    let database = try Database(path: directory.file("items.db"))
    try database.execute(
      "PRAGMA journal_mode = WAL; CREATE TABLE item(number INTEGER PRIMARY KEY, bytes BLOB)")
    return database
  }

  @Test func `A connection with a log has it gathered, one in memory has none`() throws {
    let database = try made(try TemporaryDirectory())
    #expect(GatheredLog(of: database.handle) != nil)
    #expect(GatheredLog(of: try Database(path: ":memory:").handle) == nil)
  }

  @Test func `Where SQLite writes on after it has synchronised, nothing is gathered`() throws {
    let directory = try TemporaryDirectory()
    let database = try Database(path: "file:\(directory.file("items.db"))?psow=0")
    try database.execute(
      "PRAGMA journal_mode = WAL; CREATE TABLE item(number INTEGER PRIMARY KEY, bytes BLOB)")
    #expect(GatheredLog(of: database.handle) == nil)
    try fill(database, from: 0, count: 40)
    let reader = try Database(path: directory.file("items.db"), isReadOnly: true)
    #expect(try reader.text("PRAGMA integrity_check") == "ok")
    #expect(try reader.integer("SELECT count(*) FROM item") == 40)
  }

  // One page, a few, and more than are collected at once; beyond the page cache, SQLite writes before the commit.
  @Test(arguments: [1, 10, 29, 30, 31, 400, 3000])
  func `What was committed is found by others, and after the writer is gone`(count: Int) throws {
    let directory = try TemporaryDirectory()
    let database = try made(directory)
    let reader = try Database(path: directory.file("items.db"), isReadOnly: true)
    var written = 0
    for isDurable in [true, false, true] {
      try fill(database, from: written, count: count, isDurable: isDurable)
      written += count
      #expect(try reader.integer("SELECT count(*) FROM item") == Int64(written))
    }
    // As after a kill: the files as they are, without the shared memory.
    for suffix in ["", "-wal"] { try copy("items.db\(suffix)", to: "left.db\(suffix)", in: directory) }
    let left = try Database(path: directory.file("left.db"))
    #expect(try left.integer("SELECT count(*) FROM item") == Int64(written))
    #expect(try left.text("PRAGMA integrity_check") == "ok")
  }

  private func copy(_ name: String, to other: String, in directory: TemporaryDirectory) throws {
    let from = open(directory.file(name), O_RDONLY | O_CLOEXEC)
    let to = open(directory.file(other), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    defer { for file in [from, to] { close(file) } }
    var copied = 1
    while copied > 0 { copied = sendfile(to, from, nil, 1 << 20) }
    try #require(copied == 0, "\(name) cannot be copied")
  }

  @Test func `What a transaction changed and took back leaves no trace`() throws {
    let directory = try TemporaryDirectory()
    let database = try made(directory)
    try fill(database, from: 0, count: 5)
    #expect(throws: StoreError.busy) {
      try database.write { () throws(StoreError) in
        try database.run("DELETE FROM item")
        throw StoreError.busy
      }
    }
    try fill(database, from: 5, count: 5)
    let reader = try Database(path: directory.file("items.db"), isReadOnly: true)
    #expect(try reader.integer("SELECT count(*) FROM item") == 10)
    #expect(try reader.text("PRAGMA integrity_check") == "ok")
  }
}
