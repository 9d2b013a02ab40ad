-- +goose Up
-- A file that an operator uploaded. Its dry run keeps the body until kept_until, so that another run can apply it: body_key of that run is the
-- key of the dry run. operator_id is who uploaded or applied it.
ALTER TABLE exchange_runs ADD COLUMN operator_id UUID;
ALTER TABLE exchange_runs ADD COLUMN file_name TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE exchange_runs ADD COLUMN kept_until BIGINT;
ALTER TABLE exchange_runs ADD COLUMN body_key BIGINT;
CREATE UNIQUE INDEX exchange_runs_body ON exchange_runs (store_id, body_key) WHERE body_key IS NOT NULL;
-- The pushes that failed as a whole or in part.
CREATE INDEX exchange_runs_failed ON exchange_runs (store_id, key, created_at) WHERE (status = 'failed' OR failed > 0) AND dry_run = FALSE;

-- The attempts of each receiver by hour, which is in hours since 1970. There is no foreign key: an attempt may end after its receiver was deleted.
CREATE TABLE attempt_hours (
	store_id     UUID NOT NULL,
	hour         BIGINT NOT NULL,
	receiver_key BIGINT NOT NULL,
	delivered    BIGINT NOT NULL,
	failed       BIGINT NOT NULL,
	PRIMARY KEY (store_id, hour, receiver_key)
);
CREATE INDEX attempt_hours_age ON attempt_hours (hour);
-- The held and dead deliveries of all receivers of a store.
CREATE INDEX deliveries_stranded_store ON deliveries (store_id, key) WHERE stranded = TRUE;

-- How often something happened in a store on a day, such as a refused captcha. The day is in days since 1970, in the store's timezone.
CREATE TABLE daily_counts (
	store_id UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	name     TEXT COLLATE "C" NOT NULL,
	day      BIGINT NOT NULL,
	count    BIGINT NOT NULL,
	PRIMARY KEY (store_id, name, day)
);
