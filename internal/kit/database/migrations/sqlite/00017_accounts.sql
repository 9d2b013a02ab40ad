-- +goose Up
-- A person who signs in to the administration. Each store that they administer has an operator of theirs. An account
-- with an empty password_hash has set no password yet. The secret of the codes for the second step of a sign-in is
-- sealed; code_step is the time step of the last code that was used. An empty language is that of the browser.
CREATE TABLE accounts (
	id            BLOB    NOT NULL PRIMARY KEY,
	email         TEXT    NOT NULL,
	password_hash TEXT    NOT NULL,
	language      TEXT    NOT NULL,
	failures      INTEGER NOT NULL,
	locked_until  INTEGER NOT NULL,
	code_secret   BLOB,
	code_step     INTEGER NOT NULL,
	created_at    INTEGER NOT NULL,
	updated_at    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX accounts_email ON accounts (email);

-- Recovery codes that were not used yet, by their SHA-256.
CREATE TABLE account_recovery_codes (
	account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	hash       BLOB NOT NULL,
	PRIMARY KEY (account_id, hash)
) STRICT, WITHOUT ROWID;

-- Browsers in which a person has signed in, by the SHA-256 of their token, with the network of the last login.
CREATE TABLE account_devices (
	hash         BLOB    NOT NULL PRIMARY KEY,
	account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	network      TEXT    NOT NULL,
	last_seen_at INTEGER NOT NULL
) STRICT;
CREATE INDEX account_devices_account ON account_devices (account_id, last_seen_at);

-- Failed logins of an account by where they came from: a device, a session or a network. Those of all unknown networks
-- together are counted in accounts.
CREATE TABLE account_lockouts (
	account_id   BLOB    NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	source       TEXT    NOT NULL,
	failures     INTEGER NOT NULL,
	locked_until INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL,
	PRIMARY KEY (account_id, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_lockouts_age ON account_lockouts (updated_at);

-- Until now an operator was a person in one store, so each gets an account with the same id.
INSERT INTO accounts (id, email, password_hash, language, failures, locked_until, code_secret, code_step, created_at, updated_at)
SELECT id, email, password_hash, '', failures, locked_until, NULL, 0, created_at, updated_at
FROM operators;

INSERT INTO account_devices (hash, account_id, network, last_seen_at)
SELECT hash, operator_id, network, last_seen_at
FROM operator_devices;

INSERT INTO account_lockouts (account_id, source, failures, locked_until, updated_at)
SELECT operator_id, source, failures, locked_until, updated_at
FROM operator_lockouts;

-- The operators of a store. One without joined_at was invited and has not accepted yet. signed_in_at is the last time
-- that the person signed in to this store or switched to it.
CREATE TABLE operators_next (
	id           BLOB    NOT NULL PRIMARY KEY,
	store_id     BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	account_id   BLOB    NOT NULL REFERENCES accounts (id),
	role         TEXT    NOT NULL,
	joined_at    INTEGER,
	disabled_at  INTEGER,
	signed_in_at INTEGER,
	created_at   INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL
) STRICT;
INSERT INTO operators_next (id, store_id, account_id, role, joined_at, disabled_at, signed_in_at, created_at, updated_at)
SELECT o.id, o.store_id, o.id, o.role, CASE WHEN o.password_hash <> '' THEN o.created_at END, o.disabled_at,
	(SELECT MAX(x.created_at) FROM operator_sessions AS x WHERE x.store_id = o.store_id AND x.operator_id = o.id), o.created_at, o.updated_at
FROM operators AS o;

-- The network and the browser of the login are shown to the person whose session it is.
CREATE TABLE operator_sessions_next (
	hash         BLOB    NOT NULL PRIMARY KEY,
	store_id     BLOB    NOT NULL,
	operator_id  BLOB    NOT NULL,
	network      TEXT    NOT NULL,
	browser      TEXT    NOT NULL,
	created_at   INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL,
	FOREIGN KEY (store_id, operator_id) REFERENCES operators_next (store_id, id) ON DELETE CASCADE
) STRICT;

CREATE TABLE operator_invitations_next (
	hash        BLOB    NOT NULL PRIMARY KEY,
	store_id    BLOB    NOT NULL,
	operator_id BLOB    NOT NULL,
	expires_at  INTEGER NOT NULL,
	FOREIGN KEY (store_id, operator_id) REFERENCES operators_next (store_id, id) ON DELETE CASCADE
) STRICT;

CREATE UNIQUE INDEX operators_next_store ON operators_next (store_id, id);

INSERT INTO operator_sessions_next (hash, store_id, operator_id, network, browser, created_at, last_seen_at)
SELECT hash, store_id, operator_id, '', '', created_at, last_seen_at
FROM operator_sessions;

INSERT INTO operator_invitations_next (hash, store_id, operator_id, expires_at)
SELECT hash, store_id, operator_id, expires_at
FROM operator_invitations;

DROP TABLE operator_lockouts;
DROP TABLE operator_devices;
DROP TABLE operator_invitations;
DROP TABLE operator_sessions;
DROP TABLE operators;
ALTER TABLE operators_next RENAME TO operators;
ALTER TABLE operator_sessions_next RENAME TO operator_sessions;
ALTER TABLE operator_invitations_next RENAME TO operator_invitations;
DROP INDEX operators_next_store;
CREATE UNIQUE INDEX operators_store ON operators (store_id, id);
CREATE UNIQUE INDEX operators_account ON operators (account_id, store_id);
CREATE INDEX operator_sessions_operator ON operator_sessions (store_id, operator_id);
CREATE UNIQUE INDEX operator_invitations_operator ON operator_invitations (store_id, operator_id);

-- How many captcha checks of a day had a score in a bucket. A bucket is a tenth of the scale from 0 to 1. The day is the
-- number of days since 1970 in UTC.
CREATE TABLE captcha_scores (
	store_id BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day      INTEGER NOT NULL,
	action   TEXT    NOT NULL,
	bucket   INTEGER NOT NULL,
	count    INTEGER NOT NULL,
	PRIMARY KEY (store_id, day, action, bucket)
) STRICT, WITHOUT ROWID;
CREATE INDEX captcha_scores_age ON captcha_scores (day);

-- The log is read by time, for a person and for a kind of object, too.
DROP INDEX audit_entries_store;
DROP INDEX audit_entries_actor;
CREATE INDEX audit_entries_time ON audit_entries (store_id, created_at, sequence);
CREATE INDEX audit_entries_actor ON audit_entries (store_id, actor_kind, actor_id, created_at, sequence);
CREATE INDEX audit_entries_kind ON audit_entries (store_id, object_kind, created_at, sequence);
