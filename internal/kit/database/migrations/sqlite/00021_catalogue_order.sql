-- +goose Up
-- The places that people gave to values and categories. 1000000000 stands for none: such rows follow those with a place, in the
-- order of their keys.
ALTER TABLE attribute_values ADD COLUMN position INTEGER NOT NULL DEFAULT 1000000000;
ALTER TABLE categories ADD COLUMN position INTEGER NOT NULL DEFAULT 1000000000;
CREATE INDEX categories_position ON categories (store_id, position, key);

-- Whether some values of an attribute have a place. Otherwise the order of keys is the order of all of them.
ALTER TABLE attributes ADD COLUMN ordered INTEGER NOT NULL DEFAULT 0;

-- Which orders wait for a variant.
CREATE INDEX reservations_variant ON reservations (store_id, variant_key, stock_key, item_key);
