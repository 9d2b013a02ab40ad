-- +goose Up
-- +compatible: older nodes do not record the mails that they send; those are missing on the page of the order.

-- The mails about an order that were handed to a mail server, or that were given up.
CREATE TABLE order_mails (
	store_id  BLOB NOT NULL,
	order_key INTEGER NOT NULL,
	id        BLOB NOT NULL,
	kind      TEXT NOT NULL,
	recipient TEXT NOT NULL,
	at        INTEGER NOT NULL,
	failed    INTEGER NOT NULL,
	PRIMARY KEY (store_id, order_key, id),
	FOREIGN KEY (store_id, order_key) REFERENCES orders (store_id, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
