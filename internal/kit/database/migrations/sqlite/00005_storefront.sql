-- +goose Up
-- How a store guards its public operations. secret is sealed; actions is JSON.
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

-- login_email (folded) and login_phone are what a code has proven: people sign in with these. email and phone are what customers say of themselves.
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
	updated_at   INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX customers_id ON customers (store_id, id);
CREATE UNIQUE INDEX customers_key ON customers (store_id, key);
CREATE UNIQUE INDEX customers_login_email ON customers (store_id, login_email) WHERE login_email IS NOT NULL;
CREATE UNIQUE INDEX customers_login_phone ON customers (store_id, login_phone) WHERE login_phone IS NOT NULL;

-- Codes that were asked for. code is an HMAC whose key is not in the database; person is a folded address or a phone number.
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
	PRIMARY KEY (store_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX login_requests_live ON login_requests (store_id, person) WHERE ended_at IS NULL;
CREATE INDEX login_requests_person ON login_requests (store_id, person, created_at);
CREATE INDEX login_requests_age ON login_requests (created_at);

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

-- A cart is an order in state draft; number is NULL until it is submitted. token is the SHA-256 of what a guest reaches it by.
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
	FOREIGN KEY (store_id, customer_key) REFERENCES customers (store_id, key)
) STRICT;
CREATE UNIQUE INDEX orders_id ON orders (store_id, id);
CREATE UNIQUE INDEX orders_key ON orders (store_id, key);
CREATE UNIQUE INDEX orders_number ON orders (store_id, number) WHERE number IS NOT NULL;
CREATE INDEX orders_state ON orders (store_id, state, key);
CREATE INDEX orders_customer ON orders (store_id, customer_key, key) WHERE customer_key IS NOT NULL;
CREATE INDEX orders_drafts ON orders (updated_at) WHERE state = 'draft';

CREATE TABLE order_numbers (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	last     INTEGER NOT NULL
) STRICT;

-- What stands in an order. Name, sku, options (JSON) and price are those of the catalogue until the order is submitted, and then frozen. The
-- variant may be gone by then, so it is no foreign key.
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

-- extra is JSON: the members of a request that nobody here knows.
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
	created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX feedback_id ON feedback (store_id, id);
CREATE INDEX feedback_age ON feedback (store_id, created_at, key);

CREATE TABLE callbacks (
	key            INTEGER PRIMARY KEY,
	store_id       BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	id             BLOB NOT NULL,
	name           TEXT NOT NULL,
	phone          TEXT NOT NULL,
	comment        TEXT NOT NULL,
	preferred_time TEXT NOT NULL,
	words          TEXT NOT NULL,
	created_at     INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX callbacks_id ON callbacks (store_id, id);
CREATE INDEX callbacks_age ON callbacks (store_id, created_at, key);

-- What happened, to be told to others. sequence grows by one a store, in the order of the commits.
CREATE TABLE event_sequences (
	store_id BLOB NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	last     INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	sequence   INTEGER NOT NULL,
	id         BLOB NOT NULL,
	type       TEXT NOT NULL,
	payload    BLOB NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (store_id, sequence)
) STRICT;
CREATE UNIQUE INDEX events_id ON events (store_id, id);

-- Mail of a program that has no SMTP server; text is sealed, since it may hold a login code.
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
