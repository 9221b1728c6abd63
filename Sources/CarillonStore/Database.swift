import CSQLite
import Glibc

/// One connection to one SQLite file in WAL mode, used from one thread, with prepared statements kept by their text.
public final class Database {
  let handle: OpaquePointer
  public let path: String
  private var statements: [StatementText: Statement] = [:]
  private let log = LogSize()
  /// From so many pages in the write-ahead log on, each commit copies them into the file. Whoever commits where that
  /// wait is in the way may do it at a better moment, by `copyLog`, and set this higher. Default 1000, as SQLite has it.
  public var logLimit = 1000
  /// Whether a transaction that `write` began is open.
  private(set) var isWriting = false
  /// Whether commits wait for the disk.
  private var isDurable = true

  /// How long SQLite itself may wait for a lock. Short, since it blocks the loop; whoever waits longer does so from
  /// a timer of the loop.
  public static let busyMilliseconds: Int32 = 50

  /// Says that one thread alone will ever use stores in this process, which spares SQLite its locks. It has an effect
  /// only before the first store is opened.
  public static func useOneThread() { _ = carillon_sqlite_use_one_thread() }

  /// Opens the file, or makes it.
  ///
  /// - Parameters:
  ///   - path: a file, or `:memory:`.
  ///   - isReadOnly: whether it is only read; then it is not made.
  /// - Throws: `StoreError`.
  public init(path: String, isReadOnly: Bool = false) throws(StoreError) {
    var handle: OpaquePointer?
    let access = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    let code = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX, GatheredLog.name)
    guard code == SQLITE_OK, let handle else {
      let error = StoreError(code, handle)
      if let handle { sqlite3_close_v2(handle) }
      if case .cannotOpen(_, let reason) = error { throw .cannotOpen(path: path, reason: reason) }
      throw error
    }
    self.handle = handle
    self.path = path
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, Database.busyMilliseconds)
    // The prepared statements take up the usual hundred slots for good; then each row's work would ask malloc.
    _ = carillon_sqlite_lookaside(handle, 1200, 400)
    // In WAL mode FULL means one fsync a commit: what is acknowledged is on disk.
    try execute("PRAGMA synchronous = FULL")
    try execute("PRAGMA foreign_keys = OFF")
    try execute("PRAGMA temp_store = MEMORY")
    try execute("PRAGMA cache_size = -4096")
    log.watch(handle)
  }

  deinit {
    for statement in statements.values { statement.finalize() }
    sqlite3_close_v2(handle)
  }

  /// Runs statements that return nothing.
  public func execute(_ sql: String) throws(StoreError) {
    let code = sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw StoreError(code, handle) }
  }

  /// The prepared statement for a text; the same one at each call.
  public func statement(_ sql: String) throws(StoreError) -> Statement {
    let text = StatementText(text: sql)
    if let known = statements[text] { return known }
    let made = try Statement(sql, on: self)
    statements[text] = made
    return made
  }

  /// One value of a query's first row.
  public func integer(_ sql: String, _ values: Value...) throws(StoreError) -> Int64? {
    try statement(sql).first(values) { $0.integer(0) }
  }

  /// One value of a query's first row.
  public func text(_ sql: String, _ values: Value...) throws(StoreError) -> String? {
    try statement(sql).first(values) { $0.text(0) }
  }

  /// Runs a change.
  ///
  /// - Returns: the number of rows changed.
  @discardableResult
  public func run(_ sql: String, _ values: Value...) throws(StoreError) -> Int {
    try statement(sql).run(values)
  }

  public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

  /// Runs a body in one transaction that takes the write lock at once, and commits it; an error rolls it back.
  ///
  /// - Parameter isDurable: whether it is on disk when this returns. If not, it is in the log, in its place: no later
  ///   one can be on disk without it.
  /// - Throws: `StoreError.busy` where another process has the lock, and whatever the body throws.
  @discardableResult
  public func write<Result>(isDurable: Bool = true, _ body: () throws(StoreError) -> Result)
    throws(StoreError) -> Result
  {
    precondition(!isWriting, "transactions do not nest")
    try setDurable(isDurable)
    try statement("BEGIN IMMEDIATE").run([])
    isWriting = true
    defer { isWriting = false }
    do {
      let result = try body()
      try commit(isDurable: isDurable)
      if hasLog(of: logLimit) { copyLog() }
      return result
    } catch {
      // SQLite has rolled back by itself after some errors; asking again is harmless then.
      if sqlite3_get_autocommit(handle) == 0 { _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  private func setDurable(_ wanted: Bool) throws(StoreError) {
    guard wanted != isDurable else { return }
    try execute("PRAGMA synchronous = \(wanted ? "FULL" : "NORMAL")")
    isDurable = wanted
  }

  private func commit(isDurable: Bool) throws(StoreError) {
    guard isDurable, let log = GatheredLog(of: handle) else {
      try statement("COMMIT").run([])
      return
    }
    log.begin()
    do throws(StoreError) {
      try statement("COMMIT").run([])
    } catch {
      log.drop()
      throw error
    }
    guard log.end() == SQLITE_OK else { throw .corrupt("the end of the log could not be written") }
  }
}

extension Database {
  /// Pages in the write-ahead log that have not been copied into the file, as far as is known.
  public var logPages: Int { log.pages }

  /// Whether the write-ahead log has so many pages, and copying them may help: where somebody still read from it the last
  /// time, it is tried again when it has grown by a thousand.
  public func hasLog(of pages: Int) -> Bool {
    log.pages >= pages && (log.stuck == 0 || log.pages >= log.stuck + 1000)
  }

  /// Copies the write-ahead log into the file, as far as nobody still reads from it, so that it begins anew. It waits for
  /// the disk twice. What is not copied now is copied later.
  public func copyLog() {
    var (all, copied): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &all, &copied)
    if code == SQLITE_OK, all == copied { log.pages = 0 } else { log.stuck = log.pages }
  }
}

/// A statement's text as a key. There are about a hundred, nearly all of different lengths: to hash each text whole takes
/// longer than to compare two of one length now and then.
private struct StatementText: Hashable {
  let text: String

  func hash(into hasher: inout Hasher) { hasher.combine(text.utf8.count) }
}

/// The size of the write-ahead log after the last commit.
private final class LogSize {
  var pages = 0 { didSet { if pages < stuck { stuck = 0 } } }
  /// How large it was when it could not be copied whole; 0 where it could.
  var stuck = 0

  /// SQLite's own copying at a fixed size is a hook of the same kind, of which there is one.
  func watch(_ handle: OpaquePointer) {
    sqlite3_wal_hook(
      handle,
      { context, _, _, pages in
        guard let context else { return SQLITE_OK }
        Unmanaged<LogSize>.fromOpaque(context).takeUnretainedValue().pages = Int(pages)
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}

/// What is bound to a statement's place.
public enum Value: Sendable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  public init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  public init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }
  public init(_ bytes: [UInt8]?) { self = bytes.map { .bytes($0) } ?? .null }
}

extension Value: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByNilLiteral {
  public init(integerLiteral value: Int64) { self = .integer(value) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(nilLiteral: ()) { self = .null }
}
