-- +goose Up
-- A file that an operator uploaded. Its dry run keeps the body until kept_until, so that another run can apply it: body_key of that run is the
-- key of the dry run. operator_id is who uploaded or applied it.
ALTER TABLE exchange_runs ADD COLUMN operator_id BLOB;
ALTER TABLE exchange_runs ADD COLUMN file_name TEXT NOT NULL DEFAULT '';
ALTER TABLE exchange_runs ADD COLUMN kept_until INTEGER;
ALTER TABLE exchange_runs ADD COLUMN body_key INTEGER;
CREATE UNIQUE INDEX exchange_runs_body ON exchange_runs (store_id, body_key) WHERE body_key IS NOT NULL;
-- The pushes that failed as a whole or in part.
CREATE INDEX exchange_runs_failed ON exchange_runs (store_id, key, created_at) WHERE (status = 'failed' OR failed > 0) AND dry_run = FALSE;

-- The attempts of each receiver by hour, which is in hours since 1970. There is no foreign key: an attempt may end after its receiver was deleted.
CREATE TABLE attempt_hours (
	store_id     BLOB    NOT NULL,
	hour         INTEGER NOT NULL,
	receiver_key INTEGER NOT NULL,
	delivered    INTEGER NOT NULL,
	failed       INTEGER NOT NULL,
	PRIMARY KEY (store_id, hour, receiver_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempt_hours_age ON attempt_hours (hour);
-- The held and dead deliveries of all receivers of a store.
CREATE INDEX deliveries_stranded_store ON deliveries (store_id, key) WHERE stranded = TRUE;

-- How often something happened in a store on a day, such as a refused captcha. The day is in days since 1970, in the store's timezone.
CREATE TABLE daily_counts (
	store_id BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	name     TEXT    NOT NULL,
	day      INTEGER NOT NULL,
	count    INTEGER NOT NULL,
	PRIMARY KEY (store_id, name, day)
) STRICT, WITHOUT ROWID;
