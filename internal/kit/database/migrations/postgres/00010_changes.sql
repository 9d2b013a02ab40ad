-- +goose Up
-- +compatible: older nodes do not use the tables. What they change counts as a change of more than prices; products
-- that they delete are not listed as deleted.

-- How many versions of the products changed prices and stock only.
ALTER TABLE catalog_versions ADD COLUMN price_versions BIGINT NOT NULL DEFAULT 0;

-- What clients know of the changes of a store's catalogue. version is the present version that clients see. catalog,
-- price_versions, categories and attributes are the versions of the store whose changes it has. whole is the last
-- version that may have changed any product, content the last one that changed more than prices and stock, floor the
-- one up to which deletions are not known any more. announced is the version of the last event, at announced_at.
CREATE TABLE change_heads (
	store_id       UUID NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	version        BIGINT NOT NULL,
	catalog        BIGINT NOT NULL,
	price_versions BIGINT NOT NULL,
	categories     BIGINT NOT NULL,
	attributes     BIGINT NOT NULL,
	whole          BIGINT NOT NULL,
	content        BIGINT NOT NULL,
	floor          BIGINT NOT NULL,
	announced      BIGINT NOT NULL,
	announced_at   BIGINT NOT NULL
);

-- The last version that changed each product, in blocks of 1,024 keys. version is the highest one of the block; entries
-- is decoded by package change.
CREATE TABLE changed_products (
	store_id UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	block    BIGINT NOT NULL,
	version  BIGINT NOT NULL,
	entries  BYTEA NOT NULL,
	PRIMARY KEY (store_id, block)
);

-- The last version that changed each category. state and position are the category's own at that version; state is 0
-- for one that is deleted.
CREATE TABLE changed_categories (
	store_id   UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id         UUID NOT NULL,
	state      BIGINT NOT NULL,
	position   BIGINT NOT NULL,
	version    BIGINT NOT NULL,
	changed_at BIGINT NOT NULL,
	PRIMARY KEY (store_id, id)
);
CREATE INDEX changed_categories_version ON changed_categories (store_id, version, id);
CREATE INDEX changed_categories_deleted ON changed_categories (changed_at) WHERE state = 0;

-- Products that were deleted. The version is NULL until the deletion is part of a version that clients see.
CREATE TABLE deleted_products (
	store_id    UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          UUID NOT NULL,
	product_key BIGINT NOT NULL,
	version     BIGINT,
	deleted_at  BIGINT NOT NULL,
	PRIMARY KEY (store_id, id)
);
CREATE INDEX deleted_products_version ON deleted_products (store_id, version, id);
CREATE INDEX deleted_products_age ON deleted_products (deleted_at);

-- Changes of what products show that are no change of the products, until they are part of a version that clients see:
-- of a product, of all that have a value or an attribute, or of any. attribute_key is the attribute of a value, else 0.
-- The kind paths stands for the addresses of all products and categories.
CREATE TABLE touched_products (
	store_id      UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind          TEXT COLLATE "C" NOT NULL,
	key           BIGINT NOT NULL,
	attribute_key BIGINT NOT NULL,
	PRIMARY KEY (store_id, kind, key)
);

-- The version that a store had at the beginning of a day, which is in days since 1970 in UTC.
CREATE TABLE change_days (
	store_id UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day      BIGINT NOT NULL,
	version  BIGINT NOT NULL,
	PRIMARY KEY (store_id, day)
);

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
