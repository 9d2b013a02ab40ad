-- +goose Up
-- +compatible: older nodes do not use the tables.

-- What a store tells its search: the synonyms, as a JSON object with groups and one_way, and the versions of the
-- synonyms and of the pins.
CREATE TABLE search_rules (
	store_id         UUID NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	synonyms         TEXT COLLATE "C" NOT NULL,
	synonyms_version BIGINT NOT NULL,
	pins_version     BIGINT NOT NULL
);

-- The products that come first for a query, in their order. The query is as it was sent.
CREATE TABLE search_pins (
	store_id      UUID NOT NULL,
	query_order   BIGINT NOT NULL,
	product_order BIGINT NOT NULL,
	query         TEXT COLLATE "C" NOT NULL,
	product_key   BIGINT NOT NULL,
	PRIMARY KEY (store_id, query_order, product_order),
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE
);
CREATE INDEX search_pins_product ON search_pins (store_id, product_key);

-- What visitors searched for, by the day in the timezone of the store, as a number of days since 1970-01-01. The query
-- is folded, found is the number of products that it found the last time, at asked_at in microseconds.
CREATE TABLE search_queries (
	store_id UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day      BIGINT NOT NULL,
	query    TEXT COLLATE "C" NOT NULL,
	count    BIGINT NOT NULL,
	found    BIGINT NOT NULL,
	asked_at BIGINT NOT NULL,
	clicks   BIGINT NOT NULL,
	orders   BIGINT NOT NULL,
	PRIMARY KEY (store_id, day, query)
);
CREATE INDEX search_queries_count ON search_queries (store_id, day DESC, count DESC, query);
CREATE INDEX search_queries_unfound ON search_queries (store_id, day DESC, count DESC, query) WHERE found = 0;

-- The products that were clicked in the results of a query.
CREATE TABLE search_clicks (
	store_id   UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day        BIGINT NOT NULL,
	product_id UUID NOT NULL,
	query      TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (store_id, day, product_id, query)
);

-- How many rows a day has: of search_queries, of those that found nothing, and of search_clicks. Nodes that write rows
-- of a day lock its row here first.
CREATE TABLE search_days (
	store_id UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day      BIGINT NOT NULL,
	queries  BIGINT NOT NULL,
	unfound  BIGINT NOT NULL,
	clicks   BIGINT NOT NULL,
	PRIMARY KEY (store_id, day)
);
CREATE INDEX search_days_day ON search_days (day, store_id);
