import CSQLite
import Glibc

/// Opens a store's file: its folder made, a lock against a second process taken, its kind and schema checked, and
/// migrated forward.
public final class StoreFile {
  /// Where the database is, and what is expected in it.
  public struct Kind: Sendable {
    /// SQLite's `application_id`, by which a relay's queue is told from a companion's inbox.
    public var applicationID: Int32
    public var name: String
    /// The statements that bring schema n to n+1, the first from nothing.
    public var migrations: [String]

    public init(applicationID: Int32, name: String, migrations: [String]) {
      self.applicationID = applicationID
      self.name = name
      self.migrations = migrations
    }
  }

  public let database: Database
  /// Whether it was checked whole: it is small enough, or new.
  public let isChecked: Bool
  /// Held for as long as the store is open; a process that is killed leaves no lock behind.
  private let lock: LockFile?

  /// - Throws: `alreadyOpen` where another process runs on it; `foreign`, `newerSchema`, `corrupt` where the file is
  ///   not what it should be.
  public init(path: String, kind: Kind) throws(StoreError) {
    if path == ":memory:" {
      lock = nil
    } else {
      try StoreFile.makeFolder(of: path)
      lock = try LockFile(besides: path)
      try Maintenance.inspect(path, wasUsed: lock?.isMarked == true)
    }
    database = try Database(path: path)
    isChecked = try StoreFile.prepare(database, kind)
    lock?.mark()
  }

  static func makeFolder(of path: String) throws(StoreError) {
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path[..<slash].split(separator: "/") {
      made += made.isEmpty || made.hasSuffix("/") ? String(part) : "/" + part
      if mkdir(made, 0o700) != 0, errno != EEXIST {
        throw .cannotOpen(path: path, reason: "cannot make the folder \(made): \(systemReason())")
      }
    }
  }

  /// - Returns: whether it was checked whole.
  private static func prepare(_ database: Database, _ kind: Kind) throws(StoreError) -> Bool {
    let application = try database.integer("PRAGMA application_id") ?? 0
    let schema = Int(try database.integer("PRAGMA user_version") ?? 0)
    let isEmpty = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
    if !isEmpty, application != Int64(kind.applicationID) {
      throw .foreign("\(database.path) is not \(kind.name)")
    }
    guard schema <= kind.migrations.count else {
      throw .newerSchema(found: schema, known: kind.migrations.count)
    }
    let isChecked = isEmpty ? true : try Maintenance.checkAtStart(database)
    if try database.text("PRAGMA journal_mode") != "wal" {
      try database.execute("PRAGMA journal_mode = WAL")
    }
    guard schema < kind.migrations.count else { return isChecked }
    try database.write { () throws(StoreError) in
      for (version, statements) in kind.migrations.enumerated() where version >= schema {
        try database.execute(statements)
        try database.execute("PRAGMA user_version = \(version + 1)")
      }
      try database.execute("PRAGMA application_id = \(kind.applicationID)")
    }
    return isChecked
  }
}
