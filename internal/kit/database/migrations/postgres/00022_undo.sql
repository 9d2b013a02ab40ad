-- +goose Up
-- +compatible: older nodes do not use the columns, and leave the defaults.

-- What the file of an operator found of a thing that it changed, as JSON, so that the file can be reverted; empty for dry
-- runs, and for what cannot be reverted.
ALTER TABLE exchange_changes ADD COLUMN before TEXT COLLATE "C" NOT NULL DEFAULT '';
-- The run whose changes a run reverts.
ALTER TABLE exchange_runs ADD COLUMN undoes BIGINT;
CREATE INDEX exchange_runs_undoes ON exchange_runs (store_id, undoes) WHERE undoes IS NOT NULL;
