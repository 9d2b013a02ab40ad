-- +goose Up
-- Deletions of what many products refer to. The target, an attribute, a value, a category or a stock, is deleted for everybody; the rows of
-- products that refer to it are deleted afterwards, in short transactions. attribute_key is that of a value, else 0.
CREATE TABLE deletions (
	store_id      BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind          TEXT    NOT NULL,
	target_key    INTEGER NOT NULL,
	attribute_key INTEGER NOT NULL,
	PRIMARY KEY (store_id, kind, target_key)
) STRICT, WITHOUT ROWID;

-- Set for the targets of deletions. A deleted attribute has the kind deleted.
ALTER TABLE attribute_values ADD COLUMN deleted_at INTEGER;
ALTER TABLE categories ADD COLUMN deleted_at INTEGER;
ALTER TABLE stocks ADD COLUMN deleted_at INTEGER;

-- A stock is deleted only if nothing in it is reserved.
CREATE INDEX remainders_reserved ON remainders (store_id, stock_key, reserved) WHERE reserved > 0;
