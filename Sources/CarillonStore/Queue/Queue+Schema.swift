extension Queue {
  /// "Cari" in ASCII.
  static let kind = StoreFile.Kind(
    applicationID: 0x4361_7269, name: "a relay's store",
    migrations: [schema1, schema2, schema3, schema4, schema5])

  /// - `request`: what was asked for. A row is never changed into another request: a replacement is a new row, and
  ///   `current` marks the newest of an id. So a firing under way keeps the content that it was fired with.
  /// - `firing`: one notification. `release` is when it goes out, on the axis of its trigger.
  /// - `delivery`: that notification on its way to one device. `open` is 1 while the notification has to be sent (again),
  ///   2 while its withdrawal has to be, and 0 when there is nothing left to send; only open rows are indexed, and the
  ///   index holds `open` itself, so that counting them is a matter of the index alone.
  /// - `command_key` and `taken` recognise repeated commands.
  private static let schema1 = """
    CREATE TABLE meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE counter(
      one INTEGER PRIMARY KEY CHECK (one = 1),
      pending INTEGER NOT NULL, fired INTEGER NOT NULL, failed INTEGER NOT NULL, serial INTEGER NOT NULL);
    INSERT INTO counter VALUES (1, 0, 0, 0, 0);
    CREATE TABLE zone(row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE device(
      row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
      announced INTEGER NOT NULL DEFAULT 0, status INTEGER, profile BLOB, latest INTEGER);
    CREATE TABLE request(
      sequence INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL, current INTEGER NOT NULL, state INTEGER NOT NULL,
      axis INTEGER NOT NULL, due INTEGER, anchor INTEGER, occurrences INTEGER NOT NULL,
      publisher TEXT, thread TEXT, revision INTEGER, zone INTEGER NOT NULL, accepted INTEGER NOT NULL,
      rule BLOB NOT NULL, content BLOB NOT NULL);
    CREATE INDEX request_id ON request(id, current);
    CREATE INDEX request_due ON request(axis, due) WHERE state = 0;
    CREATE INDEX request_listed ON request(sequence) WHERE current = 1 AND state IN (0, 1, 4);
    CREATE INDEX request_thread ON request(thread) WHERE thread IS NOT NULL;
    CREATE INDEX request_past ON request(accepted) WHERE state >= 2;
    CREATE TABLE firing(
      row INTEGER PRIMARY KEY AUTOINCREMENT,
      sequence INTEGER NOT NULL, stamp INTEGER NOT NULL, counter INTEGER NOT NULL,
      due INTEGER NOT NULL, axis INTEGER NOT NULL, release INTEGER NOT NULL,
      fired INTEGER, late INTEGER NOT NULL, missed INTEGER NOT NULL, expires INTEGER,
      ended TEXT, ended_by TEXT);
    CREATE UNIQUE INDEX firing_id ON firing(sequence, stamp, counter);
    CREATE INDEX firing_unfired ON firing(axis, release) WHERE fired IS NULL;
    CREATE TABLE delivery(
      firing INTEGER NOT NULL, device INTEGER NOT NULL,
      due INTEGER NOT NULL, state INTEGER NOT NULL, open INTEGER NOT NULL,
      at INTEGER, detail TEXT,
      PRIMARY KEY (firing, device)) WITHOUT ROWID;
    CREATE INDEX delivery_open ON delivery(device, due, firing, open) WHERE open > 0;
    CREATE TABLE command_key(
      publisher TEXT NOT NULL, key TEXT NOT NULL, hash INTEGER NOT NULL, at INTEGER NOT NULL, reply BLOB NOT NULL,
      PRIMARY KEY (publisher, key)) WITHOUT ROWID;
    CREATE INDEX command_key_age ON command_key(at);
    CREATE TABLE taken(
      slot INTEGER PRIMARY KEY, number INTEGER NOT NULL, packet INTEGER NOT NULL, hash INTEGER NOT NULL, reply BLOB NOT NULL);
    """

  /// What rules of the wall clock, conditions on topics and devices, nags and snoozes need.
  ///
  /// - `request.reached`: the instant through which a rule's occurrences are dealt with, and `reading` what the clocks of
  ///   its zone showed then, as if they showed UTC. A due time is found from them again when tzdata or the clock changes.
  /// - `earlier`: requests that are due before the time that their row says, since tzdata has changed. A request may be
  ///   in it in vain; its row is looked at then.
  /// - `watch`: what a pending or paused request's condition is about (a topic or a device), how it stands, when it last
  ///   fired (on the elapsed axis), whether what is due came of a late edge, and when it ends (on the wall clock).
  /// - `followup`: what comes after a firing besides the schedule: the next one of its series, or a snooze. `due` is on the
  ///   elapsed axis; `held` ones belong to what is paused.
  /// - `firing.noted`: when it was written down, on the elapsed axis.
  /// - `firing.series`: the row of the first firing of the series that it belongs to, `position` its place there (0 for
  ///   the first), `times` how often a first firing is repeated. A request's firings are in the order of their rows, which
  ///   their stamps are not where the clock was set back.
  private static let schema2 = """
    ALTER TABLE request ADD COLUMN reached INTEGER;
    ALTER TABLE request ADD COLUMN reading INTEGER;
    CREATE INDEX request_invalid ON request(sequence) WHERE state = 4;
    CREATE INDEX request_resting ON request(sequence) WHERE current = 1 AND state IN (1, 4);
    ALTER TABLE firing ADD COLUMN noted INTEGER;
    ALTER TABLE firing ADD COLUMN series INTEGER;
    ALTER TABLE firing ADD COLUMN position INTEGER;
    ALTER TABLE firing ADD COLUMN times INTEGER;
    CREATE INDEX firing_request ON firing(sequence);
    CREATE INDEX firing_series ON firing(series) WHERE series IS NOT NULL;
    CREATE TABLE earlier(due INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (due, sequence)) WITHOUT ROWID;
    CREATE TABLE watch(
      sequence INTEGER PRIMARY KEY, topic TEXT, device TEXT, state INTEGER NOT NULL,
      fired INTEGER, late INTEGER NOT NULL, until INTEGER);
    CREATE INDEX watch_topic ON watch(topic, state) WHERE topic IS NOT NULL;
    CREATE INDEX watch_device ON watch(device) WHERE device IS NOT NULL;
    CREATE INDEX watch_until ON watch(until) WHERE until IS NOT NULL;
    CREATE INDEX watch_unknown ON watch(sequence) WHERE state IN (0, 1);
    CREATE TABLE followup(
      row INTEGER PRIMARY KEY AUTOINCREMENT, sequence INTEGER NOT NULL, firing INTEGER NOT NULL,
      kind INTEGER NOT NULL, position INTEGER NOT NULL, due INTEGER NOT NULL, held INTEGER NOT NULL);
    CREATE INDEX followup_due ON followup(due) WHERE held = 0;
    CREATE INDEX followup_sequence ON followup(sequence);
    CREATE INDEX followup_firing ON followup(firing);
    """

  /// What very much traffic needs.
  ///
  /// - `note`: what the broker has taken and the rows of deliveries do not tell yet, as `[firing, device, closing, fired,
  ///   …]`. It is empty except in and after a burst.
  /// - `request_listed` with a condition that is two comparisons: for a list of three values SQLite builds a table anew
  ///   with each row written, which was a third of what a request costs.
  private static let schema3 = """
    CREATE TABLE note(row INTEGER PRIMARY KEY, taken BLOB NOT NULL);
    DROP INDEX request_listed;
    CREATE INDEX request_listed ON request(sequence) WHERE current = 1 AND state NOT IN (2, 3);
    """

  /// Do not disturb: whether it is on for a device (NULL: it was never set), and when it ends by itself, on the wall clock.
  private static let schema4 = """
    ALTER TABLE device ADD COLUMN focus INTEGER;
    ALTER TABLE device ADD COLUMN focus_until INTEGER;
    """

  /// Fewer pages and steps for each command.
  ///
  /// - `counter.request`, `counter.firing`: the last numbers given. SQLite's own AUTOINCREMENT keeps them in a table that is
  ///   searched and written with each row; what a table's text says of it is all that there is of it in the file, so it
  ///   is taken out there (https://www.sqlite.org/lang_altertable.html, section 8).
  /// - `taken`: what recognises repeated commands, a row for all those of a batch. `messages` holds `[packet, hash, reply,
  ///   …]`, the reply as a text, in the order in which they came; `number` is the first one's.
  private static let schema5 = """
    ALTER TABLE counter ADD COLUMN request INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE counter ADD COLUMN firing INTEGER NOT NULL DEFAULT 0;
    UPDATE counter SET
      request = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'request'), 0),
      firing = coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'firing'), 0);
    DELETE FROM sqlite_sequence WHERE name IN ('request', 'firing');
    PRAGMA writable_schema = ON;
    UPDATE sqlite_schema SET sql = replace(sql, 'PRIMARY KEY AUTOINCREMENT', 'PRIMARY KEY')
      WHERE type = 'table' AND name IN ('request', 'firing');
    PRAGMA writable_schema = RESET;
    ALTER TABLE taken RENAME TO taken_one;
    CREATE TABLE taken(number INTEGER PRIMARY KEY, messages BLOB NOT NULL);
    INSERT INTO taken SELECT number, CAST('[' || packet || ',' || hash || ','
      || CASE WHEN length(reply) > 0 THEN json_quote(CAST(reply AS TEXT)) ELSE 'null' END || ']' AS BLOB) FROM taken_one;
    DROP TABLE taken_one;
    """
}
