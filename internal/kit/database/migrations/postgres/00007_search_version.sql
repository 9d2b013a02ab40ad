-- +goose Up
-- +compatible: older nodes do not use the column.

-- search grows with every change of what only the order and the meaning of searches depend on. Its versions have stamps
-- like those of categories and attributes.
ALTER TABLE catalog_versions ADD COLUMN search BIGINT NOT NULL DEFAULT 0;
