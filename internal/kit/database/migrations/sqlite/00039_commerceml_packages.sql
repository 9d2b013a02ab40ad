-- +goose Up
-- +compatible: older nodes do not use the tables; a package whose end they import archives nothing.

-- A full package of a catalogue of 1C: all that comes for the catalogue from the file that says that it is full on.
-- package is the key of this file. has_offers says that a full packet of offers has come, too. session_key is the session
-- of the last file, minutes the silence that ends the package, ends_at when that is. file_key is the file that stands for
-- the end; NULL while the package is open. run_key is the run that archives what is missing.
CREATE TABLE commerceml_packages (
	store_id      BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	catalog       TEXT    NOT NULL,
	package       INTEGER NOT NULL,
	credential_id BLOB    NOT NULL,
	session_key   INTEGER NOT NULL,
	has_offers    INTEGER NOT NULL DEFAULT FALSE,
	minutes       INTEGER NOT NULL,
	ends_at       INTEGER NOT NULL,
	file_key      INTEGER,
	run_key       INTEGER,
	PRIMARY KEY (store_id, catalog, package)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX commerceml_packages_open ON commerceml_packages (store_id, catalog) WHERE file_key IS NULL;
CREATE INDEX commerceml_packages_ends ON commerceml_packages (ends_at);

-- The goods and offers that 1C has sent. offer_id is empty for a good itself. catalog is the catalogue that has sent it
-- last, package the last full package that has it, or 0.
CREATE TABLE commerceml_goods (
	store_id BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	good_id  TEXT    NOT NULL,
	offer_id TEXT    NOT NULL,
	catalog  TEXT    NOT NULL,
	package  INTEGER NOT NULL,
	PRIMARY KEY (store_id, good_id, offer_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX commerceml_goods_catalog ON commerceml_goods (store_id, catalog, package);
