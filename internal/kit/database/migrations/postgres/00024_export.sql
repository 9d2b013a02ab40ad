-- +goose Up
-- External ids that nothing has any more, for exports of what changed. entity is the path segment of the gate; a value of an option or a feature
-- has the external id of its attribute in parent_id, which is empty for all others. The row with the entity references says when the external
-- ids of things that products refer to last changed.
CREATE TABLE deleted_ids (
	store_id    UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	entity      TEXT COLLATE "C" NOT NULL,
	parent_id   TEXT COLLATE "C" NOT NULL,
	external_id TEXT COLLATE "C" NOT NULL,
	deleted_at  BIGINT NOT NULL,
	PRIMARY KEY (store_id, entity, parent_id, external_id)
);
CREATE INDEX deleted_ids_time ON deleted_ids (store_id, entity, deleted_at);
CREATE INDEX deleted_ids_age ON deleted_ids (deleted_at);

-- When something changed a product without being an edit of it, in microseconds: an order that took stock, an image that was downloaded, a
-- value that was deleted. NULL if nothing has since this migration.
ALTER TABLE products ADD COLUMN touched_at BIGINT;

-- What a dry run would change, numbered from 1 in the order of the items. changes is JSON.
CREATE TABLE exchange_changes (
	store_id    UUID NOT NULL,
	run_key     BIGINT NOT NULL,
	number      BIGINT NOT NULL,
	item        BIGINT NOT NULL,
	external_id TEXT COLLATE "C",
	action      TEXT COLLATE "C" NOT NULL,
	changes     TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (store_id, run_key, number),
	FOREIGN KEY (store_id, run_key) REFERENCES exchange_runs (store_id, key) ON DELETE CASCADE
);
