-- +goose Up
-- The words of customers and inquiries, for the search. kind is customer, feedback or callback, and key that of the row there. Only the first 64
-- characters of a word are here: an index entry of PostgreSQL must not be long.
CREATE TABLE search_words (
	store_id BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind     TEXT    NOT NULL,
	word     TEXT    NOT NULL,
	key      INTEGER NOT NULL,
	PRIMARY KEY (store_id, kind, word, key)
) STRICT, WITHOUT ROWID;
INSERT INTO search_words (store_id, kind, word, key)
SELECT DISTINCT t.store_id, t.kind, SUBSTR(w.value, 1, 64), t.key
FROM (
	SELECT store_id, 'customer' AS kind, key, words FROM customers
	UNION ALL
	SELECT store_id, 'feedback', key, words FROM feedback
	UNION ALL
	SELECT store_id, 'callback', key, words FROM callbacks
) AS t
CROSS JOIN JSON_EACH('[' || REPLACE(JSON_QUOTE(t.words), ' ', '","') || ']') AS w
WHERE w.value <> '';

-- The submitted orders of each customer that are not cancelled: how many, and the sum of their totals as in order_totals.
CREATE TABLE customer_totals (
	store_id     BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	customer_key INTEGER NOT NULL,
	currency     TEXT    NOT NULL,
	orders       INTEGER NOT NULL,
	whole        INTEGER NOT NULL,
	rest         INTEGER NOT NULL,
	PRIMARY KEY (store_id, customer_key, currency)
) STRICT, WITHOUT ROWID;
INSERT INTO customer_totals (store_id, customer_key, currency, orders, whole, rest)
SELECT store_id, customer_key, currency, COUNT(*), SUM(total / 10000), SUM(total % 10000)
FROM orders
WHERE customer_key IS NOT NULL AND submitted_at IS NOT NULL AND state <> 'cancelled'
GROUP BY store_id, customer_key, currency;

-- Which orders wait for a variant, the oldest first.
DROP INDEX reservations_variant;
CREATE INDEX reservations_variant ON reservations (store_id, variant_key, item_key, stock_key);
