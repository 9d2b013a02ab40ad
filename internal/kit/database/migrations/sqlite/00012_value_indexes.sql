-- +goose Up
-- The indexes on values end in the key of the product or the variant, so that they also serve to find one of its values:
-- without statistics, PostgreSQL does not know that few products have a value, and may choose either index.
DROP INDEX product_values_value;
CREATE INDEX product_values_by_value ON product_values (store_id, attribute_key, value_key, product_key);
DROP INDEX variant_values_value;
CREATE INDEX variant_values_by_value ON variant_values (store_id, attribute_key, value_key, variant_key);
