-- +goose Up
-- The members that a run ignored, as JSON: how many items had each, which was the first, and what was probably meant.
ALTER TABLE exchange_runs ADD COLUMN ignored TEXT NOT NULL DEFAULT '[]';

-- Since when something is waited for. All references to the same thing have the same time, in microseconds.
ALTER TABLE pending_references ADD COLUMN first_seen_at BIGINT NOT NULL DEFAULT 0;
UPDATE pending_references SET first_seen_at = CAST(EXTRACT(EPOCH FROM now()) AS BIGINT) * 1000000;

-- The images that a run still waits for.
CREATE INDEX image_sources_waiting ON image_sources (store_id, run_key) WHERE state = 'waiting';
