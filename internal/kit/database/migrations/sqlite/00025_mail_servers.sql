-- +goose Up
-- +compatible: older nodes do not use the table. What they send goes to the mailbox meanwhile.

-- The mail servers that owners have set for their stores. settings is JSON with the password, encrypted. The server of
-- the command line comes before them.
CREATE TABLE mail_servers (
	store_id   BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	settings   BLOB NOT NULL,
	version    INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
