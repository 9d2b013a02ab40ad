-- +goose Up
-- +compatible: older nodes know no modifiers in orders. Storefronts send them only once all nodes are new.

-- What was chosen of the modifiers of the product, as JSON: [{group_id, group_name, item_id, name, price, quantity}].
-- choice identifies it, in whichever order it was chosen. The price of the line includes it.
ALTER TABLE order_items ADD COLUMN modifiers TEXT NOT NULL DEFAULT '[]';
ALTER TABLE order_items ADD COLUMN choice TEXT NOT NULL DEFAULT '';

-- An order has a line for each variant with each choice.
DROP INDEX order_items_variant;
CREATE UNIQUE INDEX order_items_choice ON order_items (store_id, order_key, variant_id, choice);
