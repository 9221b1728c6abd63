extension InboxStore {
  /// The columns of a delivery, in the order in which rows are read.
  static let columns =
    "delivery, id, state, presented, withdrawn, payload, answer, presentation, veiled, opening, expires"

  /// "CARI" in ASCII, by which a companion's inbox is told from a relay's store.
  static let kind = StoreFile.Kind(
    applicationID: 0x4341_5249, name: "a companion's inbox",
    migrations: [
      """
      CREATE TABLE inbox (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        delivery TEXT NOT NULL UNIQUE,
        id TEXT NOT NULL,
        state INTEGER NOT NULL,
        presented INTEGER NOT NULL,
        shown INTEGER NOT NULL,
        withdrawn INTEGER NOT NULL,
        payload BLOB,
        answer BLOB,
        changed INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX inbox_unfinished ON inbox (sequence) WHERE state < 3;
      CREATE INDEX inbox_shown ON inbox (id) WHERE shown = 1;
      CREATE INDEX inbox_done ON inbox (changed) WHERE state = 3;
      CREATE TABLE response (
        sequence INTEGER PRIMARY KEY AUTOINCREMENT,
        delivery TEXT NOT NULL,
        event TEXT NOT NULL,
        payload BLOB NOT NULL,
        made INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX response_delivery ON response (delivery);
      """,
      // What a person may still answer, and what waits for its application.
      """
      ALTER TABLE inbox ADD COLUMN presentation INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE inbox ADD COLUMN veiled INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE inbox ADD COLUMN opening TEXT;
      ALTER TABLE inbox ADD COLUMN expires INTEGER;
      DROP INDEX inbox_unfinished;
      CREATE INDEX inbox_unfinished ON inbox (sequence) WHERE state IN (1, 2, 5);
      CREATE INDEX inbox_expires ON inbox (expires) WHERE expires IS NOT NULL AND state IN (4, 5);
      DROP INDEX inbox_done;
      CREATE INDEX inbox_done ON inbox (changed) WHERE state IN (3, 4);
      CREATE INDEX inbox_veiled ON inbox (sequence) WHERE veiled = 1 AND state = 4;
      CREATE TABLE memory (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
      """,
    ])
}
