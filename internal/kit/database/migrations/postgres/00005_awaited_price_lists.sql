-- +goose Up
-- +compatible: older nodes do not know price lists.

-- A list that was not pushed yet, but prices in it were: since when, in microseconds. Nobody sees it until it is pushed.
ALTER TABLE price_lists ADD COLUMN awaited_since BIGINT;
