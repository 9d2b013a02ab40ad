-- +goose Up
-- When a push last changed the product, in microseconds; NULL for a product that no push has written since this migration.
ALTER TABLE products ADD COLUMN pushed_at INTEGER;

-- Changes of many products at once. Their products are in chunks, each of which is changed in one transaction. A chunk has the keys of its
-- products and, once it is done, of those that it has changed, as big-endian integers of 8 bytes. undo_of is the change that this one undoes.
CREATE TABLE bulk_changes (
	store_id    BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          BLOB    NOT NULL,
	action      TEXT    NOT NULL,
	target      TEXT    NOT NULL,
	label       TEXT    NOT NULL,
	undo_of     BLOB,
	total       INTEGER NOT NULL,
	done        INTEGER NOT NULL,
	changed     INTEGER NOT NULL,
	next_chunk  INTEGER NOT NULL,
	failure     TEXT    NOT NULL,
	created_at  INTEGER NOT NULL,
	finished_at INTEGER,
	PRIMARY KEY (store_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE bulk_chunks (
	store_id  BLOB    NOT NULL,
	change_id BLOB    NOT NULL,
	number    INTEGER NOT NULL,
	keys      BLOB    NOT NULL,
	PRIMARY KEY (store_id, change_id, number),
	FOREIGN KEY (store_id, change_id) REFERENCES bulk_changes (store_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
