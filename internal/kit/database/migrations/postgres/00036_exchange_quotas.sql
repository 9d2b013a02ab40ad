-- +goose Up
-- Not compatible with older nodes: they would send packed items of exchange_rejects as they are stored.

-- imported says that a file of the session was given to the import. Until then its files have a smaller part of the room
-- that all stores share.
ALTER TABLE commerceml_sessions ADD COLUMN imported BOOLEAN NOT NULL DEFAULT FALSE;

UPDATE commerceml_sessions
SET imported = TRUE
WHERE EXISTS (
	SELECT 1
	FROM commerceml_files f
	WHERE f.store_id = commerceml_sessions.store_id
	  AND f.session_key = commerceml_sessions.key
	  AND f.state <> 'received');

CREATE INDEX commerceml_sessions_waiting ON commerceml_sessions (store_id, spooled_bytes) WHERE spooled_bytes > 0 AND NOT imported;

-- Pictures of packages of 1C that products have. Others need not be remembered when their package is gone.
CREATE INDEX image_sources_package ON image_sources (store_id, url) WHERE url >= 'commerceml:' AND url < 'commerceml;';

-- What pushes leave behind: failed items, and what dry runs would change. packed says that an item is compressed.
-- kept_bytes of a run is what is counted of it, exchange_kept has the sum of a store. Both count from this version on.
ALTER TABLE exchange_rejects ADD COLUMN packed BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE exchange_runs ADD COLUMN kept_bytes BIGINT NOT NULL DEFAULT 0;

CREATE TABLE exchange_kept (
	store_id UUID   NOT NULL PRIMARY KEY REFERENCES stores (id) ON DELETE CASCADE,
	bytes    BIGINT NOT NULL
);

-- Programs before this one cannot use the database.
UPDATE schema_compatibility SET oldest_program = 36;
