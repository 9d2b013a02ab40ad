-- +goose Up
-- The variants of which nothing is left, for their list and their number.
CREATE INDEX variants_sold_out ON variants (store_id, key) WHERE available <= 0 AND archived_at IS NULL;
