-- +goose Up
-- +compatible: older nodes do not use the tables and columns.

-- Price lists: other prices than the prices of the variants themselves, for groups of customers.
CREATE TABLE price_lists (
	key            INTEGER PRIMARY KEY,
	store_id       BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id             BLOB NOT NULL,
	external_id    TEXT,
	name           TEXT NOT NULL,
	words          TEXT NOT NULL,
	currency       TEXT NOT NULL,
	version        INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL,
	pushed         BLOB,
	-- A list with very many prices is hidden at first, and its prices are deleted later.
	deleted_at     INTEGER,
	source_version INTEGER
) STRICT;
CREATE UNIQUE INDEX price_lists_id ON price_lists (store_id, id);
CREATE UNIQUE INDEX price_lists_key ON price_lists (store_id, key);
CREATE UNIQUE INDEX price_lists_external ON price_lists (store_id, external_id);

-- The prices of a list, in units of 0.0001, by the quantity from which they apply, in thousandths. A variant without a
-- price in a list has no row.
CREATE TABLE variant_prices (
	store_id      BLOB NOT NULL,
	variant_key   INTEGER NOT NULL,
	list_key      INTEGER NOT NULL,
	from_quantity INTEGER NOT NULL,
	price         INTEGER NOT NULL,
	PRIMARY KEY (store_id, variant_key, list_key, from_quantity),
	FOREIGN KEY (store_id, variant_key) REFERENCES variants (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, list_key) REFERENCES price_lists (store_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX variant_prices_list ON variant_prices (store_id, list_key, variant_key);

-- Groups of customers, and the lists whose prices they get, the first that has a price.
CREATE TABLE customer_groups (
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
CREATE UNIQUE INDEX customer_groups_id ON customer_groups (store_id, id);
CREATE UNIQUE INDEX customer_groups_key ON customer_groups (store_id, key);
CREATE UNIQUE INDEX customer_groups_external ON customer_groups (store_id, external_id);

CREATE TABLE customer_group_lists (
	store_id   BLOB NOT NULL,
	group_key  INTEGER NOT NULL,
	list_order INTEGER NOT NULL,
	list_key   INTEGER NOT NULL,
	PRIMARY KEY (store_id, group_key, list_order),
	FOREIGN KEY (store_id, group_key) REFERENCES customer_groups (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, list_key) REFERENCES price_lists (store_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX customer_group_lists_list ON customer_group_lists (store_id, list_key);

-- The group of a customer, and of the visitors who come by a publishable key.
ALTER TABLE customers ADD COLUMN group_key INTEGER;
CREATE INDEX customers_group ON customers (store_id, group_key, key) WHERE group_key IS NOT NULL;
ALTER TABLE credentials ADD COLUMN group_key INTEGER;

-- The list with the prices that are shown crossed out.
ALTER TABLE stores ADD COLUMN old_price_list_id BLOB;

-- The key that made a cart, whose group gives the prices if its customer has none; NULL if an operator made it.
ALTER TABLE orders ADD COLUMN credential_id BLOB;
-- The list that gave the price of a submitted item; NULL if it is the price of the variant itself.
ALTER TABLE order_items ADD COLUMN price_list_id BLOB;
