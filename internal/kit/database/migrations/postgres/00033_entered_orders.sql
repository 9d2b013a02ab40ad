-- +goose Up
-- +compatible: older nodes read all orders to find those that nobody confirmed, and cancel those that the shop entered, too.

-- The shop has entered the order itself. Such an order is not cancelled because nobody confirms it.
ALTER TABLE orders ADD COLUMN entered BOOLEAN NOT NULL DEFAULT FALSE;
DROP INDEX orders_unconfirmed;
CREATE INDEX orders_unconfirmed ON orders (submitted_at, key)
	WHERE state = 'submitted' AND customer_key IS NULL AND entered = FALSE;
