import CSQLite

/// A prepared statement: bind, step, read.
public final class Statement {
  private var handle: OpaquePointer?
  private let database: OpaquePointer

  init(_ sql: String, on database: Database) throws(StoreError) {
    self.database = database.handle
    let code = sqlite3_prepare_v3(
      database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard code == SQLITE_OK else { throw StoreError(code, database.handle) }
  }

  func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  /// Runs to the end.
  ///
  /// - Returns: the number of rows changed.
  @discardableResult
  public func run(_ values: [Value]) throws(StoreError) -> Int {
    try bind(values)
    defer { reset() }
    while try step() {}
    return Int(sqlite3_changes(database))
  }

  /// Reads the first row, if there is one.
  public func first<Result>(_ values: [Value], _ read: (Row) throws(StoreError) -> Result?) throws(StoreError)
    -> Result?
  {
    try bind(values)
    defer { reset() }
    guard try step() else { return nil }
    return try read(Row(handle: handle))
  }

  /// Reads every row.
  public func all<Result>(_ values: [Value], _ read: (Row) throws(StoreError) -> Result) throws(StoreError)
    -> [Result]
  {
    try bind(values)
    defer { reset() }
    var results: [Result] = []
    while try step() { results.append(try read(Row(handle: handle))) }
    return results
  }

  /// Reads rows until the body has had enough (returns false).
  public func each(_ values: [Value], _ read: (Row) throws(StoreError) -> Bool) throws(StoreError) {
    try bind(values)
    defer { reset() }
    while try step() {
      guard try read(Row(handle: handle)) else { return }
    }
  }

  private func step() throws(StoreError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code: throw StoreError(code, database)
    }
  }

  private func reset() {
    sqlite3_reset(handle)
    sqlite3_clear_bindings(handle)
  }

  private func bind(_ values: [Value]) throws(StoreError) {
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      let code =
        switch value {
        case .null: sqlite3_bind_null(handle, place)
        case .integer(let number): sqlite3_bind_int64(handle, place, number)
        case .text(let text): bind(text, at: place)
        case .bytes(let bytes): bind(bytes, at: place)
        }
      guard code == SQLITE_OK else { throw StoreError(code, database) }
    }
  }

  private func bind(_ text: String, at place: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      guard let start = bytes.baseAddress else { return sqlite3_bind_text(handle, place, "", 0, nil) }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text(handle, place, $0, Int32(bytes.count), Statement.copied)
      }
    }
  }

  private func bind(_ bytes: [UInt8], at place: Int32) -> Int32 {
    guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, place, 0) }
    return bytes.withUnsafeBytes {
      sqlite3_bind_blob(handle, place, $0.baseAddress, Int32($0.count), Statement.copied)
    }
  }

  /// SQLITE_TRANSIENT, a macro with a cast that Swift does not import: SQLite makes its own copy.
  private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// The current row of a statement, valid inside the closure that gets it.
public struct Row {
  let handle: OpaquePointer?

  public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  public func integerIfAny(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  /// The text; empty where the value is null.
  public func text(_ column: Int32) -> String {
    guard let start = sqlite3_column_text(handle, column) else { return "" }
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    return String(decoding: bytes, as: UTF8.self)
  }

  public func textIfAny(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  public func bytes(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
