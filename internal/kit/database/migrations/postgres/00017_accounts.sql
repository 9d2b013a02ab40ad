-- +goose Up
-- A person who signs in to the administration. Each store that they administer has an operator of theirs. An account
-- with an empty password_hash has set no password yet. The secret of the codes for the second step of a sign-in is
-- sealed; code_step is the time step of the last code that was used. An empty language is that of the browser.
CREATE TABLE accounts (
	id            UUID   NOT NULL PRIMARY KEY,
	email         TEXT   COLLATE "C" NOT NULL,
	password_hash TEXT   COLLATE "C" NOT NULL,
	language      TEXT   COLLATE "C" NOT NULL,
	failures      BIGINT NOT NULL,
	locked_until  BIGINT NOT NULL,
	code_secret   BYTEA,
	code_step     BIGINT NOT NULL,
	created_at    BIGINT NOT NULL,
	updated_at    BIGINT NOT NULL
);
CREATE UNIQUE INDEX accounts_email ON accounts (email);

-- Recovery codes that were not used yet, by their SHA-256.
CREATE TABLE account_recovery_codes (
	account_id UUID  NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	hash       BYTEA NOT NULL,
	PRIMARY KEY (account_id, hash)
);

-- Browsers in which a person has signed in, by the SHA-256 of their token, with the network of the last login.
CREATE TABLE account_devices (
	hash         BYTEA  NOT NULL PRIMARY KEY,
	account_id   UUID   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	network      TEXT   COLLATE "C" NOT NULL,
	last_seen_at BIGINT NOT NULL
);
CREATE INDEX account_devices_account ON account_devices (account_id, last_seen_at);

-- Failed logins of an account by where they came from: a device, a session or a network. Those of all unknown networks
-- together are counted in accounts.
CREATE TABLE account_lockouts (
	account_id   UUID   NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	source       TEXT   COLLATE "C" NOT NULL,
	failures     BIGINT NOT NULL,
	locked_until BIGINT NOT NULL,
	updated_at   BIGINT NOT NULL,
	PRIMARY KEY (account_id, source)
);
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

DROP TABLE operator_lockouts;
DROP TABLE operator_devices;

-- The operators of a store. One without joined_at was invited and has not accepted yet. signed_in_at is the last time
-- that the person signed in to this store or switched to it.
ALTER TABLE operators ADD COLUMN account_id UUID REFERENCES accounts (id);
ALTER TABLE operators ADD COLUMN joined_at BIGINT;
ALTER TABLE operators ADD COLUMN signed_in_at BIGINT;
UPDATE operators
SET account_id = id, joined_at = CASE WHEN password_hash <> '' THEN created_at END,
	signed_in_at = (SELECT MAX(x.created_at) FROM operator_sessions AS x WHERE x.store_id = operators.store_id AND x.operator_id = operators.id);
ALTER TABLE operators ALTER COLUMN account_id SET NOT NULL;
ALTER TABLE operators DROP COLUMN email;
ALTER TABLE operators DROP COLUMN password_hash;
ALTER TABLE operators DROP COLUMN failures;
ALTER TABLE operators DROP COLUMN locked_until;
CREATE UNIQUE INDEX operators_account ON operators (account_id, store_id);

-- The network and the browser of the login are shown to the person whose session it is.
ALTER TABLE operator_sessions ADD COLUMN network TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE operator_sessions ADD COLUMN browser TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE operator_sessions ALTER COLUMN network DROP DEFAULT;
ALTER TABLE operator_sessions ALTER COLUMN browser DROP DEFAULT;

-- How many captcha checks of a day had a score in a bucket. A bucket is a tenth of the scale from 0 to 1. The day is the
-- number of days since 1970 in UTC.
CREATE TABLE captcha_scores (
	store_id UUID   NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day      BIGINT NOT NULL,
	action   TEXT   COLLATE "C" NOT NULL,
	bucket   BIGINT NOT NULL,
	count    BIGINT NOT NULL,
	PRIMARY KEY (store_id, day, action, bucket)
);
CREATE INDEX captcha_scores_age ON captcha_scores (day);

-- The log is read by time, for a person and for a kind of object, too.
DROP INDEX audit_entries_store;
DROP INDEX audit_entries_actor;
CREATE INDEX audit_entries_time ON audit_entries (store_id, created_at, sequence);
CREATE INDEX audit_entries_actor ON audit_entries (store_id, actor_kind, actor_id, created_at, sequence);
CREATE INDEX audit_entries_kind ON audit_entries (store_id, object_kind, created_at, sequence);
