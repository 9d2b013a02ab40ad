-- +goose Up
-- +compatible: older nodes do not use the table; what they delete, they delete in it, too.

-- The id under which 1C has sent an order back last. It is 1C's own, as a rule.
CREATE TABLE commerceml_orders (
	store_id    BLOB NOT NULL,
	order_id    BLOB NOT NULL,
	document_id TEXT NOT NULL,
	PRIMARY KEY (store_id, order_id),
	FOREIGN KEY (store_id, order_id) REFERENCES orders (store_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX commerceml_orders_document ON commerceml_orders (store_id, document_id, order_id);
