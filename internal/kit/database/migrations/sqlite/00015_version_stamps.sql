-- +goose Up
-- Which state a version of a store's attributes or categories is. After a restore, or a failover that lost commits, the database gets to the
-- same versions by other changes, which have other stamps. Only the last versions are kept.
CREATE TABLE version_stamps (
	store_id BLOB    NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	part     TEXT    NOT NULL,
	version  INTEGER NOT NULL,
	stamp    INTEGER NOT NULL,
	PRIMARY KEY (store_id, part, version)
) STRICT, WITHOUT ROWID;
INSERT INTO version_stamps (store_id, part, version, stamp)
SELECT store_id, 'attributes', version, RANDOM() FROM attribute_versions;
INSERT INTO version_stamps (store_id, part, version, stamp)
SELECT store_id, 'categories', categories, RANDOM() FROM catalog_versions;
