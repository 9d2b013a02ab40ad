-- +goose Up
-- +compatible: older nodes do not know these members. What they write leaves them as they are, or without a value.

-- unit is JSON, {"code", "name"}. vat_rate is in units of 0.01 %, weight in grams.
ALTER TABLE products ADD COLUMN unit TEXT COLLATE "C";
ALTER TABLE products ADD COLUMN vat_rate BIGINT;
ALTER TABLE products ADD COLUMN weight BIGINT;
ALTER TABLE products ADD COLUMN unit_writer BIGINT;
ALTER TABLE products ADD COLUMN vat_rate_writer BIGINT;
ALTER TABLE products ADD COLUMN weight_writer BIGINT;
ALTER TABLE products ADD COLUMN barcodes_writer BIGINT;

-- The barcodes of a variant, separated by |.
ALTER TABLE variants ADD COLUMN barcodes TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Finds the variants with a barcode. It has the elements of variants.barcodes.
CREATE TABLE variant_barcodes (
	store_id    UUID NOT NULL,
	variant_key BIGINT NOT NULL,
	barcode     TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (store_id, variant_key, barcode),
	FOREIGN KEY (store_id, variant_key) REFERENCES variants (store_id, key) ON DELETE CASCADE
);
CREATE INDEX variant_barcodes_by_barcode ON variant_barcodes (store_id, barcode, variant_key);

-- As those of the product and its variant; barcode is the first one. Frozen when the order is submitted.
ALTER TABLE order_items ADD COLUMN barcode TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE order_items ADD COLUMN unit TEXT COLLATE "C";
ALTER TABLE order_items ADD COLUMN vat_rate BIGINT;
