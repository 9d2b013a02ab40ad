-- +goose Up
-- +compatible: older nodes do not use the columns, and leave the defaults.

-- How the table of a run is written, as JSON: its character set, its separator and its columns; empty for other runs.
ALTER TABLE exchange_runs ADD COLUMN layout TEXT COLLATE "C" NOT NULL DEFAULT '';
-- The line of a table that an error or a warning is about; 0 for what is no table.
ALTER TABLE exchange_notes ADD COLUMN line BIGINT NOT NULL DEFAULT 0;
