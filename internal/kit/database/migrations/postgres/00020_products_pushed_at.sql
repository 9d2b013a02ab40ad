-- +goose Up
-- When a push last changed the product, in microseconds; NULL for a product that no push has written since this migration.
ALTER TABLE products ADD COLUMN pushed_at BIGINT;
