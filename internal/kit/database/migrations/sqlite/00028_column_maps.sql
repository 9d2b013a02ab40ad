-- +goose Up
-- +compatible: older nodes do not use the table and the column. They read a file whose columns were chosen as if they were not.

-- What the columns of uploaded tables are, as a person has chosen, as JSON, by a digest of their names. entity is what
-- the tables are about.
CREATE TABLE column_maps (
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	entity     TEXT NOT NULL,
	digest     BLOB NOT NULL,
	mapping    TEXT NOT NULL,
	updated_at INTEGER NOT NULL,
	PRIMARY KEY (store_id, entity, digest)
) STRICT, WITHOUT ROWID;
-- The one that a run reads its table with; empty if the table has our names.
ALTER TABLE exchange_runs ADD COLUMN mapping TEXT NOT NULL DEFAULT '';
