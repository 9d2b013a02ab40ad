-- +goose Up
-- +compatible: older nodes neither read nor write the column.

-- What the shop notes on a customer for itself.
ALTER TABLE customers ADD COLUMN note TEXT COLLATE "C" NOT NULL DEFAULT '';
