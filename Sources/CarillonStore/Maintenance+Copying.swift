import CSQLite
import Glibc

/// Backups of a relay's store, and the way back.
extension Maintenance {
  /// What a file holds that was found to be a relay's store.
  public struct Contents: Hashable, Sendable {
    /// The store's id.
    public var store: String
    /// Its schema's number, at most this program's.
    public var schema: Int
    /// Requests that are pending or paused.
    public var pending: Int64
  }

  /// Looks whether a file is a relay's store that this program can go on with, and sound; changes nothing.
  ///
  /// - Throws: `foreign`, `newerSchema`, `corrupt` where it is not, `cannotOpen` where it cannot be read.
  public static func examine(_ path: String) throws(StoreError) -> Contents {
    // SQLite would take an empty file for a database without tables.
    guard let size = size(of: path) else { throw .cannotOpen(path: path, reason: systemReason()) }
    guard size > 0 else { throw .foreign("\(path) is empty") }
    let database = try Database(path: path, isReadOnly: true)
    try recognise(database, as: Queue.kind)
    try check(database)
    return try contents(of: database)
  }

  /// Copies a relay's store as it stands at one moment, also while a relay is at work on it. Until that is done the
  /// store's log cannot begin anew. The file is complete, read again and on disk before it has its name.
  ///
  /// - Parameter replaces: whether a file of that name is replaced.
  /// - Throws: `StoreError`; there is no new file then, and the old one is as it was.
  /// - Returns: what is in it.
  @discardableResult
  public static func backUp(_ store: String, to file: String, replaces: Bool) throws(StoreError) -> Contents {
    let database = try Database(path: store, isReadOnly: true)
    try recognise(database, as: Queue.kind)
    let part = try copy(database, besides: file)
    do throws(StoreError) {
      let contents = try examine(part)
      try settle(part)
      try move(part, to: file, replaces: replaces)
      return contents
    } catch {
      unlink(part)
      throw error
    }
  }

  /// Puts a backup in a store's place.
  ///
  /// Numbers that the relay has given since the backup was made are given again, and with them the same delivery ids for
  /// other notifications; so the store gets a new id, of which delivery ids and the client id are made. What it
  /// remembered to recognise repeated messages belongs to the broker's session under the old one, and is forgotten.
  ///
  /// - Parameter date: stands in the name of the replaced store's file.
  /// - Throws: `alreadyOpen` where a relay runs on the store, and what `examine` throws of the file; the store is as it
  ///   was then.
  /// - Returns: what is in the store now, and the file that it was before; nil where there was none.
  public static func restore(_ file: String, to store: String, date: String) throws(StoreError)
    -> (contents: Contents, kept: String?)
  {
    try StoreFile.makeFolder(of: store)
    let lock = try LockFile(besides: store)
    defer { withExtendedLifetime(lock) {} }
    let part = try copy(try Database(path: file, isReadOnly: true), besides: store)
    do throws(StoreError) {
      _ = try examine(part)
      let contents = try renew(part)
      try give(part, toOwnerOf: store)
      try settle(part)
      let kept = try setAside(store, date: date)
      try move(part, to: store, replaces: true)
      return (contents, kept)
    } catch {
      unlink(part)
      throw error
    }
  }

  /// - Throws: `foreign` or `newerSchema`.
  static func recognise(_ database: Database, as kind: StoreFile.Kind) throws(StoreError) {
    guard try database.integer("PRAGMA application_id") == Int64(kind.applicationID) else {
      throw .foreign("\(database.path) is not \(kind.name)")
    }
    let schema = Int(try database.integer("PRAGMA user_version") ?? 0)
    guard schema <= kind.migrations.count else {
      throw .newerSchema(found: schema, known: kind.migrations.count)
    }
  }

