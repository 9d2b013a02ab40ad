-- +goose Up
-- +compatible: older nodes do not reopen orders, and keep no withdrawals of those that they complete.

-- The ids of further events of an order, with spaces between them: those that told of its returns to earlier states, and
-- of the states that it left by them.
ALTER TABLE orders ADD COLUMN more_events TEXT NOT NULL DEFAULT '';

-- What the completion of an order took off which stock for an item, in thousandths. Reopening the order puts it back.
CREATE TABLE withdrawals (
	store_id    UUID NOT NULL,
	item_key    BIGINT NOT NULL,
	variant_key BIGINT NOT NULL,
	stock_key   BIGINT NOT NULL,
	quantity    BIGINT NOT NULL,
	PRIMARY KEY (store_id, item_key, stock_key),
	FOREIGN KEY (store_id, item_key) REFERENCES order_items (store_id, key) ON DELETE CASCADE
);

-- Reopened orders that product_popularity does not count yet.
CREATE INDEX orders_popularity_reopened ON orders (store_id, key) WHERE state <> 'cancelled' AND popularity_removed = TRUE;
