-- +goose Up

-- The last time that a customer signed in, for --customer-retention. Nobody has recorded it before this version, so all
-- customers count as having signed in now. It is NULL for a customer whom the version before this one creates.
ALTER TABLE customers ADD COLUMN signed_in_at BIGINT;
UPDATE customers SET signed_in_at = CAST(EXTRACT(EPOCH FROM now()) AS BIGINT) * 1000000;
CREATE INDEX customers_signed_in ON customers (signed_in_at, key);

-- When the personal data of an order was erased.
ALTER TABLE orders ADD COLUMN erased_at BIGINT;
-- The finished orders of all stores that have personal data, for --order-personal-data-retention.
CREATE INDEX orders_personal ON orders (updated_at, key) WHERE erased_at IS NULL AND (state = 'completed' OR state = 'cancelled');

-- Contact addresses as people are looked up by: two e-mail addresses that differ only in case belong to one person.
CREATE INDEX customers_contact_email ON customers (store_id, LOWER(email), key) WHERE email IS NOT NULL;
CREATE INDEX customers_contact_phone ON customers (store_id, phone, key) WHERE phone IS NOT NULL;
CREATE INDEX feedback_folded_email ON feedback (store_id, LOWER(email), key) WHERE email <> '';
