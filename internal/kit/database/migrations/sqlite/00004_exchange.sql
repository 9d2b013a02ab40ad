-- +goose Up
-- What accounting calls an option, a feature or a value; a value's is its own within the attribute.
ALTER TABLE attributes ADD COLUMN external_id TEXT;
ALTER TABLE attribute_values ADD COLUMN external_id TEXT;
CREATE UNIQUE INDEX attributes_external ON attributes (store_id, kind, external_id) WHERE external_id IS NOT NULL;
CREATE UNIQUE INDEX attribute_values_external ON attribute_values (store_id, external_id, attribute_key) WHERE external_id IS NOT NULL;
-- By the id that accounting has for it a variant is found without its product.
CREATE INDEX variants_external_id ON variants (store_id, external_id, key) WHERE external_id IS NOT NULL;

-- pushed is the digest of what was last pushed, and NULL once anything else has changed the thing: then the next push applies again.
ALTER TABLE attributes ADD COLUMN pushed BLOB;
ALTER TABLE categories ADD COLUMN pushed BLOB;
ALTER TABLE stocks ADD COLUMN pushed BLOB;
ALTER TABLE products ADD COLUMN pushed BLOB;

-- Held by whoever pushes to a store, batch by batch, and by whoever makes what a reference may wait for.
CREATE TABLE push_locks (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	taken    INTEGER NOT NULL
) STRICT;

-- What was pushed and refers to what is not there yet. kind is category (of a product), feature (of a product), option (of a variant) or
-- parent (of a category); external_id is that of the category or the attribute, value_id that of the value, else empty. One of the three
-- keys says what waits.
CREATE TABLE pending_references (
	key          INTEGER PRIMARY KEY,
	store_id     BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind         TEXT NOT NULL,
	external_id  TEXT NOT NULL,
	value_id     TEXT NOT NULL,
	product_key  INTEGER,
	variant_key  INTEGER,
	category_key INTEGER,
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, variant_key) REFERENCES variants (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, category_key) REFERENCES categories (store_id, key) ON DELETE CASCADE
) STRICT;
CREATE INDEX pending_references_wanted ON pending_references (store_id, kind, external_id, value_id, key);
CREATE INDEX pending_references_product ON pending_references (store_id, product_key) WHERE product_key IS NOT NULL;
CREATE INDEX pending_references_variant ON pending_references (store_id, variant_key) WHERE variant_key IS NOT NULL;
CREATE INDEX pending_references_category ON pending_references (store_id, category_key) WHERE category_key IS NOT NULL;

