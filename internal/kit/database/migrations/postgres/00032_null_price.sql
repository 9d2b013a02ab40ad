-- +goose Up
-- Not compatible with older nodes: they cannot read a variant without a price.

-- A variant without a price is not for sale. What costs 0 stays at 0: it is free.
ALTER TABLE variants ALTER COLUMN price DROP NOT NULL;

-- Programs before this one cannot read a variant without a price.
UPDATE schema_compatibility SET oldest_program = 32;
