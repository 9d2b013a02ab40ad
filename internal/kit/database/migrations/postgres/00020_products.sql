-- +goose Up
-- When a push last changed the product, in microseconds; NULL for a product that no push has written since this migration.
ALTER TABLE products ADD COLUMN pushed_at BIGINT;

-- Changes of many products at once. Their products are in chunks, each of which is changed in one transaction. A chunk has the keys of its
-- products and, once it is done, of those that it has changed, as big-endian integers of 8 bytes. undo_of is the change that this one undoes.
CREATE TABLE bulk_changes (
	store_id    UUID    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          UUID    NOT NULL,
	action      TEXT    NOT NULL,
	target      TEXT    NOT NULL,
	label       TEXT    NOT NULL,
	undo_of     UUID,
	total       BIGINT  NOT NULL,
	done        BIGINT  NOT NULL,
	changed     BIGINT  NOT NULL,
	next_chunk  BIGINT  NOT NULL,
	failure     TEXT    NOT NULL,
	created_at  BIGINT  NOT NULL,
	finished_at BIGINT,
	PRIMARY KEY (store_id, id)
);

CREATE TABLE bulk_chunks (
	store_id  UUID    NOT NULL,
	change_id UUID    NOT NULL,
	number    BIGINT  NOT NULL,
	keys      BYTEA   NOT NULL,
	PRIMARY KEY (store_id, change_id, number),
	FOREIGN KEY (store_id, change_id) REFERENCES bulk_changes (store_id, id) ON DELETE CASCADE
);
