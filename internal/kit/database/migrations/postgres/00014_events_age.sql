-- +goose Up
-- No statement looks for events by their age: the sequence of a store's events grows with time.
DROP INDEX events_age;
