-- +goose Up
-- +compatible: older nodes do not use the columns and the tables; they leave the defaults.

-- The forms of the paths of the site, with the placeholders {slug} and {path}.
ALTER TABLE stores ADD COLUMN product_path TEXT NOT NULL DEFAULT '/p/{slug}';
ALTER TABLE stores ADD COLUMN category_path TEXT NOT NULL DEFAULT '/c/{path}';

-- Earlier forms of the paths of products and categories, which redirect.
CREATE TABLE former_paths (
	store_id BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	kind     TEXT NOT NULL,
	pattern  TEXT NOT NULL,
	ended_at INTEGER NOT NULL,
	PRIMARY KEY (store_id, kind, pattern)
) STRICT, WITHOUT ROWID;

-- The store's own redirects, by the path they begin at. to_path is where a redirect leads, a path or a URL; to_key is
-- its path as from_path would have it, or '' if no redirect can begin there. A redirect may lead to another one: target
-- and target_key are those of the last redirect of the chain.
CREATE TABLE redirects (
	store_id   BLOB NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	from_path  TEXT NOT NULL,
	id         BLOB NOT NULL,
	to_path    TEXT NOT NULL,
	to_key     TEXT NOT NULL,
	target     TEXT NOT NULL,
	target_key TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (store_id, from_path)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX redirects_id ON redirects (store_id, id);
CREATE INDEX redirects_to ON redirects (store_id, to_key, from_path);
CREATE INDEX redirects_target ON redirects (store_id, target_key, from_path);

-- The number of redirects of a store, and a random number that is another one after each change of them.
CREATE TABLE redirect_versions (
	store_id  BLOB PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	redirects INTEGER NOT NULL,
	stamp     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
