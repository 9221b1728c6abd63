import CSQLite
import CarillonModel
import Glibc

/// The relay's durable queue: requests, firings, deliveries, devices, and what recognises repeated commands.
///
/// It decides nothing and knows no clock; whoever calls it brings the times. All changes happen inside `transaction`.
public final class Queue {
  /// Totals that listings would be too slow to count.
  public struct Counters: Hashable, Sendable {
    /// Requests that are pending or paused.
    public var pending: Int64
    public var fired: Int64
    public var failed: Int64
    /// The last number given to a firing outside its schedule.
    public var serial: Int64
    /// The last acceptance number given to a request. No number is given twice, also when what had it is gone.
    public var request: Int64
    /// The last row given to a firing, likewise.
    public var firing: Int64
  }

  let file: StoreFile
  /// Eight hexadecimal digits, drawn when the store was made.
  public let storeID: String
  public internal(set) var counters: Counters
  private var saved: Counters
  /// Row numbers by name, forgotten when a transaction is rolled back.
  var deviceRows: [Name: Int64] = [:]
  var zoneRows: [String: Int64] = [:]
  var zoneNames: [Int64: String] = [:]
  /// How far housekeeping has come; it begins anew when a transaction is rolled back.
  var history = HistoryCursor()
  /// Whether anything may be in the table of what comes after firings: mostly nothing is, and it need not be searched.
  var mayBeFollowed = true
  /// On each axis, a time up to which everything that is prepared goes out; looked up when it is first asked for.
  var preparedThrough: [TimeAxis: Int64] = [:]

  var database: Database { file.database }
  /// Whether the store was checked whole before it was opened; a large one is not.
  public var isChecked: Bool { file.isChecked }

  /// Opens a store, or makes it.
  ///
  /// - Parameter path: a file, or `:memory:`.
  /// - Throws: `StoreError`.
  public init(path: String) throws(StoreError) {
    file = try StoreFile(path: path, kind: Queue.kind)
    let database = file.database
    database.logLimit = 4 * Queue.logAim
    if let known = try database.text("SELECT value FROM meta WHERE name = 'store'") {
      storeID = known
    } else {
      let made = Queue.newStoreID()
      try database.write { () throws(StoreError) in
        try database.run("INSERT INTO meta VALUES ('store', ?)", .text(made))
      }
      storeID = made
    }
    let sql = "SELECT pending, fired, failed, serial, request, firing FROM counter"
    let read = try database.statement(sql).first([]) { row in
      Counters(
        pending: row.integer(0), fired: row.integer(1), failed: row.integer(2), serial: row.integer(3),
        request: row.integer(4), firing: row.integer(5))
    }
    guard let read else { throw .corrupt("the counters are gone") }
    counters = read
    saved = read
  }

  /// An id for a store that is new, or new to what the broker and the devices know.
  static func newStoreID() -> String {
    let digits = String(UInt32.random(in: 1...UInt32.max), radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Runs changes as one: all of them are on disk when this returns, or none.
  ///
  /// - Parameter isDurable: false for changes that nobody was told of and that can be found again: they are on disk with
  ///   the next ones that are, at the latest, and a power cut before that takes them back.
  /// - Throws: `StoreError`; nothing has changed then, and the body may be run again.
  @discardableResult
  public func transaction<Result>(isDurable: Bool = true, _ body: () throws(StoreError) -> Result)
    throws(StoreError) -> Result
  {
    do {
      let result = try database.write(isDurable: isDurable) { () throws(StoreError) in
        let result = try body()
        try saveCounters()
        return result
      }
      saved = counters
      return result
    } catch {
      counters = saved
      deviceRows = [:]
      zoneRows = [:]
      zoneNames = [:]
      history = HistoryCursor()
      mayBeFollowed = true
      preparedThrough = [:]
      throw error
    }
  }

  private func saveCounters() throws(StoreError) {
    guard counters != saved else { return }
    try database.run(
      "UPDATE counter SET pending = ?, fired = ?, failed = ?, serial = ?, request = ?, firing = ?",
      .integer(counters.pending), .integer(counters.fired), .integer(counters.failed),
      .integer(counters.serial), .integer(counters.request), .integer(counters.firing))
  }

  /// A number never given before, for firings outside the schedule.
  public func nextSerial() -> Int64 {
    counters.serial += 1
    return counters.serial
  }

  /// Counts a firing that has gone out.
  public func countFired() { counters.fired += 1 }

  /// Counts a firing that reached nobody.
  public func countFailed() { counters.failed += 1 }

  // MARK: The log

  /// From so many pages in the log on, `copyLog` is worth its wait for the disk. With four times as many, the next commit
  /// does it.
  private static let logAim = 1000

  /// Whether the log is to be copied into the file at the next good moment.
  public var isLogLong: Bool { database.hasLog(of: Queue.logAim) }

  /// Pages in the log that have not been copied into the file, as far as is known.
  public var logPages: Int { database.logPages }

  /// Copies the log into the file. It waits for the disk.
  public func copyLog() { database.copyLog() }

  // MARK: Small facts

  public func fact(_ name: String) throws(StoreError) -> String? {
    try database.text("SELECT value FROM meta WHERE name = ?", .text(name))
  }

  public func setFact(_ name: String, _ value: String) throws(StoreError) {
    try database.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", .text(name), .text(value))
  }

  // MARK: Zones

  /// The row of a zone's name, made where it is new.
  public func zoneRow(_ name: String) throws(StoreError) -> Int64 {
    if let known = zoneRows[name] { return known }
    try database.run("INSERT OR IGNORE INTO zone(name) VALUES (?)", .text(name))
    let row = try database.integer("SELECT row FROM zone WHERE name = ?", .text(name)) ?? 0
    zoneRows[name] = row
    return row
  }

  public func zoneName(_ row: Int64) throws(StoreError) -> String {
    if let known = zoneNames[row] { return known }
    let name = try database.text("SELECT name FROM zone WHERE row = ?", .integer(row)) ?? "UTC"
    zoneNames[row] = name
    return name
  }
}
