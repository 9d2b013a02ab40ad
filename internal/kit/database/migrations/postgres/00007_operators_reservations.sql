-- +goose Up
-- An operator with disabled_at cannot sign in. One with an empty password_hash was invited and has set no password yet.
ALTER TABLE operators ADD COLUMN disabled_at BIGINT;

-- An operator's invitation: only the SHA-256 of its token is kept.
CREATE TABLE operator_invitations (
	hash        BYTEA NOT NULL PRIMARY KEY,
	store_id    UUID NOT NULL,
	operator_id UUID NOT NULL,
	expires_at  BIGINT NOT NULL,
	FOREIGN KEY (store_id, operator_id) REFERENCES operators (store_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX operator_invitations_operator ON operator_invitations (store_id, operator_id);

-- Browsers in which an operator has signed in, by the SHA-256 of their token, with the network of the last login.
CREATE TABLE operator_devices (
	hash         BYTEA NOT NULL PRIMARY KEY,
	store_id     UUID NOT NULL,
	operator_id  UUID NOT NULL,
	network      TEXT COLLATE "C" NOT NULL,
	last_seen_at BIGINT NOT NULL,
	FOREIGN KEY (store_id, operator_id) REFERENCES operators (store_id, id) ON DELETE CASCADE
);
CREATE INDEX operator_devices_operator ON operator_devices (store_id, operator_id, last_seen_at);

-- Failed logins of an account by where they came from: a device, a session or a network. Those of all unknown networks
-- together are counted in operators.
CREATE TABLE operator_lockouts (
	store_id     UUID NOT NULL,
	operator_id  UUID NOT NULL,
	source       TEXT COLLATE "C" NOT NULL,
	failures     BIGINT NOT NULL,
	locked_until BIGINT NOT NULL,
	updated_at   BIGINT NOT NULL,
	PRIMARY KEY (store_id, operator_id, source),
	FOREIGN KEY (store_id, operator_id) REFERENCES operators (store_id, id) ON DELETE CASCADE
);
CREATE INDEX operator_lockouts_age ON operator_lockouts (updated_at);

-- Orders of guests that nobody has confirmed yet, for --reservation-timeout.
CREATE INDEX orders_unconfirmed ON orders (submitted_at, key) WHERE state = 'submitted' AND customer_key IS NULL;
