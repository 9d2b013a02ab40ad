-- +goose Up
-- The variants of which nothing is left, for their list and their number.
ALTER TABLE variants ADD COLUMN sold_out INTEGER GENERATED ALWAYS AS (available <= 0) VIRTUAL;
CREATE INDEX variants_sold_out ON variants (store_id, key) WHERE sold_out AND archived_at IS NULL;
