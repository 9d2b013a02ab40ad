-- +goose Up
-- +compatible: older nodes do not use the columns and tables.

-- What the shop adds to a submitted order. Empty texts are unknown. tags are separated by commas, in the order in which
-- they were added.
ALTER TABLE orders ADD COLUMN note TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN tags TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN tracking_number TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN tracking_carrier TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN tracking_url TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE orders ADD COLUMN paid_at BIGINT;

-- The tags of orders, for lists of the orders with a tag. tag is folded; submitted_at is that of the order.
CREATE TABLE order_tags (
	store_id     UUID NOT NULL,
	order_key    BIGINT NOT NULL,
	tag          TEXT COLLATE "C" NOT NULL,
	submitted_at BIGINT NOT NULL,
	PRIMARY KEY (store_id, order_key, tag),
	FOREIGN KEY (store_id, order_key) REFERENCES orders (store_id, key) ON DELETE CASCADE
);
CREATE INDEX order_tags_tag ON order_tags (store_id, tag, submitted_at, order_key);

-- The events that announced changes of submitted orders, besides those of the states.
CREATE TABLE order_updates (
	store_id   UUID NOT NULL,
	order_key  BIGINT NOT NULL,
	created_at BIGINT NOT NULL,
	event_id   UUID NOT NULL,
	PRIMARY KEY (store_id, order_key, created_at, event_id),
	FOREIGN KEY (store_id, order_key) REFERENCES orders (store_id, key) ON DELETE CASCADE
);
