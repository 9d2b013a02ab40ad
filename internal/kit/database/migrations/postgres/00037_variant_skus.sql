-- +goose Up
-- +compatible: older nodes do not use the index.

-- Finds the variants of a supplier's file, which knows their SKUs alone.
CREATE INDEX variants_sku ON variants (store_id, sku, key) WHERE sku <> '';
