-- +goose Up
-- +compatible: older nodes do not use the tables; only the jobs that kill them are not parked.

-- Jobs that a node is running, and jobs that were running when a node died. A row is written before the job runs and
-- deleted with its result. died_at is when the node was found dead; alone says that only this job is blamed for it.
CREATE TABLE job_starts (
	job_key    bigint NOT NULL,
	node       uuid NOT NULL,
	started_at bigint NOT NULL,
	died_at    bigint,
	alone      boolean NOT NULL,
	PRIMARY KEY (job_key, node)
);

CREATE INDEX job_starts_node ON job_starts (node);

-- Nodes that died, rather than stopped, in the last day.
CREATE TABLE node_deaths (
	node    uuid NOT NULL PRIMARY KEY,
	died_at bigint NOT NULL
);

-- Jobs that are not tried any more, because too many nodes died while they ran them. owner is whose they are: a store.
CREATE TABLE parked_jobs (
	key         bigint NOT NULL,
	kind        text COLLATE "C" NOT NULL,
	lane        text COLLATE "C" NOT NULL,
	unique_name text COLLATE "C",
	payload     bytea NOT NULL,
	asked       bigint NOT NULL,
	created_at  bigint NOT NULL,
	owner       text COLLATE "C" NOT NULL,
	deaths      bigint NOT NULL,
	parked_at   bigint NOT NULL,
	PRIMARY KEY (key, owner)
);

CREATE UNIQUE INDEX parked_jobs_unique ON parked_jobs (kind, unique_name) WHERE unique_name IS NOT NULL;
CREATE INDEX parked_jobs_lane ON parked_jobs (kind, lane);
