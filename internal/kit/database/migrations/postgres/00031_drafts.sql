-- +goose Up
-- +compatible: older nodes show drafts as archived products, which they are, and restore them alike.

-- A product that has not been on sale yet is archived, and this is its archived_at. Whoever restores the product need not
-- write the column: a product that is archived again has another archived_at, so it is no draft any more.
ALTER TABLE products ADD COLUMN draft_at BIGINT;
