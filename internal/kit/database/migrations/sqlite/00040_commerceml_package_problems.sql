-- +goose Up
-- +compatible: older nodes mark no package, and archive what a marked one lacks; goods that they record may be forgotten sooner.

-- Why a package archives nothing, as a code; empty if it may.
ALTER TABLE commerceml_packages ADD COLUMN problem TEXT NOT NULL DEFAULT '';

-- When the good or offer was recorded. If it is none of the shop's some days later, the row is deleted.
ALTER TABLE commerceml_goods ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
