-- +goose Up
-- The article of the good itself, as 1C calls it. Variants without an SKU of their own take it over.
ALTER TABLE products ADD COLUMN article TEXT;

-- What a store has of the exchange with 1C. settings, memory and report are JSON: memory is what files tell later ones, report what the last
-- exchange had. sales_cursor is the sequence of the last event whose order 1C has taken over.
CREATE TABLE commerceml_stores (
	store_id     BLOB    NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	settings     TEXT    NOT NULL DEFAULT '{}',
	memory       TEXT    NOT NULL DEFAULT '{}',
	report       TEXT    NOT NULL DEFAULT '{}',
	sales_cursor INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- A session of 1C, from init on. login is what the cookie says, so that two exchanges with one token have two sessions. offered is the last
-- event of the orders that it got, goods whether its files with goods are the full catalogue. A key is never given twice: jobs name files by it.
CREATE TABLE commerceml_sessions (
	key           INTEGER PRIMARY KEY AUTOINCREMENT,
	store_id      BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	credential_id BLOB    NOT NULL,
	login         BLOB    NOT NULL,
	kind          TEXT    NOT NULL,
	version       TEXT    NOT NULL,
	goods         TEXT    NOT NULL DEFAULT '',
	offered       INTEGER,
	spooled_bytes INTEGER NOT NULL DEFAULT 0,
	used_at       INTEGER NOT NULL
) STRICT;
CREATE INDEX commerceml_sessions_login ON commerceml_sessions (store_id, credential_id, login, kind, key);
CREATE INDEX commerceml_sessions_used ON commerceml_sessions (used_at);
CREATE INDEX commerceml_sessions_spooled ON commerceml_sessions (store_id, spooled_bytes) WHERE spooled_bytes > 0;

-- A file of a session. archive_key is the file with the archive that has it, if it did not come alone. state is received, queued, pushed or
-- failed; runs are the keys of its runs, as JSON.
CREATE TABLE commerceml_files (
	key         INTEGER PRIMARY KEY AUTOINCREMENT,
	store_id    BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	session_key INTEGER NOT NULL,
	name        TEXT    NOT NULL,
	archive_key INTEGER,
	bytes       INTEGER NOT NULL,
	parts       INTEGER NOT NULL,
	first_part  BLOB,
	last_part   BLOB,
	state       TEXT    NOT NULL,
	runs        TEXT    NOT NULL DEFAULT '{}',
	problem     TEXT    NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX commerceml_files_name ON commerceml_files (store_id, session_key, name, key);
CREATE INDEX commerceml_files_open ON commerceml_files (store_id, session_key) WHERE state = 'queued';

-- The bytes of a file, packed. start is the position of the first.
CREATE TABLE commerceml_chunks (
	store_id BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	file_key INTEGER NOT NULL,
	start    INTEGER NOT NULL,
	packed   BLOB    NOT NULL,
	PRIMARY KEY (store_id, file_key, start)
) STRICT;

-- The content of each picture, by its path inside the package, and the session that has its bytes.
CREATE TABLE commerceml_pictures (
	store_id    BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	path        TEXT    NOT NULL,
	digest      BLOB    NOT NULL,
	session_key INTEGER NOT NULL,
	PRIMARY KEY (store_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX commerceml_pictures_digest ON commerceml_pictures (store_id, digest, session_key);

-- Events of orders that 1C itself has changed. They are not given back to it.
CREATE TABLE commerceml_echoes (
	store_id BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	sequence INTEGER NOT NULL,
	PRIMARY KEY (store_id, sequence)
) STRICT, WITHOUT ROWID;
