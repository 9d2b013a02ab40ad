-- +goose Up
-- Not compatible with older nodes: their changes have no mark, so that other nodes would not find them.
-- The order in which the catalogues of all stores changed, so that a node finds those that changed since it last looked without asking for
-- each store. A mark is higher than those of all earlier transactions.
ALTER TABLE catalog_versions ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attribute_versions ADD COLUMN mark INTEGER NOT NULL DEFAULT 0;
CREATE INDEX catalog_versions_mark ON catalog_versions (mark, store_id);
CREATE INDEX attribute_versions_mark ON attribute_versions (mark, store_id);

-- Programs before this one cannot use the database.
UPDATE schema_compatibility SET oldest_program = 34;
