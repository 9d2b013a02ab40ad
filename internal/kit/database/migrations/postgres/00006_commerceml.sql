-- +goose Up
-- +compatible: older nodes do not use the columns and tables.

-- The barcodes of the good itself, separated by |; NULL if 1C has sent none. The only variant of a good has them.
ALTER TABLE products ADD COLUMN good_barcodes TEXT COLLATE "C";

-- The number of the payment in accounting; empty if there is none.
ALTER TABLE orders ADD COLUMN payment_number TEXT COLLATE "C" NOT NULL DEFAULT '';

-- What came and has no place in the store, as JSON: a list of objects with what and count.
ALTER TABLE exchange_runs ADD COLUMN not_kept TEXT COLLATE "C" NOT NULL DEFAULT '[]';

-- What people call the item: its name and article; empty if they are not known.
ALTER TABLE exchange_notes ADD COLUMN name TEXT COLLATE "C" NOT NULL DEFAULT '';

-- The last request of 1C and its answer, as JSON.
ALTER TABLE commerceml_stores ADD COLUMN contact TEXT COLLATE "C" NOT NULL DEFAULT '{}';

-- How a file of 1C was mapped, so that the next file with the same content need not be read. key is the key of the
-- file, bytes its size, and digest that of its content and of the settings; NULL until the recording is complete.
CREATE TABLE commerceml_recordings (
	store_id     UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	key          BIGINT NOT NULL,
	digest       BYTEA,
	bytes        BIGINT NOT NULL DEFAULT 0,
	chunks       BIGINT NOT NULL DEFAULT 0,
	packed_bytes BIGINT NOT NULL,
	used_at      BIGINT NOT NULL,
	PRIMARY KEY (store_id, key)
);
CREATE INDEX commerceml_recordings_used ON commerceml_recordings (used_at);

-- The bytes of a recording, compressed.
CREATE TABLE commerceml_recording_chunks (
	store_id      UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	recording_key BIGINT NOT NULL,
	number        BIGINT NOT NULL,
	packed        BYTEA NOT NULL,
	PRIMARY KEY (store_id, recording_key, number)
);
