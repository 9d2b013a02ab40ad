-- +goose Up

-- The database itself ------------------------------------------------------------------------------------------------

-- Values that the installation has once, by name, such as its image storage. The row first_migration has the name of
-- this file: databases that were made before the first release lack the row, and are refused.
CREATE TABLE meta (
	name  TEXT NOT NULL PRIMARY KEY,
	value BLOB NOT NULL
) STRICT;
INSERT INTO meta (name, value)
VALUES ('first_migration', CAST('schema' AS BLOB));

-- Which programs may use this schema: those that know at least the migration oldest_program. A migration that takes
-- something away that the program before it needs raises it. There is one row.
CREATE TABLE schema_compatibility (
	oldest_program INTEGER NOT NULL
) STRICT;
INSERT INTO schema_compatibility (oldest_program)
VALUES (1);

-- Stores and their credentials ---------------------------------------------------------------------------------------

-- A store is a shop.
CREATE TABLE stores (
	id                BLOB NOT NULL PRIMARY KEY,
	name              TEXT NOT NULL,
	timezone          TEXT NOT NULL,
	locale            TEXT NOT NULL,
	currency          TEXT NOT NULL,
	site_url          TEXT NOT NULL,
	cors_origins      TEXT NOT NULL,
	version           INTEGER NOT NULL,
	created_at        INTEGER NOT NULL,
	updated_at        INTEGER NOT NULL,
	-- Whether publishable keys and customers see what each stock has of a variant.
	public_remainders INTEGER NOT NULL DEFAULT FALSE
) STRICT;

