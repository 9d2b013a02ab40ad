-- +goose Up
-- +compatible: older nodes leave the columns at their defaults: their codes count for no prefix, their failures are not logged.

-- The last change of an account's e-mail address that was asked for. The address counts once the link was opened whose
-- token has this SHA-256. expires_at is 0 for one that was confirmed or cancelled: email is then empty.
CREATE TABLE account_email_changes (
	account_id   UUID   NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	hash         BYTEA  NOT NULL,
	email        TEXT   COLLATE "C" NOT NULL,
	requested_at BIGINT NOT NULL,
	expires_at   BIGINT NOT NULL
);

CREATE UNIQUE INDEX account_email_changes_hash ON account_email_changes (hash);
CREATE INDEX account_email_changes_age ON account_email_changes (requested_at);

-- Failed sign-ins that the log does not have yet, and when it got the last entry about them.
ALTER TABLE accounts ADD COLUMN unlogged_failures BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN failures_logged_at BIGINT NOT NULL DEFAULT 0;

-- The country prefix of a phone number, such as +7; empty for an e-mail address. Codes are limited by store and prefix.
ALTER TABLE login_requests ADD COLUMN prefix TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX login_requests_store ON login_requests (store_id, created_at);
CREATE INDEX login_requests_prefix ON login_requests (store_id, prefix, created_at);
