import CSQLite

/// Why the store did not do what it was asked: the world's fault, never the sender's.
public enum StoreError: Error, Hashable, Sendable {
  /// Another process holds a lock on the file; the work may be tried again.
  case busy
  /// No space is left, or a size limit is reached.
  case full
  /// The file or the folder cannot be written.
  case readOnly
  /// The file is damaged, or is no store at all.
  case corrupt(String)
  /// The store was written by a newer program.
  case newerSchema(found: Int, known: Int)
  /// The store belongs to something else (a companion's inbox given to a relay, say).
  case foreign(String)
  /// Another process of the same kind runs on this store; its process id where it could be read.
  case alreadyOpen(path: String, process: Int32?)
  /// The path cannot be opened or made.
  case cannotOpen(path: String, reason: String)
  /// Anything else SQLite says: its result code and text, which hold no payload.
  case failed(code: Int32, String)

  init(_ code: Int32, _ connection: OpaquePointer?) {
    let text = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    case SQLITE_FULL: self = .full
    case SQLITE_READONLY, SQLITE_PERM: self = .readOnly
    case SQLITE_CORRUPT, SQLITE_NOTADB: self = .corrupt(text)
    case SQLITE_CANTOPEN: self = .cannotOpen(path: "", reason: text)
    case SQLITE_IOERR:
      // A full disk under the write-ahead log or its index shows as a failed write, not as SQLITE_FULL.
      self = StoreError.failedWrites.contains(code >> 8) ? .full : .failed(code: code, text)
    default: self = .failed(code: code, text)
    }
  }

  /// SQLITE_IOERR_WRITE, _FSYNC, _SHMSIZE: extended codes are macros with a shift that Swift does not import.
  private static let failedWrites: Set<Int32> = [3, 4, 19]

  /// The word for it in `relay/state` (protocol §1).
  public var state: String {
    switch self {
    case .busy, .alreadyOpen: "busy"
    case .full: "full"
    case .readOnly, .cannotOpen: "read-only"
    case .corrupt, .newerSchema, .foreign, .failed: "corrupt"
    }
  }
}

extension StoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .busy: "the store is locked by another process"
    case .full: "no space is left for the store"
    case .readOnly: "the store cannot be written (read-only file or folder)"
    case .corrupt(let text): "the store is damaged (\(text))"
    case .newerSchema(let found, let known):
      "the store has schema \(found), this program knows up to \(known): run the newer program on it"
    case .foreign(let text): text
    case .alreadyOpen(let path, let process):
      "another process\(process.map { " (pid \($0))" } ?? "") is running on the store \(path)"
    case .cannotOpen(let path, let reason):
      "cannot open the store\(path.isEmpty ? "" : " \(path)"): \(reason)"
    case .failed(let code, let text): "the store failed: \(text) (SQLite \(code))"
    }
  }
}
