-- +goose Up
-- +compatible: older nodes do not know which images belong to variants, and show them among those of their products.

-- variant_key is the variant that owns the image, which is one of product_key, and 0 if no variant does. alt is the
-- text of the image; NULL stands for the name of the product. color is the dominant color as #rrggbb, and empty until it
-- is computed.
ALTER TABLE images ADD COLUMN variant_key INTEGER NOT NULL DEFAULT 0;
ALTER TABLE images ADD COLUMN alt TEXT;
ALTER TABLE images ADD COLUMN color TEXT NOT NULL DEFAULT '';
CREATE INDEX images_uncolored ON images (store_id, key) WHERE color = '';

-- The images of variants, in the order of their positions: those that a variant owns, and others of its product, which
-- several variants may have. The image is to be taken away once the downloads of the variant have ended, if it is
-- leaving.
CREATE TABLE variant_images (
	store_id    BLOB NOT NULL,
	variant_key INTEGER NOT NULL,
	image_key   INTEGER NOT NULL,
	position    INTEGER NOT NULL,
	leaving     INTEGER NOT NULL DEFAULT FALSE,
	PRIMARY KEY (store_id, variant_key, image_key),
	FOREIGN KEY (store_id, variant_key) REFERENCES variants (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, image_key) REFERENCES images (store_id, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX variant_images_image ON variant_images (store_id, image_key);

-- Whether a variant of the product has ever had images. Exports name the images of the variants of such products.
ALTER TABLE products ADD COLUMN has_variant_images INTEGER NOT NULL DEFAULT FALSE;

-- variant_key is the variant that gets the image, and 0 if the product does.
ALTER TABLE image_sources ADD COLUMN variant_key INTEGER NOT NULL DEFAULT 0;
DROP INDEX image_sources_url;
CREATE UNIQUE INDEX image_sources_url ON image_sources (store_id, product_key, variant_key, url);
