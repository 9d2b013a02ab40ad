-- +goose Up
-- External ids that nothing has any more, for exports of what changed. entity is the path segment of the gate; a value of an option or a feature
-- has the external id of its attribute in parent_id, which is empty for all others. The row with the entity references says when the external
-- ids of things that products refer to last changed.
CREATE TABLE deleted_ids (
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	entity      TEXT NOT NULL,
	parent_id   TEXT NOT NULL,
	external_id TEXT NOT NULL,
	deleted_at  INTEGER NOT NULL,
	PRIMARY KEY (store_id, entity, parent_id, external_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_ids_time ON deleted_ids (store_id, entity, deleted_at);
CREATE INDEX deleted_ids_age ON deleted_ids (deleted_at);

-- When something changed a product without being an edit of it, in microseconds: an order that took stock, an image that was downloaded, a
-- value that was deleted. NULL if nothing has since this migration.
ALTER TABLE products ADD COLUMN touched_at INTEGER;

-- What a dry run would change, numbered from 1 in the order of the items. changes is JSON.
CREATE TABLE exchange_changes (
	store_id    BLOB NOT NULL,
	run_key     INTEGER NOT NULL,
	number      INTEGER NOT NULL,
	item        INTEGER NOT NULL,
	external_id TEXT,
	action      TEXT NOT NULL,
	changes     TEXT NOT NULL,
	PRIMARY KEY (store_id, run_key, number),
	FOREIGN KEY (store_id, run_key) REFERENCES exchange_runs (store_id, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
