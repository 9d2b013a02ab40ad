-- +goose Up
-- The variants of which nothing is left, for their list and their number. The index depends on a column that changes only
-- when the last one is sold or the first one arrives: if it depended on available, no change of stock would be HOT.
ALTER TABLE variants ADD COLUMN sold_out BOOLEAN GENERATED ALWAYS AS (available <= 0) STORED;
CREATE INDEX variants_sold_out ON variants (store_id, key) WHERE sold_out AND archived_at IS NULL;