  private static func contents(of database: Database) throws(StoreError) -> Contents {
    guard let store = try database.text("SELECT value FROM meta WHERE name = 'store'"),
      let pending = try database.integer("SELECT pending FROM counter")
    else { throw .corrupt("its id or its counters are gone") }
    return Contents(
      store: store, schema: Int(try database.integer("PRAGMA user_version") ?? 0), pending: pending)
  }

  /// Copies a database into a new file of another name, for this user alone.
  private static func copy(_ database: Database, besides file: String) throws(StoreError) -> String {
    let part = "\(file).part-\(getpid())"
    unlink(part)
    let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotOpen(path: file, reason: systemReason()) }
    close(descriptor)
    do throws(StoreError) {
      // Into the empty file; what is written in the meantime does not get in.
      try database.run("VACUUM INTO ?", .text(part))
    } catch {
      unlink(part)
      throw error
    }
    return part
  }

  /// Gives the copy an id of its own.
  private static func renew(_ part: String) throws(StoreError) -> Contents {
    let database = try Database(path: part)
    let id = Queue.newStoreID()
    try database.write { () throws(StoreError) in
      try database.run("UPDATE meta SET value = ? WHERE name = 'store'", .text(id))
      try database.run("DELETE FROM taken")
    }
    return try contents(of: database)
  }

  /// Whoever restores may be another than the relay's user, to whom the store belongs, or else the folder.
  private static func give(_ part: String, toOwnerOf store: String) throws(StoreError) {
    var owner = stat()
    if stat(store, &owner) == 0 {
      chmod(part, owner.st_mode & 0o777)
    } else if stat(folder(of: store), &owner) != 0 {
      return
    }
    guard geteuid() == 0 else { return }
    for path in [part, store + ".lock"] where chown(path, owner.st_uid, owner.st_gid) != 0 {
      throw .cannotOpen(path: path, reason: systemReason())
    }
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  }

  /// Leaves the store under another name, with its log where that cannot be copied into it.
  private static func setAside(_ store: String, date: String) throws(StoreError) -> String? {
    let (log, index) = (store + "-wal", store + "-shm")
    guard access(store, F_OK) == 0 || access(log, F_OK) == 0 else { return nil }
    let kept = "\(store).before-restore-\(date)"
    guard access(kept, F_OK) != 0, access(kept + "-wal", F_OK) != 0 else {
      throw .cannotOpen(path: kept, reason: "it is there already")
    }
    // One that is damaged keeps its log beside it: SQLite would throw that away on closing it.
    if isOurs(store), let database = try? Database(path: store) { database.copyLog() }
    // By a second name, so that there is a store under its own at every instant.
    if access(store, F_OK) == 0, link(store, kept) != 0 {
      throw .cannotOpen(path: kept, reason: systemReason())
    }
    if access(log, F_OK) == 0, rename(log, kept + "-wal") != 0 {
      throw .cannotOpen(path: kept, reason: systemReason())
    }
    unlink(index)
    return kept
  }

  private static func isOurs(_ store: String) -> Bool {
    guard size(of: store) ?? 0 > 0, (try? inspect(store, wasUsed: true)) != nil,
      let database = try? Database(path: store, isReadOnly: true)
    else { return false }
    return (try? recognise(database, as: Queue.kind)) != nil
  }

  private static func move(_ part: String, to file: String, replaces: Bool) throws(StoreError) {
    var isMoved = replaces ? rename(part, file) : link(part, file)
    // Where files have no second names, as on a stick.
    if isMoved != 0, !replaces, errno == EPERM || errno == EOPNOTSUPP, access(file, F_OK) != 0 {
      isMoved = rename(part, file)
    }
    guard isMoved == 0 else { throw .cannotOpen(path: file, reason: systemReason()) }
    unlink(part)
    try settle(folder(of: file))
  }

  /// Waits until a file, or a folder's names, are on disk.
  private static func settle(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .cannotOpen(path: path, reason: systemReason()) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else {
      throw errno == ENOSPC ? .full : .cannotOpen(path: path, reason: systemReason())
    }
  }
}
