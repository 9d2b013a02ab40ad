-- +goose Up
-- Whether publishable keys and customers see what each stock has of a variant.
ALTER TABLE stores ADD COLUMN public_remainders BOOLEAN NOT NULL DEFAULT FALSE;
