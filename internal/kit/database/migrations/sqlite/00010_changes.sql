-- +goose Up
-- +compatible: older nodes do not use the tables. What they change counts as a change of more than prices; products
-- that they delete are not listed as deleted.

-- How many versions of the products changed prices and stock only.
ALTER TABLE catalog_versions ADD COLUMN price_versions INTEGER NOT NULL DEFAULT 0;

-- What clients know of the changes of a store's catalogue. version is the present version that clients see. catalog,
-- price_versions, categories and attributes are the versions of the store whose changes it has. whole is the last
-- version that may have changed any product, content the last one that changed more than prices and stock, floor the
-- one up to which deletions are not known any more. announced is the version of the last event, at announced_at.
CREATE TABLE change_heads (
	store_id       BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	version        INTEGER NOT NULL,
	catalog        INTEGER NOT NULL,
	price_versions INTEGER NOT NULL,
	categories     INTEGER NOT NULL,
	attributes     INTEGER NOT NULL,
	whole          INTEGER NOT NULL,
	content        INTEGER NOT NULL,
	floor          INTEGER NOT NULL,
	announced      INTEGER NOT NULL,
	announced_at   INTEGER NOT NULL
) STRICT;

-- The last version that changed each product, in blocks of 1,024 keys. version is the highest one of the block; entries
-- is decoded by package change.
CREATE TABLE changed_products (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	block    INTEGER NOT NULL,
	version  INTEGER NOT NULL,
	entries  BLOB NOT NULL,
	PRIMARY KEY (store_id, block)
) STRICT;

-- The last version that changed each category. state and position are the category's own at that version; state is 0
-- for one that is deleted.
CREATE TABLE changed_categories (
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id         BLOB NOT NULL,
	state      INTEGER NOT NULL,
	position   INTEGER NOT NULL,
	version    INTEGER NOT NULL,
	changed_at INTEGER NOT NULL,
	PRIMARY KEY (store_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX changed_categories_version ON changed_categories (store_id, version, id);
CREATE INDEX changed_categories_deleted ON changed_categories (changed_at) WHERE state = 0;

-- Products that were deleted. The version is NULL until the deletion is part of a version that clients see.
CREATE TABLE deleted_products (
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          BLOB NOT NULL,
	product_key INTEGER NOT NULL,
	version     INTEGER,
	deleted_at  INTEGER NOT NULL,
	PRIMARY KEY (store_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_products_version ON deleted_products (store_id, version, id);
CREATE INDEX deleted_products_age ON deleted_products (deleted_at);

-- Changes of what products show that are no change of the products, until they are part of a version that clients see:
-- of a product, of all that have a value or an attribute, or of any. attribute_key is the attribute of a value, else 0.
-- The kind paths stands for the addresses of all products and categories.
CREATE TABLE touched_products (
	store_id      BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind          TEXT NOT NULL,
	key           INTEGER NOT NULL,
	attribute_key INTEGER NOT NULL,
	PRIMARY KEY (store_id, kind, key)
) STRICT, WITHOUT ROWID;

-- The version that a store had at the beginning of a day, which is in days since 1970 in UTC.
CREATE TABLE change_days (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day      INTEGER NOT NULL,
	version  INTEGER NOT NULL,
	PRIMARY KEY (store_id, day)
) STRICT, WITHOUT ROWID;

-- The catalogues that exist are version 1, of which clients know nothing yet.
INSERT INTO change_heads (store_id, version, catalog, price_versions, categories, attributes, whole, content, floor,
	announced, announced_at)
SELECT s.id, 1, COALESCE(c.version, 0), 0, COALESCE(c.categories, 0), COALESCE(a.version, 0), 1, 1, 0, 1, 0
FROM stores s
LEFT JOIN catalog_versions c ON c.store_id = s.id
LEFT JOIN attribute_versions a ON a.store_id = s.id;

INSERT INTO changed_categories (store_id, id, state, position, version, changed_at)
SELECT store_id, id, version, position, 1, updated_at
FROM categories
WHERE deleted_at IS NULL;
