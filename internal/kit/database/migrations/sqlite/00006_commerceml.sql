-- +goose Up
-- +compatible: older nodes do not use the columns.

-- The barcodes of the good itself, separated by |; NULL if 1C has sent none. The only variant of a good has them.
ALTER TABLE products ADD COLUMN good_barcodes TEXT;

-- The number of the payment in accounting; empty if there is none.
ALTER TABLE orders ADD COLUMN payment_number TEXT NOT NULL DEFAULT '';

-- What came and has no place in the store, as JSON: a list of objects with what and count.
ALTER TABLE exchange_runs ADD COLUMN not_kept TEXT NOT NULL DEFAULT '[]';

-- What people call the item: its name and article; empty if they are not known.
ALTER TABLE exchange_notes ADD COLUMN name TEXT NOT NULL DEFAULT '';

-- The last request of 1C and its answer, as JSON.
ALTER TABLE commerceml_stores ADD COLUMN contact TEXT NOT NULL DEFAULT '{}';
