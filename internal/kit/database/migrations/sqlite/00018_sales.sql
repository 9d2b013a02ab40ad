-- +goose Up
-- The submitted orders of a store by the time of submission: all, and those in a state. The conditions mean the same, but differ, so that no database
-- uses the first index, and skips the orders in other states, for a statement without the condition on the number.
CREATE INDEX orders_submitted ON orders (store_id, submitted_at, key) WHERE number IS NOT NULL;
CREATE INDEX orders_state_submitted ON orders (store_id, state, submitted_at, key) WHERE submitted_at IS NOT NULL;

-- The ids of the events that announced the states of an order.
ALTER TABLE orders ADD COLUMN submitted_event BLOB;
ALTER TABLE orders ADD COLUMN confirmed_event BLOB;
ALTER TABLE orders ADD COLUMN completed_event BLOB;
ALTER TABLE orders ADD COLUMN cancelled_event BLOB;

-- The words of submitted orders, for the search. A worker inserts them later: order_word_progress has the number of the last order whose words
-- are here. The words of later orders are in orders.words only.
CREATE TABLE order_words (
	store_id  BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	word      TEXT    NOT NULL,
	order_key INTEGER NOT NULL,
	PRIMARY KEY (store_id, word, order_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE order_word_progress (
	store_id BLOB    NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	number   INTEGER NOT NULL
) STRICT;

-- The submitted orders by the time of submission, state and currency: how many, and the sum of their totals as whole units and the rest in units of
-- 0.0001, since a sum of many totals in that unit may not fit. There are rows for days and for quarters of an hour (span), both in UTC; start is their
-- first microsecond. All offsets of timezones are multiples of a quarter of an hour.
CREATE TABLE order_totals (
	store_id BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	span     TEXT    NOT NULL,
	start    INTEGER NOT NULL,
	state    TEXT    NOT NULL,
	currency TEXT    NOT NULL,
	orders   INTEGER NOT NULL,
	whole    INTEGER NOT NULL,
	rest     INTEGER NOT NULL,
	PRIMARY KEY (store_id, span, start, state, currency)
) STRICT, WITHOUT ROWID;
INSERT INTO order_totals (store_id, span, start, state, currency, orders, whole, rest)
SELECT store_id, 'day', submitted_at - submitted_at % 86400000000, state, currency, COUNT(*), SUM(total / 10000), SUM(total % 10000)
FROM orders
WHERE submitted_at IS NOT NULL
GROUP BY store_id, submitted_at - submitted_at % 86400000000, state, currency;
INSERT INTO order_totals (store_id, span, start, state, currency, orders, whole, rest)
SELECT store_id, 'quarter', submitted_at - submitted_at % 900000000, state, currency, COUNT(*), SUM(total / 10000), SUM(total % 10000)
FROM orders
WHERE submitted_at IS NOT NULL
GROUP BY store_id, submitted_at - submitted_at % 900000000, state, currency;

-- How the shop handles an inquiry: its state (new, taken, done), a note, and who took it. handler is their address at that time, since the
-- operator may be gone.
ALTER TABLE feedback ADD COLUMN state TEXT NOT NULL DEFAULT 'new';
ALTER TABLE feedback ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE feedback ADD COLUMN handler TEXT NOT NULL DEFAULT '';
ALTER TABLE feedback ADD COLUMN taken_at INTEGER;
ALTER TABLE feedback ADD COLUMN done_at INTEGER;
ALTER TABLE feedback ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
CREATE INDEX feedback_state ON feedback (store_id, state, created_at, key);
CREATE INDEX feedback_email ON feedback (store_id, email, created_at, key) WHERE email <> '';
CREATE INDEX feedback_phone ON feedback (store_id, phone, created_at, key) WHERE phone <> '';

ALTER TABLE callbacks ADD COLUMN state TEXT NOT NULL DEFAULT 'new';
ALTER TABLE callbacks ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE callbacks ADD COLUMN handler TEXT NOT NULL DEFAULT '';
ALTER TABLE callbacks ADD COLUMN taken_at INTEGER;
ALTER TABLE callbacks ADD COLUMN done_at INTEGER;
ALTER TABLE callbacks ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
CREATE INDEX callbacks_state ON callbacks (store_id, state, created_at, key);
CREATE INDEX callbacks_phone ON callbacks (store_id, phone, created_at, key);
