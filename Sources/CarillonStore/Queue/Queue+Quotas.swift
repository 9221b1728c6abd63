import CarillonModel

// How many requests each publisher has pending. The store counts by itself, in the transaction of each change, and only
// where somebody wants to know: otherwise there is neither table nor trigger.
extension Queue {
  /// Whether the store counts the pending requests of each publisher.
  ///
  /// - Throws: `StoreError`, `busy` among them where that has to change.
  public func countPublishers(_ isWanted: Bool) throws(StoreError) {
    let isThere = try database.integer("SELECT 1 FROM sqlite_schema WHERE name = 'quota'") != nil
    guard isThere != isWanted else { return }
    try transaction { () throws(StoreError) in
      // What is pending already is counted once, now.
      try database.execute(isWanted ? Queue.quotas : Queue.noQuotas)
    }
  }

  /// How many requests of a publisher are pending or paused, where they are counted.
  public func pending(of publisher: Name?) throws(StoreError) -> Int64 {
    try database.integer("SELECT pending FROM quota WHERE publisher = ?", .text(publisher?.text ?? "")) ?? 0
  }

  /// Everything that changes a request's state goes past these, one at a time or a million at once. What is there already is
  /// added row by row: grouping a million would hold all of them in memory.
  private static let quotas = """
    CREATE TABLE quota(publisher TEXT PRIMARY KEY, pending INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO quota SELECT coalesce(publisher, ''), 1 FROM request WHERE state NOT IN (2, 3)
      ON CONFLICT (publisher) DO UPDATE SET pending = pending + 1;
    CREATE TRIGGER quota_added AFTER INSERT ON request WHEN new.state NOT IN (2, 3) BEGIN
      INSERT INTO quota VALUES (coalesce(new.publisher, ''), 1)
        ON CONFLICT (publisher) DO UPDATE SET pending = pending + 1;
    END;
    CREATE TRIGGER quota_removed AFTER DELETE ON request WHEN old.state NOT IN (2, 3) BEGIN
      UPDATE quota SET pending = pending - 1 WHERE publisher = coalesce(old.publisher, '');
      DELETE FROM quota WHERE publisher = coalesce(old.publisher, '') AND pending <= 0;
    END;
    CREATE TRIGGER quota_changed AFTER UPDATE OF state ON request
      WHEN (old.state NOT IN (2, 3)) <> (new.state NOT IN (2, 3)) BEGIN
      INSERT INTO quota VALUES (coalesce(new.publisher, ''), iif(new.state NOT IN (2, 3), 1, -1))
        ON CONFLICT (publisher) DO UPDATE SET pending = pending + excluded.pending;
      DELETE FROM quota WHERE publisher = coalesce(new.publisher, '') AND pending <= 0;
    END;
    """

  private static let noQuotas = """
    DROP TRIGGER quota_added;
    DROP TRIGGER quota_removed;
    DROP TRIGGER quota_changed;
    DROP TABLE quota;
    """
}
