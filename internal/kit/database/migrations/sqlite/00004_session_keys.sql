-- +goose Up
-- +compatible: older nodes do not use the column.

-- The key by which a customer signed in, whose group gives the prices if the customer has none; NULL if it is not known.
ALTER TABLE customer_sessions ADD COLUMN credential_id BLOB;
