-- +goose Up
-- Whether a draft has no items. Other orders always have some.
ALTER TABLE orders ADD COLUMN empty INTEGER NOT NULL DEFAULT FALSE;
UPDATE orders
SET empty = TRUE
WHERE state = 'draft'
  AND NOT EXISTS (SELECT 1 FROM order_items i WHERE i.store_id = orders.store_id AND i.order_key = orders.key);

-- The drafts of guests in a store, for --max-guest-drafts: empty and other ones, oldest first.
CREATE INDEX orders_guest_drafts ON orders (store_id, empty, updated_at, key) WHERE state = 'draft' AND customer_key IS NULL;
-- The empty drafts of guests in all stores, which expire after a day.
CREATE INDEX orders_empty_drafts ON orders (updated_at, key) WHERE state = 'draft' AND customer_key IS NULL AND empty = TRUE;
