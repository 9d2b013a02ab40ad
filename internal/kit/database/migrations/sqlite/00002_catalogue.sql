-- +goose Up
-- sort_name is what products are sorted by, and how words begins: the folded words of the name. Products made before have their external id
-- and skus in it as well, behind those, until they are next written.
ALTER TABLE products ADD COLUMN sort_name TEXT NOT NULL DEFAULT '';
UPDATE products SET sort_name = words;
-- modifiers is JSON as it was sent.
ALTER TABLE products ADD COLUMN modifiers TEXT NOT NULL DEFAULT '[]';
CREATE INDEX products_archived ON products (store_id, key) WHERE archived_at IS NOT NULL;

-- available is what is left in all stocks together, in thousandths; NULL where no stock is kept. Derived from remainders.
ALTER TABLE variants ADD COLUMN available INTEGER;

-- version grows with every change of a product, categories with every change of a category. product_changes has all versions after floor.
CREATE TABLE catalog_versions (
	store_id   BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	version    INTEGER NOT NULL,
	categories INTEGER NOT NULL,
	floor      INTEGER NOT NULL
) STRICT;

-- Which products a version changed; product_key 0 stands for any of them.
CREATE TABLE product_changes (
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	version     INTEGER NOT NULL,
	product_key INTEGER NOT NULL,
	changed_at  INTEGER NOT NULL,
	PRIMARY KEY (store_id, version, product_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE categories (
	key         INTEGER PRIMARY KEY,
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          BLOB NOT NULL,
	external_id TEXT,
	name        TEXT NOT NULL,
	words       TEXT NOT NULL,
	parent_key  INTEGER,
	version     INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	FOREIGN KEY (store_id, parent_key) REFERENCES categories (store_id, key)
) STRICT;
CREATE UNIQUE INDEX categories_id ON categories (store_id, id);
CREATE UNIQUE INDEX categories_key ON categories (store_id, key);
-- With the condition, which a foreign key could not refer to, PostgreSQL lets an external_id be changed while others share the row.
CREATE UNIQUE INDEX categories_external ON categories (store_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX categories_parent ON categories (store_id, parent_key);

CREATE TABLE product_categories (
	store_id     BLOB NOT NULL,
	product_key  INTEGER NOT NULL,
	category_key INTEGER NOT NULL,
	PRIMARY KEY (store_id, product_key, category_key),
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, category_key) REFERENCES categories (store_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX product_categories_category ON product_categories (store_id, category_key, product_key);

CREATE TABLE stocks (
	key         INTEGER PRIMARY KEY,
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          BLOB NOT NULL,
	external_id TEXT,
	name        TEXT NOT NULL,
	words       TEXT NOT NULL,
	version     INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX stocks_id ON stocks (store_id, id);
CREATE UNIQUE INDEX stocks_key ON stocks (store_id, key);
CREATE UNIQUE INDEX stocks_external ON stocks (store_id, external_id);

-- What a stock has of a variant, in thousandths: quantity as accounting says, reserved for submitted orders.
CREATE TABLE remainders (
	store_id    BLOB NOT NULL,
	variant_key INTEGER NOT NULL,
	stock_key   INTEGER NOT NULL,
	quantity    INTEGER NOT NULL,
	reserved    INTEGER NOT NULL,
	PRIMARY KEY (store_id, variant_key, stock_key),
	FOREIGN KEY (store_id, variant_key) REFERENCES variants (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, stock_key) REFERENCES stocks (store_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX remainders_stock ON remainders (store_id, stock_key, variant_key);

-- The bytes of an image are in the blob store under its id. digest is that of the bytes as they were sent.
CREATE TABLE images (
	key         INTEGER PRIMARY KEY,
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          BLOB NOT NULL,
	external_id TEXT,
	product_key INTEGER,
	position    INTEGER NOT NULL,
	format      TEXT NOT NULL,
	opaque      INTEGER NOT NULL,
	width       INTEGER NOT NULL,
	height      INTEGER NOT NULL,
	size        INTEGER NOT NULL,
	digest      BLOB NOT NULL,
	version     INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key)
) STRICT;
CREATE UNIQUE INDEX images_id ON images (store_id, id);
CREATE UNIQUE INDEX images_key ON images (store_id, key);
CREATE UNIQUE INDEX images_external ON images (store_id, external_id);
CREATE INDEX images_product ON images (store_id, product_key, position);

-- Images whose bytes are to be removed once due: deleted ones, and uploads that never came to an end.
CREATE TABLE image_leftovers (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	image_id BLOB NOT NULL,
	due_at   INTEGER NOT NULL,
	PRIMARY KEY (store_id, image_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX image_leftovers_due ON image_leftovers (due_at);
