extension InboxStore {
  /// The columns of a delivery, in the order in which rows are read.
  static let columns = "delivery, id, state, presented, withdrawn, payload, answer"

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
      """
    ])
}
