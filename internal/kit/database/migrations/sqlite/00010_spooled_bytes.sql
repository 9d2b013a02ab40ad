-- +goose Up
-- The bytes of the run's body in exchange_pieces. Their sums, of a store and of all stores, are limited.
ALTER TABLE exchange_runs ADD COLUMN spooled_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE exchange_runs
SET spooled_bytes = p.bytes
FROM (SELECT store_id, run_key, SUM(LENGTH(packed)) AS bytes FROM exchange_pieces GROUP BY store_id, run_key) p
WHERE exchange_runs.store_id = p.store_id
  AND exchange_runs.key = p.run_key;
CREATE INDEX exchange_runs_spooled ON exchange_runs (store_id, spooled_bytes) WHERE spooled_bytes > 0;
