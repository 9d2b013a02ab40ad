-- +goose Up
-- Background work that waits or is under way. attempts are those that failed; again says whether there are any. asked counts how often
-- the job was added: it changes while the job runs if somebody wants it to run once more. A key is never given twice: whoever has
-- completed a job may say so a second time.
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

-- The processes that work, each with the time until which the others believe that it lives.
CREATE TABLE nodes (
	id          BLOB NOT NULL PRIMARY KEY,
	lease_until INTEGER NOT NULL
) STRICT;

-- Who works on a lane. A lane without a row, or with the row of a node that is gone, is nobody's.
CREATE TABLE lanes (
	kind  TEXT NOT NULL,
	lane  TEXT NOT NULL,
	node  BLOB NOT NULL,
	epoch INTEGER NOT NULL,
	PRIMARY KEY (kind, lane)
) STRICT, WITHOUT ROWID;
CREATE INDEX lanes_node ON lanes (node);
