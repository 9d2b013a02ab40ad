-- +goose Up
-- +compatible: older nodes do not know such pushes; one that an older node applies keeps no changes.

-- Whether a push keeps what it changes, so that it can be reverted as the file of an operator can.
ALTER TABLE exchange_runs ADD COLUMN keeps_changes BOOLEAN NOT NULL DEFAULT FALSE;
