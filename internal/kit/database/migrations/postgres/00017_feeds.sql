-- +goose Up
-- +compatible: older nodes do not use the table.

-- Product feeds of a store. definition is JSON: the format, the filter, the mapping and the price list. The feed key
-- is part of the address that the administration shows, so it is kept encrypted; key_hash is its SHA-256.
CREATE TABLE feeds (
	store_id   UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	name       TEXT COLLATE "C" NOT NULL,
	definition TEXT COLLATE "C" NOT NULL,
	key_hash   BYTEA NOT NULL,
	key_sealed BYTEA NOT NULL,
	version    BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	updated_at BIGINT NOT NULL,
	PRIMARY KEY (store_id, name)
);
CREATE INDEX feeds_key ON feeds (key_hash);
