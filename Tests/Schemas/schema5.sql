-- A relay's store as programs with schema 5 made it, with something in each table.
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
  sequence INTEGER PRIMARY KEY,
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
  row INTEGER PRIMARY KEY,
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
CREATE TABLE note(row INTEGER PRIMARY KEY, taken BLOB NOT NULL);
DROP INDEX request_listed;
CREATE INDEX request_listed ON request(sequence) WHERE current = 1 AND state NOT IN (2, 3);
ALTER TABLE device ADD COLUMN focus INTEGER;
ALTER TABLE device ADD COLUMN focus_until INTEGER;
ALTER TABLE counter ADD COLUMN request INTEGER NOT NULL DEFAULT 0;
ALTER TABLE counter ADD COLUMN firing INTEGER NOT NULL DEFAULT 0;
CREATE TABLE taken(number INTEGER PRIMARY KEY, messages BLOB NOT NULL);
INSERT INTO meta VALUES ('store', '12345678');
INSERT INTO zone VALUES (1, 'Europe/Berlin');
INSERT INTO device(row, name, announced, status, profile, latest) VALUES (1, 'desk', 1, 1, '{"name":"desk"}', 1);
INSERT INTO request(sequence, id, current, state, axis, due, occurrences, publisher, thread, revision, zone, accepted, rule, content) VALUES
  (1, 'tea', 1, 0, 1, 5000, 0, 'p', NULL, NULL, 1, 1000, '"trigger":{"after":"5s"}', '"title":"Tea"'),
  (2, 'bins', 1, 0, 0, 9000, 0, NULL, 'chores', 7, 1, 1000, '"trigger":{"at":9}', '"title":"Bins"'),
  (3, 'rest', 1, 1, 1, 7000, 0, NULL, NULL, NULL, 1, 1000, '"trigger":{"after":"7s"}', '"title":"Rest"');
INSERT INTO firing(row, sequence, stamp, counter, due, axis, release, fired, late, missed) VALUES (1, 1, 4000, 0, 4000, 1, 4000, 4000, 0, 0);
INSERT INTO delivery VALUES (1, 1, 4000, 0, 1, NULL, NULL);
INSERT INTO command_key VALUES ('p', 'key', 77, 1000, '{"ok":true}');
UPDATE counter SET pending = 3, fired = 1, serial = 5, request = 3, firing = 1;
INSERT INTO earlier VALUES (8000, 2);
INSERT INTO watch VALUES (3, 'home/door', NULL, 2, NULL, 0, NULL);
INSERT INTO followup VALUES (1, 1, 1, 0, 1, 6000, 0);
UPDATE firing SET noted = 4000, series = 1, position = 0, times = 3;
INSERT INTO note VALUES (1, '[1,1,0,4000]');
UPDATE device SET focus = 1, focus_until = 7000;
INSERT INTO taken VALUES (41, '[7,77,null,8,78,"{\"ok\":true}"]');
PRAGMA application_id = 1130459753;
PRAGMA user_version = 5;
