-- +goose Up
-- Who wrote each member of a product last: see member.Writer. NULL means that it is not known.
ALTER TABLE products ADD COLUMN name_writer INTEGER;
ALTER TABLE products ADD COLUMN description_writer INTEGER;
ALTER TABLE products ADD COLUMN images_writer INTEGER;
ALTER TABLE products ADD COLUMN categories_writer INTEGER;
ALTER TABLE products ADD COLUMN features_writer INTEGER;
ALTER TABLE products ADD COLUMN price_writer INTEGER;
ALTER TABLE products ADD COLUMN variants_writer INTEGER;
ALTER TABLE products ADD COLUMN remainders_writer INTEGER;
ALTER TABLE products ADD COLUMN modifiers_writer INTEGER;

-- Who started the change: its jobs write in this name.
ALTER TABLE bulk_changes ADD COLUMN writer INTEGER;

-- The version of the item that deleted a thing, so that an older item does not bring it back; NULL if it had none.
ALTER TABLE deleted_ids ADD COLUMN source_version INTEGER;
