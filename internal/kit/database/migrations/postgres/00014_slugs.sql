-- +goose Up
-- +compatible: older nodes do not know these members. What they create has no slug until a worker gives it one.

-- slug is the present address; NULL until the thing has one. seo is JSON, {"title", "description", "noindex"}.
ALTER TABLE products ADD COLUMN slug TEXT COLLATE "C";
ALTER TABLE products ADD COLUMN seo TEXT;
ALTER TABLE products ADD COLUMN slug_writer BIGINT;
ALTER TABLE products ADD COLUMN seo_writer BIGINT;
CREATE INDEX products_without_slug ON products (store_id, key) WHERE slug IS NULL;
ALTER TABLE categories ADD COLUMN slug TEXT COLLATE "C";
ALTER TABLE categories ADD COLUMN seo TEXT;
CREATE INDEX categories_without_slug ON categories (store_id, key) WHERE slug IS NULL AND deleted_at IS NULL;

-- Every slug that a product has or had: the present ones, which products.slug has too, and the former ones, which lead
-- to the product until another one is given them on purpose.
CREATE TABLE product_slugs (
	store_id    UUID NOT NULL,
	slug        TEXT COLLATE "C" NOT NULL,
	product_key BIGINT NOT NULL,
	is_current  BOOLEAN NOT NULL,
	PRIMARY KEY (store_id, slug),
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE
);
CREATE INDEX product_slugs_product ON product_slugs (store_id, product_key);

-- The same for categories.
CREATE TABLE category_slugs (
	store_id     UUID NOT NULL,
	slug         TEXT COLLATE "C" NOT NULL,
	category_key BIGINT NOT NULL,
	is_current   BOOLEAN NOT NULL,
	PRIMARY KEY (store_id, slug),
	FOREIGN KEY (store_id, category_key) REFERENCES categories (store_id, key) ON DELETE CASCADE
);
CREATE INDEX category_slugs_category ON category_slugs (store_id, category_key);
