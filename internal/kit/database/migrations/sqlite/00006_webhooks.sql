-- +goose Up
-- Who is told of events. types is JSON; secret and old_secret are sealed, and the old one signs along until old_secret_until. failing_since is the
-- first attempt that failed since one succeeded.
CREATE TABLE receivers (
	key              INTEGER PRIMARY KEY,
	store_id         BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id               BLOB NOT NULL,
	url              TEXT NOT NULL,
	types            TEXT NOT NULL,
	enabled          INTEGER NOT NULL,
	disabled_reason  TEXT,
	secret           BLOB NOT NULL,
	old_secret       BLOB,
	old_secret_until INTEGER,
	failing_since    INTEGER,
	version          INTEGER NOT NULL,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX receivers_id ON receivers (store_id, id);
CREATE UNIQUE INDEX receivers_key ON receivers (store_id, key);

-- An event that is addressed to one receiver, to try it, is for nobody else.
ALTER TABLE events ADD COLUMN receiver_key INTEGER;
CREATE INDEX events_age ON events (created_at);

-- The last event of a store for which there are deliveries.
CREATE TABLE event_fanouts (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	sequence INTEGER NOT NULL
) STRICT;

-- One event for one receiver. stranded is what is held or dead: it waits for somebody to ask for it. No index holds what changes when an event is
-- delivered, so that PostgreSQL changes the row alone.
CREATE TABLE deliveries (
	key              INTEGER PRIMARY KEY,
	store_id         BLOB NOT NULL,
	id               BLOB NOT NULL,
	receiver_key     INTEGER NOT NULL,
	sequence         INTEGER NOT NULL,
	type             TEXT NOT NULL,
	status           TEXT NOT NULL,
	stranded         INTEGER NOT NULL,
	attempts_count   INTEGER NOT NULL,
	last_status_code INTEGER,
	next_attempt_at  INTEGER,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	FOREIGN KEY (store_id, receiver_key) REFERENCES receivers (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, sequence) REFERENCES events (store_id, sequence)
) STRICT;
CREATE UNIQUE INDEX deliveries_id ON deliveries (store_id, id);
CREATE INDEX deliveries_store ON deliveries (store_id, key);
CREATE INDEX deliveries_receiver ON deliveries (store_id, receiver_key, key);
CREATE UNIQUE INDEX deliveries_event ON deliveries (store_id, sequence, receiver_key);
CREATE INDEX deliveries_stranded ON deliveries (store_id, receiver_key, key) WHERE stranded = TRUE;

-- One request. There is no foreign key, which would cost more than the row: whoever deletes deliveries deletes their attempts.
CREATE TABLE attempts (
	store_id     BLOB NOT NULL,
	delivery_key INTEGER NOT NULL,
	number       INTEGER NOT NULL,
	started_at   INTEGER NOT NULL,
	duration_ms  INTEGER NOT NULL,
	status_code  INTEGER,
	phase        TEXT,
	excerpt      TEXT NOT NULL,
	PRIMARY KEY (store_id, delivery_key, number)
) STRICT, WITHOUT ROWID;
