-- +goose Up
CREATE TABLE meta (
	name  TEXT NOT NULL PRIMARY KEY,
	value BLOB    NOT NULL
) STRICT;

CREATE TABLE stores (
	id           BLOB NOT NULL PRIMARY KEY,
	name         TEXT    NOT NULL,
	timezone     TEXT    NOT NULL,
	locale       TEXT    NOT NULL,
	currency     TEXT    NOT NULL,
	site_url     TEXT    NOT NULL,
	cors_origins TEXT    NOT NULL,
	version      INTEGER NOT NULL,
	created_at   INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL
) STRICT;

-- Keys and exchange tokens: only the SHA-256 of each is kept.
CREATE TABLE credentials (
	id           BLOB NOT NULL PRIMARY KEY,
	store_id     BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind         TEXT    NOT NULL,
	name         TEXT    NOT NULL,
	hash         BLOB    NOT NULL,
	hint         TEXT    NOT NULL,
	scopes       TEXT    NOT NULL,
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER,
	revoked_at   INTEGER,
	last_used_at INTEGER
) STRICT;
CREATE UNIQUE INDEX credentials_hash ON credentials (hash);
CREATE UNIQUE INDEX credentials_store ON credentials (store_id, id);

CREATE TABLE operators (
	id            BLOB NOT NULL PRIMARY KEY,
	store_id      BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	email         TEXT    NOT NULL,
	role          TEXT    NOT NULL,
	password_hash TEXT    NOT NULL,
	failures      INTEGER NOT NULL,
	locked_until  INTEGER NOT NULL,
	created_at    INTEGER NOT NULL,
	updated_at    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX operators_email ON operators (email);
CREATE UNIQUE INDEX operators_store ON operators (store_id, id);

CREATE TABLE operator_sessions (
	hash         BLOB NOT NULL PRIMARY KEY,
	store_id     BLOB    NOT NULL,
	operator_id  BLOB    NOT NULL,
	created_at   INTEGER NOT NULL,
	last_seen_at INTEGER NOT NULL,
	FOREIGN KEY (store_id, operator_id) REFERENCES operators (store_id, id) ON DELETE CASCADE
) STRICT;
CREATE INDEX operator_sessions_operator ON operator_sessions (store_id, operator_id);

-- Answers remembered for an Idempotency-Key; hash names method, path and key. The answer itself is sealed, in pieces.
CREATE TABLE idempotency (
	store_id    BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	hash        BLOB    NOT NULL,
	fingerprint BLOB    NOT NULL,
	status      INTEGER NOT NULL,
	created_at  INTEGER NOT NULL,
	PRIMARY KEY (store_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TABLE idempotency_pieces (
	store_id BLOB    NOT NULL,
	hash     BLOB    NOT NULL,
	number   INTEGER NOT NULL,
	sealed   BLOB    NOT NULL,
	PRIMARY KEY (store_id, hash, number),
	FOREIGN KEY (store_id, hash) REFERENCES idempotency (store_id, hash) ON DELETE CASCADE
) STRICT;

-- Grows with every change of an option or a feature of the store, so that lists of them can be kept in memory.
CREATE TABLE attribute_versions (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	version  INTEGER NOT NULL
) STRICT;

-- Options and features: a name and a list of values. The order of values is that of their keys.
CREATE TABLE attributes (
	key        INTEGER PRIMARY KEY,
	store_id   BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id         BLOB    NOT NULL,
	kind       TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	words      TEXT    NOT NULL,
	filterable INTEGER NOT NULL,
	field_type TEXT    NOT NULL,
	range_type TEXT,
	value_count INTEGER NOT NULL,
	version    INTEGER NOT NULL,
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX attributes_id ON attributes (store_id, id);
CREATE UNIQUE INDEX attributes_key ON attributes (store_id, key);
CREATE INDEX attributes_kind ON attributes (store_id, kind, key);

CREATE TABLE attribute_values (
	key           INTEGER PRIMARY KEY,
	store_id      BLOB    NOT NULL,
	attribute_key INTEGER NOT NULL,
	id            BLOB    NOT NULL,
	name          TEXT    NOT NULL,
	number        REAL,
	created_at    INTEGER NOT NULL,
	updated_at    INTEGER NOT NULL,
	FOREIGN KEY (store_id, attribute_key) REFERENCES attributes (store_id, key)
) STRICT;
CREATE UNIQUE INDEX attribute_values_id ON attribute_values (store_id, id);
CREATE UNIQUE INDEX attribute_values_order ON attribute_values (store_id, attribute_key, key);

CREATE TABLE products (
	key         INTEGER PRIMARY KEY,
	store_id    BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id          BLOB    NOT NULL,
	external_id TEXT    ,
	name        TEXT    NOT NULL,
	words       TEXT    NOT NULL,
	description TEXT    NOT NULL,
	version     INTEGER NOT NULL,
	archived_at INTEGER,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX products_id ON products (store_id, id);
CREATE UNIQUE INDEX products_key ON products (store_id, key);
CREATE UNIQUE INDEX products_external ON products (store_id, external_id);

-- combination is a digest of the option values of a variant, NULL without any. twin is 0, or the variant's own key where
-- deleting a value made its combination equal to another's: those are kept, all others must differ.
CREATE TABLE variants (
	key         INTEGER PRIMARY KEY,
	store_id    BLOB    NOT NULL,
	product_key INTEGER NOT NULL,
	id          BLOB    NOT NULL,
	external_id TEXT    ,
	name        TEXT    NOT NULL,
	sku         TEXT    NOT NULL,
	price       INTEGER NOT NULL,
	combination BLOB,
	twin        INTEGER NOT NULL,
	archived_at INTEGER,
	created_at  INTEGER NOT NULL,
	updated_at  INTEGER NOT NULL,
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE
) STRICT;
CREATE UNIQUE INDEX variants_id ON variants (store_id, id);
CREATE UNIQUE INDEX variants_key ON variants (store_id, key);
CREATE UNIQUE INDEX variants_product ON variants (store_id, product_key, key);
CREATE UNIQUE INDEX variants_external ON variants (store_id, product_key, external_id);
CREATE UNIQUE INDEX variants_combination ON variants (store_id, product_key, combination, twin)
	WHERE combination IS NOT NULL AND archived_at IS NULL;

CREATE TABLE variant_values (
	store_id      BLOB    NOT NULL,
	variant_key   INTEGER NOT NULL,
	attribute_key INTEGER NOT NULL,
	value_key     INTEGER NOT NULL,
	PRIMARY KEY (store_id, variant_key, attribute_key),
	FOREIGN KEY (store_id, variant_key) REFERENCES variants (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, attribute_key, value_key) REFERENCES attribute_values (store_id, attribute_key, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX variant_values_value ON variant_values (store_id, attribute_key, value_key);

CREATE TABLE product_values (
	store_id      BLOB    NOT NULL,
	product_key   INTEGER NOT NULL,
	attribute_key INTEGER NOT NULL,
	value_key     INTEGER NOT NULL,
	PRIMARY KEY (store_id, product_key, attribute_key, value_key),
	FOREIGN KEY (store_id, product_key) REFERENCES products (store_id, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, attribute_key, value_key) REFERENCES attribute_values (store_id, attribute_key, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX product_values_value ON product_values (store_id, attribute_key, value_key);
