-- +goose Up
-- +compatible: older nodes do not use the columns and the tables.

-- The version of the search that last changed more than the popularity of products.
ALTER TABLE catalog_versions ADD COLUMN search_rules INTEGER NOT NULL DEFAULT 0;

-- What was ordered of a product in the last 90 days, in thousandths, without cancelled orders. A worker keeps it up to
-- date. version is the version of the search that changed it: see catalog_versions.
CREATE TABLE product_popularity (
	store_id    BLOB NOT NULL,
	product_key INTEGER NOT NULL,
	quantity    INTEGER NOT NULL,
	version     INTEGER NOT NULL,
	PRIMARY KEY (store_id, product_key),
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX product_popularity_version ON product_popularity (store_id, version, product_key);

-- Which orders of a store product_popularity counts: those with the numbers from first_number to last_number, unless
-- they are removed from it. oldest_at is not after the submission of the first of them, and NULL if there are none.
CREATE TABLE popularity_progress (
	store_id     BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	first_number INTEGER NOT NULL,
	last_number  INTEGER NOT NULL,
	oldest_at    INTEGER
) STRICT;
CREATE INDEX popularity_progress_oldest ON popularity_progress (oldest_at, store_id) WHERE oldest_at IS NOT NULL;

-- Whether the worker has seen that the order is cancelled, so that product_popularity does not count it.
ALTER TABLE orders ADD COLUMN popularity_removed INTEGER NOT NULL DEFAULT FALSE;
CREATE INDEX orders_popularity ON orders (store_id, key) WHERE state = 'cancelled' AND popularity_removed = FALSE;
