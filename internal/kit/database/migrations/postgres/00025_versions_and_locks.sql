-- +goose Up
-- The version that the last applied item had in its source; NULL if it had none. An older item is not applied.
ALTER TABLE products ADD COLUMN source_version BIGINT;
ALTER TABLE attributes ADD COLUMN source_version BIGINT;
ALTER TABLE categories ADD COLUMN source_version BIGINT;
ALTER TABLE stocks ADD COLUMN source_version BIGINT;

-- The members of a product that pushes leave alone, as a bit set: see package member.
ALTER TABLE products ADD COLUMN locks BIGINT NOT NULL DEFAULT 0;

-- The members of products that an exchange token writes, as a bit set; 0 means all of them.
ALTER TABLE credentials ADD COLUMN members BIGINT NOT NULL DEFAULT 0;
