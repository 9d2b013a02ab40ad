-- +goose Up
-- +compatible: older nodes leave the column NULL.

-- What program a node is: its host, process and version, for people.
ALTER TABLE nodes ADD COLUMN program TEXT;