-- One push each. received to warnings are counted in the transaction of the items they count; late_warnings are those about what went on in
-- the background after that.
CREATE TABLE exchange_runs (
	key               INTEGER PRIMARY KEY,
	store_id          BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id                BLOB NOT NULL,
	credential_id     BLOB NOT NULL,
	entity            TEXT NOT NULL,
	format            TEXT NOT NULL,
	atomic            INTEGER NOT NULL,
	dry_run           INTEGER NOT NULL,
	archive_missing   INTEGER NOT NULL,
	max_archive_share REAL NOT NULL,
	background        INTEGER NOT NULL,
	status            TEXT NOT NULL,
	received          INTEGER NOT NULL,
	created           INTEGER NOT NULL,
	updated           INTEGER NOT NULL,
	unchanged         INTEGER NOT NULL,
	failed            INTEGER NOT NULL,
	errors            INTEGER NOT NULL,
	warnings          INTEGER NOT NULL,
	late_warnings     INTEGER NOT NULL DEFAULT 0,
	archived          INTEGER NOT NULL,
	reverted          INTEGER NOT NULL,
	ignored_fields    TEXT NOT NULL,
	problem_code      TEXT,
	problem           TEXT,
	created_at        INTEGER NOT NULL,
	started_at        INTEGER,
	finished_at       INTEGER,
	alive_at          INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX exchange_runs_id ON exchange_runs (store_id, id);
CREATE UNIQUE INDEX exchange_runs_key ON exchange_runs (store_id, key);
CREATE INDEX exchange_runs_credential ON exchange_runs (store_id, credential_id, key);
CREATE INDEX exchange_runs_age ON exchange_runs (created_at);
CREATE INDEX exchange_runs_open ON exchange_runs (alive_at) WHERE finished_at IS NULL;

-- Errors and warnings of a run, numbered each from 1 in the order of the items; late warnings from 2^40 on.
CREATE TABLE exchange_notes (
	store_id    BLOB NOT NULL,
	run_key     INTEGER NOT NULL,
	severity    TEXT NOT NULL,
	number      INTEGER NOT NULL,
	item        INTEGER NOT NULL,
	external_id TEXT,
	field       TEXT NOT NULL,
	code        TEXT NOT NULL,
	message     TEXT NOT NULL,
	PRIMARY KEY (store_id, run_key, severity, number),
	FOREIGN KEY (store_id, run_key) REFERENCES exchange_runs (store_id, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Items that failed, as they were sent.
CREATE TABLE exchange_rejects (
	store_id BLOB NOT NULL,
	run_key  INTEGER NOT NULL,
	item     INTEGER NOT NULL,
	sent     BLOB NOT NULL,
	PRIMARY KEY (store_id, run_key, item),
	FOREIGN KEY (store_id, run_key) REFERENCES exchange_runs (store_id, key) ON DELETE CASCADE
) STRICT;

-- Products that a run archived because they were missing from it.
CREATE TABLE exchange_archived (
	store_id    BLOB NOT NULL,
	run_key     INTEGER NOT NULL,
	product_key INTEGER NOT NULL,
	archived_at INTEGER NOT NULL,
	PRIMARY KEY (store_id, run_key, product_key),
	FOREIGN KEY (store_id, run_key) REFERENCES exchange_runs (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX exchange_archived_product ON exchange_archived (store_id, product_key);

-- The body of a push that is applied in the background, packed, in pieces.
CREATE TABLE exchange_pieces (
	store_id BLOB NOT NULL,
	run_key  INTEGER NOT NULL,
	number   INTEGER NOT NULL,
	packed   BLOB NOT NULL,
	PRIMARY KEY (store_id, run_key, number),
	FOREIGN KEY (store_id, run_key) REFERENCES exchange_runs (store_id, key) ON DELETE CASCADE
) STRICT;

-- Addresses that products have images from. state is waiting while a download is asked for, then done or failed. image_key is what was
-- downloaded, NULL before; owns says that the image goes when something else is found at the address. etag and modified are what the host
-- said of it. run_key (0 for none), item and place are where a failure is reported. A key is never given twice: jobs name sources by it.
CREATE TABLE image_sources (
	key         INTEGER PRIMARY KEY AUTOINCREMENT,
	store_id    BLOB NOT NULL,
	product_key INTEGER NOT NULL,
	url         TEXT NOT NULL,
	position    INTEGER NOT NULL,
	state       TEXT NOT NULL,
	image_key   INTEGER,
	owns        INTEGER NOT NULL,
	etag        TEXT NOT NULL,
	modified    TEXT NOT NULL,
	run_key     INTEGER NOT NULL,
	item        INTEGER NOT NULL,
	place       TEXT NOT NULL,
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, image_key) REFERENCES images (store_id, key) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX image_sources_url ON image_sources (store_id, product_key, url);
CREATE INDEX image_sources_image ON image_sources (store_id, image_key) WHERE image_key IS NOT NULL;
-- An image that is to go once the downloads of its product have come to an end.
ALTER TABLE images ADD COLUMN leaving INTEGER NOT NULL DEFAULT 0;
-- Earlier versions counted small tables, and planned by that for large ones.
DROP TABLE IF EXISTS sqlite_stat1;
DROP TABLE IF EXISTS sqlite_stat4;
