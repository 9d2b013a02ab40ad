-- +goose Up
-- +compatible: older nodes do not record the mails that they send; those are missing on the page of the order.

-- The mails about an order that were handed to a mail server, or that were given up.
CREATE TABLE order_mails (
	store_id  UUID NOT NULL,
	order_key BIGINT NOT NULL,
	id        UUID NOT NULL,
	kind      TEXT COLLATE "C" NOT NULL,
	recipient TEXT COLLATE "C" NOT NULL,
	at        BIGINT NOT NULL,
	failed    BOOLEAN NOT NULL,
	PRIMARY KEY (store_id, order_key, id),
	FOREIGN KEY (store_id, order_key) REFERENCES orders (store_id, key) ON DELETE CASCADE
);
