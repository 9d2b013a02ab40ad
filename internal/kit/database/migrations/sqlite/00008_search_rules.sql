-- +goose Up
-- +compatible: older nodes do not use the tables.

-- What a store tells its search: the synonyms, as a JSON object with groups and one_way, and the versions of the
-- synonyms and of the pins.
CREATE TABLE search_rules (
	store_id         BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	synonyms         TEXT NOT NULL,
	synonyms_version INTEGER NOT NULL,
	pins_version     INTEGER NOT NULL
) STRICT;

-- The products that come first for a query, in their order. The query is as it was sent.
CREATE TABLE search_pins (
	store_id      BLOB NOT NULL,
	query_order   INTEGER NOT NULL,
	product_order INTEGER NOT NULL,
	query         TEXT NOT NULL,
	product_key   INTEGER NOT NULL,
	PRIMARY KEY (store_id, query_order, product_order),
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX search_pins_product ON search_pins (store_id, product_key);

-- What visitors searched for, by the day in the timezone of the store, as a number of days since 1970-01-01. The query
-- is folded, found is the number of products that it found the last time, at asked_at in microseconds.
CREATE TABLE search_queries (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day      INTEGER NOT NULL,
	query    TEXT NOT NULL,
	count    INTEGER NOT NULL,
	found    INTEGER NOT NULL,
	asked_at INTEGER NOT NULL,
	clicks   INTEGER NOT NULL,
	orders   INTEGER NOT NULL,
	PRIMARY KEY (store_id, day, query)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_queries_count ON search_queries (store_id, day DESC, count DESC, query);
CREATE INDEX search_queries_unfound ON search_queries (store_id, day DESC, count DESC, query) WHERE found = 0;

-- The products that were clicked in the results of a query.
CREATE TABLE search_clicks (
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day        INTEGER NOT NULL,
	product_id BLOB NOT NULL,
	query      TEXT NOT NULL,
	PRIMARY KEY (store_id, day, product_id, query)
) STRICT, WITHOUT ROWID;

-- How many rows a day has: of search_queries, of those that found nothing, and of search_clicks. Nodes that write rows
-- of a day lock its row here first.
CREATE TABLE search_days (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day      INTEGER NOT NULL,
	queries  INTEGER NOT NULL,
	unfound  INTEGER NOT NULL,
	clicks   INTEGER NOT NULL,
	PRIMARY KEY (store_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_days_day ON search_days (day, store_id);
