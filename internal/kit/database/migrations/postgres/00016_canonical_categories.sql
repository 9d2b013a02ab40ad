-- +goose Up
-- +compatible: older nodes do not use the columns, and leave the defaults.

-- The canonical category of a product is the one on its way from the root in breadcrumbs. At most one of the categories
-- of a product is marked as such, or at most one of those that it waits for. Without one, it is the deepest category.
ALTER TABLE product_categories ADD COLUMN canonical BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE pending_references ADD COLUMN canonical BOOLEAN NOT NULL DEFAULT FALSE;
