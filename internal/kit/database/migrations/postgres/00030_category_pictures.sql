-- +goose Up
-- +compatible: older nodes do not show the descriptions and pictures of categories, and leave the defaults.

-- What the page of a category says of it, in plain text.
ALTER TABLE categories ADD COLUMN description TEXT NOT NULL DEFAULT '';

-- The category whose picture the image is, and 0 if it is none; such an image has no product.
ALTER TABLE images ADD COLUMN category_key BIGINT NOT NULL DEFAULT 0;
CREATE INDEX images_category ON images (store_id, category_key) WHERE category_key > 0;
