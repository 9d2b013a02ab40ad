-- +goose Up
-- +compatible: older nodes do not use the table.

-- The last link by which the person of an account chooses a new password. hash is the SHA-256 of its token. expires_at
-- is 0 once the link was used; the row stays, so that requested_at limits how often mail is sent.
CREATE TABLE account_password_resets (
	account_id   UUID NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	hash         BYTEA NOT NULL,
	requested_at BIGINT NOT NULL,
	expires_at   BIGINT NOT NULL
);
CREATE UNIQUE INDEX account_password_resets_hash ON account_password_resets (hash);
CREATE INDEX account_password_resets_age ON account_password_resets (requested_at);
