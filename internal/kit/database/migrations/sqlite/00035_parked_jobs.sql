-- +goose Up
-- +compatible: older nodes do not use the tables; only the jobs that kill them are not parked.

-- Jobs that a node is running, and jobs that were running when a node died. A row is written before the job runs and
-- deleted with its result. died_at is when the node was found dead; alone says that only this job is blamed for it.
CREATE TABLE job_starts (
	job_key    INTEGER NOT NULL,
	node       BLOB NOT NULL,
	started_at INTEGER NOT NULL,
	died_at    INTEGER,
	alone      INTEGER NOT NULL,
	PRIMARY KEY (job_key, node)
) STRICT;

CREATE INDEX job_starts_node ON job_starts (node);

-- Nodes that died, rather than stopped, in the last day.
CREATE TABLE node_deaths (
	node    BLOB NOT NULL PRIMARY KEY,
	died_at INTEGER NOT NULL
) STRICT;

-- Jobs that are not tried any more, because too many nodes died while they ran them. owner is whose they are: a store.
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