-- Keys and exchange tokens: only the SHA-256 of each is kept.
CREATE TABLE credentials (
	id           BLOB NOT NULL PRIMARY KEY,
	store_id     BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind         TEXT NOT NULL,
	name         TEXT NOT NULL,
	hash         BLOB NOT NULL,
	hint         TEXT NOT NULL,
	scopes       TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER,
	revoked_at   INTEGER,
	last_used_at INTEGER,
	-- The members of products that an exchange token writes, as a bit set; 0 means all of them.
	members      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX credentials_hash ON credentials (hash);
CREATE UNIQUE INDEX credentials_store ON credentials (store_id, id);

-- Who changed what. The sequence grows with each entry. Changes is a JSON array of {field, from, to}.
CREATE TABLE audit_entries (
	sequence     INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	store_id     BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	created_at   INTEGER NOT NULL,
	actor_kind   TEXT NOT NULL,
	actor_id     TEXT NOT NULL,
	actor_name   TEXT NOT NULL,
	action       TEXT NOT NULL,
	object_kind  TEXT NOT NULL,
	object_id    TEXT NOT NULL,
	object_label TEXT NOT NULL,
	changes      TEXT NOT NULL
) STRICT;
CREATE INDEX audit_entries_object ON audit_entries (store_id, object_kind, object_id, sequence);
CREATE INDEX audit_entries_time ON audit_entries (store_id, created_at, sequence);
CREATE INDEX audit_entries_actor ON audit_entries (store_id, actor_kind, actor_id, created_at, sequence);
CREATE INDEX audit_entries_kind ON audit_entries (store_id, object_kind, created_at, sequence);

-- How often something happened in a store on a day, such as a refused captcha. The day is in days since 1970, in the
-- store's timezone.
CREATE TABLE daily_counts (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	name     TEXT NOT NULL,
	day      INTEGER NOT NULL,
	count    INTEGER NOT NULL,
	PRIMARY KEY (store_id, name, day)
) STRICT, WITHOUT ROWID;

-- Accounts and operators of the administration -----------------------------------------------------------------------

-- A person who signs in to the administration. Each store that they administer has an operator of theirs. An account
-- with an empty password_hash has set no password yet. The secret of the codes for the second step of a sign-in is
-- sealed; code_step is the time step of the last code that was used. An empty language is that of the browser.
CREATE TABLE accounts (
	id                 BLOB NOT NULL PRIMARY KEY,
	email              TEXT NOT NULL,
	password_hash      TEXT NOT NULL,
	language           TEXT NOT NULL,
	failures           INTEGER NOT NULL,
	locked_until       INTEGER NOT NULL,
	code_secret        BLOB,
	code_step          INTEGER NOT NULL,
	created_at         INTEGER NOT NULL,
	updated_at         INTEGER NOT NULL,
	-- Failed sign-ins that the log does not have yet, and when it got the last entry about them.
	unlogged_failures  INTEGER NOT NULL DEFAULT 0,
	failures_logged_at INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX accounts_email ON accounts (email);

-- Recovery codes that were not used yet, by their SHA-256.
CREATE TABLE account_recovery_codes (
	account_id BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	hash       BLOB NOT NULL,
	PRIMARY KEY (account_id, hash)
) STRICT, WITHOUT ROWID;

-- Browsers in which a person has signed in, by the SHA-256 of their token, with the network of the last sign-in.
CREATE TABLE account_devices (
	hash         BLOB NOT NULL PRIMARY KEY,
	account_id   BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	network      TEXT NOT NULL,
	last_seen_at INTEGER NOT NULL
) STRICT;
CREATE INDEX account_devices_account ON account_devices (account_id, last_seen_at);

-- Failed sign-ins of an account by where they came from: a device, a session or a network. The failures from all
-- unknown networks together are counted in accounts.
CREATE TABLE account_lockouts (
	account_id   BLOB NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
	source       TEXT NOT NULL,
	failures     INTEGER NOT NULL,
	locked_until INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL,
	PRIMARY KEY (account_id, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX account_lockouts_age ON account_lockouts (updated_at);

-- The last change of an account's e-mail address that was asked for. The new address counts after its link was opened;
-- hash is the SHA-256 of the token in the link. After a confirmation or a cancellation, expires_at is 0 and email is
-- empty.
CREATE TABLE account_email_changes (
	account_id   BLOB NOT NULL PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
	hash         BLOB NOT NULL,
	email        TEXT NOT NULL,
	requested_at INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX account_email_changes_hash ON account_email_changes (hash);
CREATE INDEX account_email_changes_age ON account_email_changes (requested_at);

-- The person of an account in one store. Without joined_at, the person was invited and has not accepted yet. A person
-- with disabled_at cannot sign in. signed_in_at is the last time that the person signed in to this store or switched to
-- it.
CREATE TABLE operators (
	id           BLOB NOT NULL PRIMARY KEY,
	store_id     BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	account_id   BLOB NOT NULL REFERENCES accounts (id),
	role         TEXT NOT NULL,
	joined_at    INTEGER,
	disabled_at  INTEGER,
	signed_in_at INTEGER,
	created_at   INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX operators_store ON operators (store_id, id);
CREATE UNIQUE INDEX operators_account ON operators (account_id, store_id);

-- Sessions in the administration, by the SHA-256 of their token. The person whose session it is sees the network and
-- the browser of the sign-in.
CREATE TABLE operator_sessions (
	hash         BLOB NOT NULL PRIMARY KEY,
	store_id     BLOB NOT NULL,
	operator_id  BLOB NOT NULL,
	network      TEXT NOT NULL,
	browser      TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL,
	FOREIGN KEY (store_id, operator_id) REFERENCES operators (store_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX operator_sessions_operator ON operator_sessions (store_id, operator_id);

-- Invitations, by the SHA-256 of their token.
CREATE TABLE operator_invitations (
	hash        BLOB NOT NULL PRIMARY KEY,
	store_id    BLOB NOT NULL,
	operator_id BLOB NOT NULL,
	expires_at  INTEGER NOT NULL,
	FOREIGN KEY (store_id, operator_id) REFERENCES operators (store_id, id) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX operator_invitations_operator ON operator_invitations (store_id, operator_id);

-- Background jobs and the nodes that run them ------------------------------------------------------------------------

-- Jobs that wait or run. attempts counts the failed attempts; again says whether there are any. asked counts how often
-- the job was added: it changes while the job runs if the job is to run once more. A key is never used twice: a worker
-- may report a job as completed a second time.
CREATE TABLE jobs (
	key         INTEGER PRIMARY KEY AUTOINCREMENT,
	kind        TEXT NOT NULL,
	lane        TEXT NOT NULL,
	unique_name TEXT,
	payload     BLOB NOT NULL,
	again       INTEGER NOT NULL,
	attempts    INTEGER NOT NULL,
	asked       INTEGER NOT NULL,
	due_at      INTEGER NOT NULL,
	created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX jobs_next ON jobs (kind, lane, again, due_at, key);
CREATE UNIQUE INDEX jobs_unique ON jobs (kind, unique_name) WHERE unique_name IS NOT NULL;

-- Jobs that a node is running, and jobs that were running when a node died. A row is written before the job runs and
-- deleted with its result. died_at is when the node was found dead; alone says that only this job is blamed for the
-- death.
CREATE TABLE job_starts (
	job_key    INTEGER NOT NULL,
	node       BLOB NOT NULL,
	started_at INTEGER NOT NULL,
	died_at    INTEGER,
	alone      INTEGER NOT NULL,
	PRIMARY KEY (job_key, node)
) STRICT;
CREATE INDEX job_starts_node ON job_starts (node);

-- Jobs that are not tried any more, because too many nodes died while they ran them. owner is the store that the job
-- belongs to.
CREATE TABLE parked_jobs (
	key         INTEGER NOT NULL,
	kind        TEXT NOT NULL,
	lane        TEXT NOT NULL,
	unique_name TEXT,
	payload     BLOB NOT NULL,
	asked       INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	owner       TEXT NOT NULL,
	deaths      INTEGER NOT NULL,
	parked_at   INTEGER NOT NULL,
	PRIMARY KEY (key, owner)
) STRICT;
CREATE UNIQUE INDEX parked_jobs_unique ON parked_jobs (kind, unique_name) WHERE unique_name IS NOT NULL;
CREATE INDEX parked_jobs_lane ON parked_jobs (kind, lane);

-- The running processes. A node is alive until lease_until, which it renews. program is its host, process and version,
-- for people.
CREATE TABLE nodes (
	id          BLOB NOT NULL PRIMARY KEY,
	lease_until INTEGER NOT NULL,
	program     TEXT
) STRICT;

-- Nodes that died, rather than stopped, in the last day.
CREATE TABLE node_deaths (
	node    BLOB NOT NULL PRIMARY KEY,
	died_at INTEGER NOT NULL
) STRICT;

-- The node that works on a lane. A lane without a row, or with the row of a node that is gone, is free.
CREATE TABLE lanes (
	kind  TEXT NOT NULL,
	lane  TEXT NOT NULL,
	node  BLOB NOT NULL,
	epoch INTEGER NOT NULL,
	PRIMARY KEY (kind, lane)
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_node ON lanes (node);

-- Idempotency keys ---------------------------------------------------------------------------------------------------

-- Responses that are repeated for an Idempotency-Key. hash identifies method, path and key. The response itself is
-- sealed, in pieces.
CREATE TABLE idempotency (
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	hash        BLOB NOT NULL,
	fingerprint BLOB NOT NULL,
	status      INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	PRIMARY KEY (store_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE idempotency_pieces (
	store_id BLOB NOT NULL,
	hash     BLOB NOT NULL,
	number   INTEGER NOT NULL,
	sealed   BLOB NOT NULL,
	PRIMARY KEY (store_id, hash, number),
	FOREIGN KEY (store_id, hash) REFERENCES idempotency (store_id, hash) ON DELETE CASCADE
) STRICT;

-- Catalogue: versions ------------------------------------------------------------------------------------------------

-- version grows with every change of a product, categories with every change of a category. product_changes has all
-- versions after floor.
CREATE TABLE catalog_versions (
	store_id   BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	version    INTEGER NOT NULL,
	categories INTEGER NOT NULL,
	floor      INTEGER NOT NULL,
	-- The order in which the catalogues of all stores changed, so that a node finds the stores that changed since it
	-- last looked without asking for each store. A mark is higher than those of all earlier transactions.
	mark       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX catalog_versions_mark ON catalog_versions (mark, store_id);

-- version grows with every change of an option or a feature of the store, so that lists of them can be cached. mark is
-- as in catalog_versions.
CREATE TABLE attribute_versions (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	version  INTEGER NOT NULL,
	mark     INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX attribute_versions_mark ON attribute_versions (mark, store_id);

-- Tells apart the states that have the same version. After a restore, or a failover that lost commits, the database
-- gets to the same versions of attributes or categories by other changes, which have other stamps. Only the last
-- versions are kept.
CREATE TABLE version_stamps (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	part     TEXT NOT NULL,
	version  INTEGER NOT NULL,
	stamp    INTEGER NOT NULL,
	PRIMARY KEY (store_id, part, version)
) STRICT, WITHOUT ROWID;

-- Which products a version changed; product_key 0 stands for any product.
CREATE TABLE product_changes (
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	version     INTEGER NOT NULL,
	product_key INTEGER NOT NULL,
	changed_at  INTEGER NOT NULL,
	PRIMARY KEY (store_id, version, product_key)
) STRICT, WITHOUT ROWID;

-- Catalogue: options, features, categories, products, stocks ---------------------------------------------------------

-- Options and features: a name and a list of values. The kind of a deleted attribute is deleted.
CREATE TABLE attributes (
	key            INTEGER PRIMARY KEY,
	store_id       BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id             BLOB NOT NULL,
	kind           TEXT NOT NULL,
	name           TEXT NOT NULL,
	words          TEXT NOT NULL,
	filterable     INTEGER NOT NULL,
	field_type     TEXT NOT NULL,
	range_type     TEXT,
	value_count    INTEGER NOT NULL,
	version        INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL,
	-- The id in accounting.
	external_id    TEXT,
	-- The digest of what was last pushed, NULL after any other change: then the next push applies again.
	pushed         BLOB,
	-- Whether some values have a position. Otherwise the order of keys is the order of all values.
	ordered        INTEGER NOT NULL DEFAULT 0,
	-- The version that the last applied item had in its source; NULL if it had none. An older item is not applied.
	source_version INTEGER
) STRICT;
CREATE UNIQUE INDEX attributes_id ON attributes (store_id, id);
CREATE UNIQUE INDEX attributes_key ON attributes (store_id, key);
CREATE INDEX attributes_kind ON attributes (store_id, kind, key);
CREATE UNIQUE INDEX attributes_external ON attributes (store_id, kind, external_id) WHERE external_id IS NOT NULL;

-- A value of an option or a feature. external_id is unique within the attribute.
CREATE TABLE attribute_values (
	key           INTEGER PRIMARY KEY,
	store_id      BLOB NOT NULL,
	attribute_key INTEGER NOT NULL,
	id            BLOB NOT NULL,
	name          TEXT NOT NULL,
	number        REAL,
	created_at    INTEGER NOT NULL,
	updated_at    INTEGER NOT NULL,
	external_id   TEXT,
	-- Set for the target of a deletion.
	deleted_at    INTEGER,
	-- 1000000000 stands for no position: such values follow the others, in the order of their keys.
	position      INTEGER NOT NULL DEFAULT 1000000000,
	FOREIGN KEY (store_id, attribute_key) REFERENCES attributes (store_id, key)
) STRICT;
CREATE UNIQUE INDEX attribute_values_id ON attribute_values (store_id, id);
CREATE UNIQUE INDEX attribute_values_order ON attribute_values (store_id, attribute_key, key);
CREATE UNIQUE INDEX attribute_values_external ON attribute_values (store_id, external_id, attribute_key)
	WHERE external_id IS NOT NULL;

-- Columns that have no comment here are as in attributes and attribute_values.
CREATE TABLE categories (
	key            INTEGER PRIMARY KEY,
	store_id       BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id             BLOB NOT NULL,
	external_id    TEXT,
	name           TEXT NOT NULL,
	words          TEXT NOT NULL,
	parent_key     INTEGER,
	version        INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL,
	pushed         BLOB,
	deleted_at     INTEGER,
	position       INTEGER NOT NULL DEFAULT 1000000000,
	source_version INTEGER,
	FOREIGN KEY (store_id, parent_key) REFERENCES categories (store_id, key)
) STRICT;
CREATE UNIQUE INDEX categories_id ON categories (store_id, id);
CREATE UNIQUE INDEX categories_key ON categories (store_id, key);
-- With the condition, which a foreign key could not refer to, PostgreSQL lets an external_id be changed while others
-- share the row.
CREATE UNIQUE INDEX categories_external ON categories (store_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX categories_parent ON categories (store_id, parent_key);
CREATE INDEX categories_position ON categories (store_id, position, key);

-- words has the folded words of the name, external id and SKUs; sort_name, its beginning, is what products are sorted
-- by.
CREATE TABLE products (
	key                INTEGER PRIMARY KEY,
	store_id           BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id                 BLOB NOT NULL,
	external_id        TEXT,
	name               TEXT NOT NULL,
	words              TEXT NOT NULL,
	description        TEXT NOT NULL,
	version            INTEGER NOT NULL,
	archived_at        INTEGER,
	created_at         INTEGER NOT NULL,
	updated_at         INTEGER NOT NULL,
	sort_name          TEXT NOT NULL DEFAULT '',
	-- JSON, as it was sent.
	modifiers          TEXT NOT NULL DEFAULT '[]',
	-- What is kept of the last pushes, to leave alone an item that was pushed before: see catalog.PushMark.
	pushed             BLOB,
	pushed_goods       BLOB,
	pushed_offers      BLOB,
	pushed_prices      BLOB,
	-- When a push last changed the product, in microseconds; NULL for a product that no push has written.
	pushed_at          INTEGER,
	-- When something changed a product without being an edit of it, in microseconds: an order that took stock, a
	-- downloaded image, the deletion of a value. NULL if nothing has.
	touched_at         INTEGER,
	source_version     INTEGER,
	-- The members that pushes leave alone, as a bit set: see package productfield.
	locks              INTEGER NOT NULL DEFAULT 0,
	-- The article of the good itself, as 1C calls it. Variants without an SKU of their own take it over.
	article            TEXT,
	-- Who wrote each member last: see productfield.Writer. NULL means unknown.
	name_writer        INTEGER,
	description_writer INTEGER,
	images_writer      INTEGER,
	categories_writer  INTEGER,
	features_writer    INTEGER,
	price_writer       INTEGER,
	variants_writer    INTEGER,
	remainders_writer  INTEGER,
	modifiers_writer   INTEGER
) STRICT;
CREATE UNIQUE INDEX products_id ON products (store_id, id);
CREATE UNIQUE INDEX products_key ON products (store_id, key);
CREATE UNIQUE INDEX products_external ON products (store_id, external_id);
CREATE INDEX products_archived ON products (store_id, key) WHERE archived_at IS NOT NULL;

-- combination is a digest of the option values of a variant, NULL without any. twin is 0, or the variant's own key
-- where the deletion of a value made its combination equal to another variant's: such variants stay, all others must
-- differ. A variant without a price is not for sale. external_id is unique within the product.
CREATE TABLE variants (
	key         INTEGER PRIMARY KEY,
	store_id    BLOB NOT NULL,
	product_key INTEGER NOT NULL,
	id          BLOB NOT NULL,
	external_id TEXT,
	name        TEXT NOT NULL,
	sku         TEXT NOT NULL,
	price       INTEGER,
	combination BLOB,
	twin        INTEGER NOT NULL,
	archived_at INTEGER,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	-- What is left in all stocks together, in thousandths; NULL where no stock is kept. Derived from remainders.
	available   INTEGER,
	-- For the list and the number of variants of which nothing is left.
	sold_out    INTEGER GENERATED ALWAYS AS (available <= 0) VIRTUAL,
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX variants_id ON variants (store_id, id);
CREATE UNIQUE INDEX variants_key ON variants (store_id, key);
CREATE UNIQUE INDEX variants_product ON variants (store_id, product_key, key);
CREATE UNIQUE INDEX variants_external ON variants (store_id, product_key, external_id);
CREATE UNIQUE INDEX variants_combination ON variants (store_id, product_key, combination, twin)
	WHERE combination IS NOT NULL AND archived_at IS NULL;
-- Finds a variant by its id in accounting without its product.
CREATE INDEX variants_external_id ON variants (store_id, external_id, key) WHERE external_id IS NOT NULL;
CREATE INDEX variants_sold_out ON variants (store_id, key) WHERE sold_out AND archived_at IS NULL;

-- The option values of variants.
CREATE TABLE variant_values (
	store_id      BLOB NOT NULL,
	variant_key   INTEGER NOT NULL,
	attribute_key INTEGER NOT NULL,
	value_key     INTEGER NOT NULL,
	PRIMARY KEY (store_id, variant_key, attribute_key),
	FOREIGN KEY (store_id, variant_key) REFERENCES variants (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, attribute_key, value_key) REFERENCES attribute_values (store_id, attribute_key, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX variant_values_by_value ON variant_values (store_id, attribute_key, value_key, variant_key);

-- The feature values of products.
CREATE TABLE product_values (
	store_id      BLOB NOT NULL,
	product_key   INTEGER NOT NULL,
	attribute_key INTEGER NOT NULL,
	value_key     INTEGER NOT NULL,
	PRIMARY KEY (store_id, product_key, attribute_key, value_key),
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, attribute_key, value_key) REFERENCES attribute_values (store_id, attribute_key, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX product_values_by_value ON product_values (store_id, attribute_key, value_key, product_key);

CREATE TABLE product_categories (
	store_id     BLOB NOT NULL,
	product_key  INTEGER NOT NULL,
	category_key INTEGER NOT NULL,
	PRIMARY KEY (store_id, product_key, category_key),
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, category_key) REFERENCES categories (store_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX product_categories_category ON product_categories (store_id, category_key, product_key);

-- Warehouses.
CREATE TABLE stocks (
	key            INTEGER PRIMARY KEY,
	store_id       BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id             BLOB NOT NULL,
	external_id    TEXT,
	name           TEXT NOT NULL,
	words          TEXT NOT NULL,
	version        INTEGER NOT NULL,
	created_at     INTEGER NOT NULL,
	updated_at     INTEGER NOT NULL,
	pushed         BLOB,
	deleted_at     INTEGER,
	source_version INTEGER
) STRICT;
CREATE UNIQUE INDEX stocks_id ON stocks (store_id, id);
CREATE UNIQUE INDEX stocks_key ON stocks (store_id, key);
CREATE UNIQUE INDEX stocks_external ON stocks (store_id, external_id);

-- What a stock has of a variant, in thousandths: quantity as accounting says, reserved for submitted orders.
CREATE TABLE remainders (
	store_id    BLOB NOT NULL,
	variant_key INTEGER NOT NULL,
	stock_key   INTEGER NOT NULL,
	quantity    INTEGER NOT NULL,
	reserved    INTEGER NOT NULL,
	PRIMARY KEY (store_id, variant_key, stock_key),
	FOREIGN KEY (store_id, variant_key) REFERENCES variants (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, stock_key) REFERENCES stocks (store_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX remainders_stock ON remainders (store_id, stock_key, variant_key);
-- A stock is deleted only if nothing in it is reserved.
CREATE INDEX remainders_reserved ON remainders (store_id, stock_key, reserved) WHERE reserved > 0;

-- Catalogue: images --------------------------------------------------------------------------------------------------

-- The bytes of an image are in the image storage under its id. digest is the digest of the bytes as they were sent.
CREATE TABLE images (
	key         INTEGER PRIMARY KEY,
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          BLOB NOT NULL,
	external_id TEXT,
	product_key INTEGER,
	position    INTEGER NOT NULL,
	format      TEXT NOT NULL,
	opaque      INTEGER NOT NULL,
	width       INTEGER NOT NULL,
	height      INTEGER NOT NULL,
	size        INTEGER NOT NULL,
	digest      BLOB NOT NULL,
	version     INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	-- The image is to be deleted once the downloads of its product have ended.
	leaving     INTEGER NOT NULL DEFAULT 0,
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key)
) STRICT;
CREATE UNIQUE INDEX images_id ON images (store_id, id);
CREATE UNIQUE INDEX images_key ON images (store_id, key);
CREATE UNIQUE INDEX images_external ON images (store_id, external_id);
CREATE INDEX images_product ON images (store_id, product_key, position);

-- Images whose bytes are to be removed once due: deleted images, and uploads that never ended.
CREATE TABLE image_leftovers (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	image_id BLOB NOT NULL,
	due_at   INTEGER NOT NULL,
	PRIMARY KEY (store_id, image_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX image_leftovers_due ON image_leftovers (due_at);

-- Addresses that products have images from. state is waiting while a download is asked for, then done or failed.
-- image_key is the downloaded image, NULL before; owns says that the image is deleted when something else is found at
-- the address. etag and modified are the host's validators. run_key (0 for none), item and place are where a failure is
-- reported. A key is never used twice: jobs name sources by it.
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
-- The images that a run still waits for.
CREATE INDEX image_sources_waiting ON image_sources (store_id, run_key) WHERE state = 'waiting';
-- Images of packages of 1C that products have. Others are forgotten with their package.
CREATE INDEX image_sources_package ON image_sources (store_id, url) WHERE url >= 'commerceml:' AND url < 'commerceml;';

-- Catalogue: long changes --------------------------------------------------------------------------------------------

-- Deletions of what many products refer to. The target is an attribute, a value, a category or a stock. Readers do not
-- see it any more; the rows of products that refer to it are deleted afterwards, in short transactions. attribute_key
-- is the attribute of a value, else 0.
CREATE TABLE deletions (
	store_id      BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind          TEXT NOT NULL,
	target_key    INTEGER NOT NULL,
	attribute_key INTEGER NOT NULL,
	PRIMARY KEY (store_id, kind, target_key)
) STRICT, WITHOUT ROWID;

-- External ids of values that were merged into another value of the same attribute. A push that names one means the
-- value that stays.
CREATE TABLE value_aliases (
	store_id      BLOB NOT NULL,
	attribute_key INTEGER NOT NULL,
	external_id   TEXT NOT NULL,
	value_key     INTEGER NOT NULL,
	PRIMARY KEY (store_id, attribute_key, external_id),
	FOREIGN KEY (store_id, attribute_key, value_key)
		REFERENCES attribute_values (store_id, attribute_key, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX value_aliases_value ON value_aliases (store_id, attribute_key, value_key);

-- Values that are being merged and that very many products or variants have. The links move to the value that stays in
-- short transactions, and then the merged value is deleted.
CREATE TABLE value_merges (
	store_id      BLOB NOT NULL,
	attribute_key INTEGER NOT NULL,
	value_key     INTEGER NOT NULL,
	into_key      INTEGER NOT NULL,
	PRIMARY KEY (store_id, attribute_key, value_key),
	FOREIGN KEY (store_id, attribute_key, value_key)
		REFERENCES attribute_values (store_id, attribute_key, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, attribute_key, into_key)
		REFERENCES attribute_values (store_id, attribute_key, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX value_merges_into ON value_merges (store_id, attribute_key, into_key);

-- External ids that are in use no more, for exports of what changed. entity is the path segment of the gate. A value of
-- an option or a feature has the external id of its attribute in parent_id, which is empty for all others. The row with
-- the entity references says when the external ids of things that products refer to last changed.
CREATE TABLE deleted_ids (
	store_id       BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	entity         TEXT NOT NULL,
	parent_id      TEXT NOT NULL,
	external_id    TEXT NOT NULL,
	deleted_at     INTEGER NOT NULL,
	-- The version of the item that deleted a thing, so that an older item does not bring it back; NULL if it had none.
	source_version INTEGER,
	PRIMARY KEY (store_id, entity, parent_id, external_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deleted_ids_time ON deleted_ids (store_id, entity, deleted_at);
CREATE INDEX deleted_ids_age ON deleted_ids (deleted_at);

-- Changes of many products at once. undo_of is the change that this one undoes. writer is who started the change: its
-- jobs write in this name.
CREATE TABLE bulk_changes (
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          BLOB NOT NULL,
	action      TEXT NOT NULL,
	target      TEXT NOT NULL,
	label       TEXT NOT NULL,
	undo_of     BLOB,
	total       INTEGER NOT NULL,
	done        INTEGER NOT NULL,
	changed     INTEGER NOT NULL,
	next_chunk  INTEGER NOT NULL,
	failure     TEXT NOT NULL,
	created_at  INTEGER NOT NULL,
	finished_at INTEGER,
	writer      INTEGER,
	PRIMARY KEY (store_id, id)
) STRICT, WITHOUT ROWID;

-- The products of a bulk change. A chunk is changed in one transaction. keys has the keys of its products and, once it
-- is done, of the products that it has changed, as big-endian integers of 8 bytes.
CREATE TABLE bulk_chunks (
	store_id  BLOB NOT NULL,
	change_id BLOB NOT NULL,
	number    INTEGER NOT NULL,
	keys      BLOB NOT NULL,
	PRIMARY KEY (store_id, change_id, number),
	FOREIGN KEY (store_id, change_id) REFERENCES bulk_changes (store_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The words of customers, inquiries and orders, for the search. kind is customer, feedback, callback or order, and key
-- that of the row there. Only the first 64 characters of a word are here: an index entry of PostgreSQL must not be long.
CREATE TABLE search_words (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind     TEXT NOT NULL,
	word     TEXT NOT NULL,
	key      INTEGER NOT NULL,
	PRIMARY KEY (store_id, kind, word, key)
) STRICT, WITHOUT ROWID;

-- Exchange with accounting: pushes and their runs --------------------------------------------------------------------

-- Locked by each batch of a push to a store, and by the creation of things that a reference may wait for.
CREATE TABLE push_locks (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	taken    INTEGER NOT NULL
) STRICT;

-- References of pushed things to things that do not exist yet. kind is category (of a product), feature (of a product),
-- option (of a variant) or parent (of a category). external_id is that of the category or the attribute, value_id that
-- of the value, else empty. One of the three keys is the referring row.
CREATE TABLE pending_references (
	key           INTEGER PRIMARY KEY,
	store_id      BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind          TEXT NOT NULL,
	external_id   TEXT NOT NULL,
	value_id      TEXT NOT NULL,
	product_key   INTEGER,
	variant_key   INTEGER,
	category_key  INTEGER,
	-- The time of the first reference to the same thing, in microseconds.
	first_seen_at INTEGER NOT NULL DEFAULT 0,
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, variant_key) REFERENCES variants (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, category_key) REFERENCES categories (store_id, key) ON DELETE CASCADE
) STRICT;
CREATE INDEX pending_references_wanted ON pending_references (store_id, kind, external_id, value_id, key);
CREATE INDEX pending_references_product ON pending_references (store_id, product_key) WHERE product_key IS NOT NULL;
CREATE INDEX pending_references_variant ON pending_references (store_id, variant_key) WHERE variant_key IS NOT NULL;
CREATE INDEX pending_references_category ON pending_references (store_id, category_key) WHERE category_key IS NOT NULL;

-- A run is the record of one push. received to warnings are counted in the transaction of the items that they count;
-- late_warnings counts warnings of background work after that.
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
	alive_at          INTEGER NOT NULL,
	-- The members that a run ignored, as JSON: how many items had each, which was the first, and what was probably
	-- meant.
	ignored           TEXT NOT NULL DEFAULT '[]',
	-- The bytes of the run's body in exchange_pieces. Their sums, of a store and of all stores, are limited.
	spooled_bytes     INTEGER NOT NULL DEFAULT 0,
	-- A file that an operator uploaded. Its dry run keeps the body until kept_until, so that another run can apply it:
	-- body_key of that run is the key of the dry run. operator_id is who uploaded or applied it.
	operator_id       BLOB,
	file_name         TEXT NOT NULL DEFAULT '',
	kept_until        INTEGER,
	body_key          INTEGER,
	-- The size of what the run leaves behind: failed items, and what a dry run would change.
	kept_bytes        INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX exchange_runs_id ON exchange_runs (store_id, id);
CREATE UNIQUE INDEX exchange_runs_key ON exchange_runs (store_id, key);
CREATE INDEX exchange_runs_credential ON exchange_runs (store_id, credential_id, key);
CREATE INDEX exchange_runs_age ON exchange_runs (created_at);
CREATE INDEX exchange_runs_open ON exchange_runs (alive_at) WHERE finished_at IS NULL;
CREATE INDEX exchange_runs_spooled ON exchange_runs (store_id, spooled_bytes) WHERE spooled_bytes > 0;
CREATE UNIQUE INDEX exchange_runs_body ON exchange_runs (store_id, body_key) WHERE body_key IS NOT NULL;
-- The pushes that failed as a whole or in part.
CREATE INDEX exchange_runs_failed ON exchange_runs (store_id, key, created_at)
	WHERE (status = 'failed' OR failed > 0) AND dry_run = FALSE;

-- Errors and warnings of a run, each numbered from 1 in the order of the items; late warnings from 2^40 on.
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

-- Items that failed, as they were sent. packed says that sent is compressed.
CREATE TABLE exchange_rejects (
	store_id BLOB NOT NULL,
	run_key  INTEGER NOT NULL,
	item     INTEGER NOT NULL,
	sent     BLOB NOT NULL,
	packed   INTEGER NOT NULL DEFAULT 0,
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

-- The body of a push that is applied in the background, compressed, in pieces.
CREATE TABLE exchange_pieces (
	store_id BLOB NOT NULL,
	run_key  INTEGER NOT NULL,
	number   INTEGER NOT NULL,
	packed   BLOB NOT NULL,
	PRIMARY KEY (store_id, run_key, number),
	FOREIGN KEY (store_id, run_key) REFERENCES exchange_runs (store_id, key) ON DELETE CASCADE
) STRICT;

-- What a dry run would change, numbered from 1 in the order of the items. changes is JSON.
CREATE TABLE exchange_changes (
	store_id    BLOB NOT NULL,
	run_key     INTEGER NOT NULL,
	number      INTEGER NOT NULL,
	item        INTEGER NOT NULL,
	external_id TEXT,
	action      TEXT NOT NULL,
	changes     TEXT NOT NULL,
	PRIMARY KEY (store_id, run_key, number),
	FOREIGN KEY (store_id, run_key) REFERENCES exchange_runs (store_id, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The sum of exchange_runs.kept_bytes of a store, which is limited.
CREATE TABLE exchange_kept (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	bytes    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Customers ----------------------------------------------------------------------------------------------------------

-- login_email (folded) and login_phone were proven by a code: people sign in with them. email and phone are what
-- customers say of themselves. signed_in_at is the last sign-in, for --customer-retention.
CREATE TABLE customers (
	key          INTEGER PRIMARY KEY,
	store_id     BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id           BLOB NOT NULL,
	email        TEXT,
	phone        TEXT,
	login_email  TEXT,
	login_phone  TEXT,
	name         TEXT NOT NULL,
	words        TEXT NOT NULL,
	version      INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL,
	signed_in_at INTEGER
) STRICT;
CREATE UNIQUE INDEX customers_id ON customers (store_id, id);
CREATE UNIQUE INDEX customers_key ON customers (store_id, key);
CREATE UNIQUE INDEX customers_login_email ON customers (store_id, login_email) WHERE login_email IS NOT NULL;
CREATE UNIQUE INDEX customers_login_phone ON customers (store_id, login_phone) WHERE login_phone IS NOT NULL;
CREATE INDEX customers_signed_in ON customers (signed_in_at, key);
-- Contact addresses as people are looked up by. Two e-mail addresses that differ only in case belong to one person.
CREATE INDEX customers_contact_email ON customers (store_id, LOWER(email), key) WHERE email IS NOT NULL;
CREATE INDEX customers_contact_phone ON customers (store_id, phone, key) WHERE phone IS NOT NULL;

-- The submitted orders of each customer that are not cancelled: how many, and the sum of their totals as in
-- order_totals.
CREATE TABLE customer_totals (
	store_id     BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	customer_key INTEGER NOT NULL,
	currency     TEXT NOT NULL,
	orders       INTEGER NOT NULL,
	whole        INTEGER NOT NULL,
	rest         INTEGER NOT NULL,
	PRIMARY KEY (store_id, customer_key, currency)
) STRICT, WITHOUT ROWID;

-- Login codes that were asked for. code is an HMAC whose key is not in the database; person is a folded address or a
-- phone number. prefix is the country prefix of a phone number, such as +7, and empty for an e-mail address: codes are
-- limited by store and prefix.
CREATE TABLE login_requests (
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id         BLOB NOT NULL,
	person     TEXT NOT NULL,
	contact    TEXT NOT NULL,
	code       BLOB NOT NULL,
	attempts   INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	ended_at   INTEGER,
	prefix     TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (store_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX login_requests_live ON login_requests (store_id, person) WHERE ended_at IS NULL;
CREATE INDEX login_requests_person ON login_requests (store_id, person, created_at);
CREATE INDEX login_requests_age ON login_requests (created_at);
CREATE INDEX login_requests_store ON login_requests (store_id, created_at);
CREATE INDEX login_requests_prefix ON login_requests (store_id, prefix, created_at);

-- Sessions of customers, by the SHA-256 of their token.
CREATE TABLE customer_sessions (
	hash         BLOB NOT NULL PRIMARY KEY,
	store_id     BLOB NOT NULL,
	customer_key INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	FOREIGN KEY (store_id, customer_key) REFERENCES customers (store_id, key) ON DELETE CASCADE
) STRICT;
CREATE INDEX customer_sessions_customer ON customer_sessions (store_id, customer_key);
CREATE INDEX customer_sessions_age ON customer_sessions (expires_at);

-- Orders -------------------------------------------------------------------------------------------------------------

-- A cart is an order in state draft; number is NULL until it is submitted. token is the SHA-256 of the token by which a
-- guest reaches the order.
CREATE TABLE orders (
	key              INTEGER PRIMARY KEY,
	store_id         BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id               BLOB NOT NULL,
	number           INTEGER,
	state            TEXT NOT NULL,
	token            BLOB NOT NULL,
	customer_key     INTEGER,
	name             TEXT NOT NULL,
	phone            TEXT NOT NULL,
	email            TEXT NOT NULL,
	address          TEXT NOT NULL,
	delivery_comment TEXT NOT NULL,
	comment          TEXT NOT NULL,
	currency         TEXT NOT NULL,
	total            INTEGER NOT NULL,
	words            TEXT NOT NULL,
	version          INTEGER NOT NULL,
	submitted_at     INTEGER,
	confirmed_at     INTEGER,
	completed_at     INTEGER,
	cancelled_at     INTEGER,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	-- Whether a draft has no items. Other orders always have some.
	empty            INTEGER NOT NULL DEFAULT FALSE,
	-- The ids of the events that announced the states of an order.
	submitted_event  BLOB,
	confirmed_event  BLOB,
	completed_event  BLOB,
	cancelled_event  BLOB,
	-- When the personal data of an order was erased.
	erased_at        INTEGER,
	-- The sequence of the last event of the orders that accounting took together with this one, and whose goods it sets
	-- aside. NULL if it has not taken the order.
	taken            INTEGER,
	FOREIGN KEY (store_id, customer_key) REFERENCES customers (store_id, key)
) STRICT;
CREATE UNIQUE INDEX orders_id ON orders (store_id, id);
CREATE UNIQUE INDEX orders_key ON orders (store_id, key);
CREATE UNIQUE INDEX orders_number ON orders (store_id, number) WHERE number IS NOT NULL;
CREATE INDEX orders_state ON orders (store_id, state, key);
CREATE INDEX orders_customer ON orders (store_id, customer_key, key) WHERE customer_key IS NOT NULL;
CREATE INDEX orders_drafts ON orders (updated_at) WHERE state = 'draft';
-- Orders of guests that nobody has confirmed yet, for --reservation-timeout.
CREATE INDEX orders_unconfirmed ON orders (submitted_at, key) WHERE state = 'submitted' AND customer_key IS NULL;
-- The drafts of guests in a store, for --max-guest-drafts: empty and other ones, oldest first.
CREATE INDEX orders_guest_drafts ON orders (store_id, empty, updated_at, key)
	WHERE state = 'draft' AND customer_key IS NULL;
-- The empty drafts of guests in all stores, which expire after a day.
CREATE INDEX orders_empty_drafts ON orders (updated_at, key)
	WHERE state = 'draft' AND customer_key IS NULL AND empty = TRUE;
-- The submitted orders of a store by the time of submission: all, and those in a state. The conditions mean the same,
-- but differ, so that no database uses the first index, and skips the orders in other states, for a statement without
-- the condition on the number.
CREATE INDEX orders_submitted ON orders (store_id, submitted_at, key) WHERE number IS NOT NULL;
CREATE INDEX orders_state_submitted ON orders (store_id, state, submitted_at, key) WHERE submitted_at IS NOT NULL;
-- The finished orders of all stores that have personal data, for --order-personal-data-retention.
CREATE INDEX orders_personal ON orders (updated_at, key)
	WHERE erased_at IS NULL AND (state = 'completed' OR state = 'cancelled');

-- The last number of an order in each store.
CREATE TABLE order_numbers (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	last     INTEGER NOT NULL
) STRICT;

-- The lines of an order. Name, sku, options (JSON) and price are those of the catalogue until the order is submitted,
-- and then frozen. The variant may be gone by then, so there is no foreign key.
CREATE TABLE order_items (
	key         INTEGER PRIMARY KEY,
	store_id    BLOB NOT NULL,
	order_key   INTEGER NOT NULL,
	id          BLOB NOT NULL,
	variant_key INTEGER NOT NULL,
	variant_id  BLOB NOT NULL,
	product_id  BLOB NOT NULL,
	name        TEXT NOT NULL,
	sku         TEXT NOT NULL,
	options     TEXT NOT NULL,
	price       INTEGER NOT NULL,
	quantity    INTEGER NOT NULL,
	FOREIGN KEY (store_id, order_key) REFERENCES orders (store_id, key) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX order_items_id ON order_items (store_id, id);
CREATE UNIQUE INDEX order_items_key ON order_items (store_id, key);
CREATE UNIQUE INDEX order_items_variant ON order_items (store_id, order_key, variant_id);

-- How much of an item is reserved in which stock, in thousandths.
CREATE TABLE reservations (
	store_id    BLOB NOT NULL,
	item_key    INTEGER NOT NULL,
	variant_key INTEGER NOT NULL,
	stock_key   INTEGER NOT NULL,
	quantity    INTEGER NOT NULL,
	PRIMARY KEY (store_id, item_key, stock_key),
	FOREIGN KEY (store_id, item_key) REFERENCES order_items (store_id, key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX reservations_variant ON reservations (store_id, variant_key, item_key, stock_key);

-- A worker inserts the words of submitted orders into search_words later: this is the number of the last order whose
-- words are there. The words of later orders are in orders.words only.
CREATE TABLE order_word_progress (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	number   INTEGER NOT NULL
) STRICT;

-- The submitted orders by the time of submission, state and currency: how many, and the sum of their totals as whole
-- units and the rest in units of 0.0001, since a sum of many totals in that unit may not fit. There are rows for days
-- and for quarters of an hour (span), both in UTC; start is their first microsecond. All offsets of timezones are
-- multiples of a quarter of an hour.
CREATE TABLE order_totals (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	span     TEXT NOT NULL,
	start    INTEGER NOT NULL,
	state    TEXT NOT NULL,
	currency TEXT NOT NULL,
	orders   INTEGER NOT NULL,
	whole    INTEGER NOT NULL,
	rest     INTEGER NOT NULL,
	PRIMARY KEY (store_id, span, start, state, currency)
) STRICT, WITHOUT ROWID;

-- Inquiries ----------------------------------------------------------------------------------------------------------

-- Messages of visitors. extra is JSON: the unknown members of the request. state is new, taken or done; handler is the
-- e-mail address of the operator who took the inquiry, who may be gone.
CREATE TABLE feedback (
	key        INTEGER PRIMARY KEY,
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id         BLOB NOT NULL,
	name       TEXT NOT NULL,
	email      TEXT NOT NULL,
	phone      TEXT NOT NULL,
	message    TEXT NOT NULL,
	extra      TEXT NOT NULL,
	words      TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	state      TEXT NOT NULL DEFAULT 'new',
	note       TEXT NOT NULL DEFAULT '',
	handler    TEXT NOT NULL DEFAULT '',
	taken_at   INTEGER,
	done_at    INTEGER,
	version    INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX feedback_id ON feedback (store_id, id);
CREATE INDEX feedback_age ON feedback (store_id, created_at, key);
CREATE INDEX feedback_state ON feedback (store_id, state, created_at, key);
CREATE INDEX feedback_email ON feedback (store_id, email, created_at, key) WHERE email <> '';
CREATE INDEX feedback_phone ON feedback (store_id, phone, created_at, key) WHERE phone <> '';
CREATE INDEX feedback_folded_email ON feedback (store_id, LOWER(email), key) WHERE email <> '';

-- Visitors who want to be called. state to version are as in feedback.
CREATE TABLE callbacks (
	key            INTEGER PRIMARY KEY,
	store_id       BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id             BLOB NOT NULL,
	name           TEXT NOT NULL,
	phone          TEXT NOT NULL,
	comment        TEXT NOT NULL,
	preferred_time TEXT NOT NULL,
	words          TEXT NOT NULL,
	created_at     INTEGER NOT NULL,
	state          TEXT NOT NULL DEFAULT 'new',
	note           TEXT NOT NULL DEFAULT '',
	handler        TEXT NOT NULL DEFAULT '',
	taken_at       INTEGER,
	done_at        INTEGER,
	version        INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX callbacks_id ON callbacks (store_id, id);
CREATE INDEX callbacks_age ON callbacks (store_id, created_at, key);
CREATE INDEX callbacks_state ON callbacks (store_id, state, created_at, key);
CREATE INDEX callbacks_phone ON callbacks (store_id, phone, created_at, key);

-- Events and webhooks ------------------------------------------------------------------------------------------------

-- The last sequence of events of each store.
CREATE TABLE event_sequences (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	last     INTEGER NOT NULL
) STRICT;

-- What happened in a store, for webhooks. sequence grows by one in the order of the commits. An event with a
-- receiver_key is for this receiver alone, to try it.
CREATE TABLE events (
	store_id     BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	sequence     INTEGER NOT NULL,
	id           BLOB NOT NULL,
	type         TEXT NOT NULL,
	payload      BLOB NOT NULL,
	created_at   INTEGER NOT NULL,
	receiver_key INTEGER,
	PRIMARY KEY (store_id, sequence)
) STRICT;
CREATE UNIQUE INDEX events_id ON events (store_id, id);

-- Receivers of webhooks. types is JSON. secret and old_secret are sealed; the old one signs as well until
-- old_secret_until. failing_since is the first failed attempt since the last success.
CREATE TABLE receivers (
	key              INTEGER PRIMARY KEY,
	store_id         BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id               BLOB NOT NULL,
	url              TEXT NOT NULL,
	types            TEXT NOT NULL,
	enabled          INTEGER NOT NULL,
	disabled_reason  TEXT,
	secret           BLOB NOT NULL,
	old_secret       BLOB,
	old_secret_until INTEGER,
	failing_since    INTEGER,
	version          INTEGER NOT NULL,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX receivers_id ON receivers (store_id, id);
CREATE UNIQUE INDEX receivers_key ON receivers (store_id, key);

-- The last event of a store that has deliveries.
CREATE TABLE event_fanouts (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	sequence INTEGER NOT NULL
) STRICT;

-- One event for one receiver. stranded says that the delivery is held or dead, and waits for a retry by hand. No index
-- has a column that changes when an event is delivered, so that such an update is HOT on PostgreSQL.
CREATE TABLE deliveries (
	key              INTEGER PRIMARY KEY,
	store_id         BLOB NOT NULL,
	id               BLOB NOT NULL,
	receiver_key     INTEGER NOT NULL,
	sequence         INTEGER NOT NULL,
	type             TEXT NOT NULL,
	status           TEXT NOT NULL,
	stranded         INTEGER NOT NULL,
	attempts_count   INTEGER NOT NULL,
	last_status_code INTEGER,
	next_attempt_at  INTEGER,
	created_at       INTEGER NOT NULL,
	updated_at       INTEGER NOT NULL,
	FOREIGN KEY (store_id, receiver_key) REFERENCES receivers (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, sequence) REFERENCES events (store_id, sequence)
) STRICT;
CREATE UNIQUE INDEX deliveries_id ON deliveries (store_id, id);
CREATE INDEX deliveries_store ON deliveries (store_id, key);
CREATE INDEX deliveries_receiver ON deliveries (store_id, receiver_key, key);
CREATE UNIQUE INDEX deliveries_event ON deliveries (store_id, sequence, receiver_key);
CREATE INDEX deliveries_stranded ON deliveries (store_id, receiver_key, key) WHERE stranded = TRUE;
-- The held and dead deliveries of all receivers of a store.
CREATE INDEX deliveries_stranded_store ON deliveries (store_id, key) WHERE stranded = TRUE;

-- One request of a delivery. There is no foreign key, which would cost more than the row: the deletion of deliveries
-- deletes their attempts.
CREATE TABLE attempts (
	store_id     BLOB NOT NULL,
	delivery_key INTEGER NOT NULL,
	number       INTEGER NOT NULL,
	started_at   INTEGER NOT NULL,
	duration_ms  INTEGER NOT NULL,
	status_code  INTEGER,
	phase        TEXT,
	excerpt      TEXT NOT NULL,
	PRIMARY KEY (store_id, delivery_key, number)
) STRICT, WITHOUT ROWID;

-- The attempts of each receiver by hour, which is in hours since 1970. There is no foreign key: an attempt may end
-- after its receiver was deleted.
CREATE TABLE attempt_hours (
	store_id     BLOB NOT NULL,
	hour         INTEGER NOT NULL,
	receiver_key INTEGER NOT NULL,
	delivered    INTEGER NOT NULL,
	failed       INTEGER NOT NULL,
	PRIMARY KEY (store_id, hour, receiver_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempt_hours_age ON attempt_hours (hour);

-- Captcha ------------------------------------------------------------------------------------------------------------

-- How a store protects its public operations. secret is sealed; actions is JSON.
CREATE TABLE captcha_settings (
	store_id          BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	active            INTEGER NOT NULL,
	provider          TEXT NOT NULL,
	public_key        TEXT NOT NULL,
	secret            BLOB,
	site_url          TEXT NOT NULL,
	extra_hosts       TEXT NOT NULL,
	on_provider_error TEXT NOT NULL,
	actions           TEXT NOT NULL
) STRICT;

-- Captcha tokens that were sent to a provider, by their SHA-256: none is sent twice.
CREATE TABLE captcha_tokens (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	hash     BLOB NOT NULL,
	used_at  INTEGER NOT NULL,
	PRIMARY KEY (store_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX captcha_tokens_age ON captcha_tokens (used_at);

-- How many captcha checks of a day had a score in a bucket. A bucket is a tenth of the scale from 0 to 1. The day is
-- the number of days since 1970 in UTC.
CREATE TABLE captcha_scores (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	day      INTEGER NOT NULL,
	action   TEXT NOT NULL,
	bucket   INTEGER NOT NULL,
	count    INTEGER NOT NULL,
	PRIMARY KEY (store_id, day, action, bucket)
) STRICT, WITHOUT ROWID;
CREATE INDEX captcha_scores_age ON captcha_scores (day);

-- Mail ---------------------------------------------------------------------------------------------------------------

-- Messages of a program that has no SMTP server. text is sealed, since it may contain a login code.
CREATE TABLE mailbox (
	key        INTEGER PRIMARY KEY,
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id         BLOB NOT NULL,
	recipient  TEXT NOT NULL,
	subject    TEXT NOT NULL,
	text       BLOB NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX mailbox_id ON mailbox (store_id, id);
CREATE INDEX mailbox_age ON mailbox (created_at);

-- Exchange with 1C ---------------------------------------------------------------------------------------------------

-- The exchange of a store with 1C. settings, memory and report are JSON: memory is what files tell later files, report
-- describes the last exchange. sales_cursor is the sequence of the last event whose order 1C has taken.
CREATE TABLE commerceml_stores (
	store_id     BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	settings     TEXT NOT NULL DEFAULT '{}',
	memory       TEXT NOT NULL DEFAULT '{}',
	report       TEXT NOT NULL DEFAULT '{}',
	sales_cursor INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- A session of 1C, from init on. login is from the cookie, so that two exchanges with one token have two sessions.
-- goods says whether the files with goods are the full catalogue, offered is the last event of the orders that the
-- session got. imported says that a file of the session was given to the import; until then its files have a smaller
-- part of the room that all stores share. A key is never used twice: jobs name files by it.
CREATE TABLE commerceml_sessions (
	key           INTEGER PRIMARY KEY AUTOINCREMENT,
	store_id      BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	credential_id BLOB NOT NULL,
	login         BLOB NOT NULL,
	kind          TEXT NOT NULL,
	version       TEXT NOT NULL,
	goods         TEXT NOT NULL DEFAULT '',
	offered       INTEGER,
	spooled_bytes INTEGER NOT NULL DEFAULT 0,
	used_at       INTEGER NOT NULL,
	imported      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX commerceml_sessions_login ON commerceml_sessions (store_id, credential_id, login, kind, key);
CREATE INDEX commerceml_sessions_used ON commerceml_sessions (used_at);
CREATE INDEX commerceml_sessions_spooled ON commerceml_sessions (store_id, spooled_bytes) WHERE spooled_bytes > 0;
CREATE INDEX commerceml_sessions_waiting ON commerceml_sessions (store_id, spooled_bytes)
	WHERE spooled_bytes > 0 AND NOT imported;

-- A file of a session. archive_key is the archive that has the file, if it did not come alone. state is received,
-- queued, pushed or failed; runs are the keys of its runs, as JSON. taken_up_to is the sales_cursor of the store when
-- the file came: its quantities are free of the orders that were taken by then.
CREATE TABLE commerceml_files (
	key         INTEGER PRIMARY KEY AUTOINCREMENT,
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	session_key INTEGER NOT NULL,
	name        TEXT NOT NULL,
	archive_key INTEGER,
	bytes       INTEGER NOT NULL,
	parts       INTEGER NOT NULL,
	first_part  BLOB,
	last_part   BLOB,
	state       TEXT NOT NULL,
	runs        TEXT NOT NULL DEFAULT '{}',
	problem     TEXT NOT NULL DEFAULT '',
	taken_up_to INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX commerceml_files_name ON commerceml_files (store_id, session_key, name, key);
CREATE INDEX commerceml_files_open ON commerceml_files (store_id, session_key) WHERE state = 'queued';

-- The bytes of a file, compressed. start is the position of the first byte.
CREATE TABLE commerceml_chunks (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	file_key INTEGER NOT NULL,
	start    INTEGER NOT NULL,
	packed   BLOB NOT NULL,
	PRIMARY KEY (store_id, file_key, start)
) STRICT;

-- The content of each image, by its path inside the package, and the session that has its bytes.
CREATE TABLE commerceml_pictures (
	store_id    BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	path        TEXT NOT NULL,
	digest      BLOB NOT NULL,
	session_key INTEGER NOT NULL,
	PRIMARY KEY (store_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX commerceml_pictures_digest ON commerceml_pictures (store_id, digest, session_key);

-- A full package of a catalogue of 1C: all that comes for the catalogue, from the file on that says that it is full.
-- package is the key of this file. has_offers says that a full packet of offers has come, too. session_key is the
-- session of the last file, minutes the silence that ends the package, ends_at its end. file_key is the file that
-- stands for the end; NULL while the package is open. run_key is the run that archives what is missing. problem is the
-- code of the reason why the package archives nothing, or empty.
CREATE TABLE commerceml_packages (
	store_id      BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	catalog       TEXT NOT NULL,
	package       INTEGER NOT NULL,
	credential_id BLOB NOT NULL,
	session_key   INTEGER NOT NULL,
	has_offers    INTEGER NOT NULL DEFAULT FALSE,
	minutes       INTEGER NOT NULL,
	ends_at       INTEGER NOT NULL,
	file_key      INTEGER,
	run_key       INTEGER,
	problem       TEXT NOT NULL DEFAULT '',
	PRIMARY KEY (store_id, catalog, package)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX commerceml_packages_open ON commerceml_packages (store_id, catalog) WHERE file_key IS NULL;
CREATE INDEX commerceml_packages_ends ON commerceml_packages (ends_at);

-- The goods and offers that 1C has sent. offer_id is empty for a good itself. catalog is the catalogue that has sent it
-- last, package the last full package that has it, or 0. A row whose good or offer is not in the shop some days after
-- created_at is deleted.
CREATE TABLE commerceml_goods (
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	good_id    TEXT NOT NULL,
	offer_id   TEXT NOT NULL,
	catalog    TEXT NOT NULL,
	package    INTEGER NOT NULL,
	created_at INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (store_id, good_id, offer_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX commerceml_goods_catalog ON commerceml_goods (store_id, catalog, package);

-- The id under which 1C has sent an order back last. As a rule it is 1C's own.
CREATE TABLE commerceml_orders (
	store_id    BLOB NOT NULL,
	order_id    BLOB NOT NULL,
	document_id TEXT NOT NULL,
	PRIMARY KEY (store_id, order_id),
	FOREIGN KEY (store_id, order_id) REFERENCES orders (store_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX commerceml_orders_document ON commerceml_orders (store_id, document_id, order_id);

-- Events of orders that 1C itself has changed. They are not given back to 1C.
CREATE TABLE commerceml_echoes (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	sequence INTEGER NOT NULL,
	PRIMARY KEY (store_id, sequence)
) STRICT, WITHOUT ROWID;
