-- +goose Up
-- Deletions of what many products refer to. The target, an attribute, a value, a category or a stock, is deleted for everybody; the rows of
-- products that refer to it are deleted afterwards, in short transactions. attribute_key is that of a value, else 0.
CREATE TABLE deletions (
	store_id      UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind          TEXT COLLATE "C" NOT NULL,
	target_key    BIGINT NOT NULL,
	attribute_key BIGINT NOT NULL,
	PRIMARY KEY (store_id, kind, target_key)
);

-- Set for the targets of deletions. A deleted attribute has the kind deleted.
ALTER TABLE attribute_values ADD COLUMN deleted_at BIGINT;
ALTER TABLE categories ADD COLUMN deleted_at BIGINT;
ALTER TABLE stocks ADD COLUMN deleted_at BIGINT;

-- A stock is deleted only if nothing in it is reserved.
CREATE INDEX remainders_reserved ON remainders (store_id, stock_key, reserved) WHERE reserved > 0;
