-- +goose Up
-- Who wrote each member of a product last: see member.Writer. NULL means that it is not known.
ALTER TABLE products ADD COLUMN name_writer BIGINT;
ALTER TABLE products ADD COLUMN description_writer BIGINT;
ALTER TABLE products ADD COLUMN images_writer BIGINT;
ALTER TABLE products ADD COLUMN categories_writer BIGINT;
ALTER TABLE products ADD COLUMN features_writer BIGINT;
ALTER TABLE products ADD COLUMN price_writer BIGINT;
ALTER TABLE products ADD COLUMN variants_writer BIGINT;
ALTER TABLE products ADD COLUMN remainders_writer BIGINT;
ALTER TABLE products ADD COLUMN modifiers_writer BIGINT;

-- Who started the change: its jobs write in this name.
ALTER TABLE bulk_changes ADD COLUMN writer BIGINT;

-- The version of the item that deleted a thing, so that an older item does not bring it back; NULL if it had none.
ALTER TABLE deleted_ids ADD COLUMN source_version BIGINT;
