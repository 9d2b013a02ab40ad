-- +goose Up
-- +compatible: older nodes do not use the column.

-- The postal address of the shop, in lines, for what is printed.
ALTER TABLE stores ADD COLUMN address TEXT NOT NULL DEFAULT '';
