-- +goose Up
-- +compatible: older nodes do not use the table.

-- Product feeds of a store. definition is JSON: the format, the filter, the mapping and the price list. The feed key
-- is part of the address that the administration shows, so it is kept encrypted; key_hash is its SHA-256.
CREATE TABLE feeds (
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	name       TEXT NOT NULL,
	definition TEXT NOT NULL,
	key_hash   BLOB NOT NULL,
	key_sealed BLOB NOT NULL,
	version    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	PRIMARY KEY (store_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX feeds_key ON feeds (key_hash);
