-- +goose Up
-- Which state a version of a store's attributes or categories is. After a restore, or a failover that lost commits, the database gets to the
-- same versions by other changes, which have other stamps. Only the last versions are kept.
CREATE TABLE version_stamps (
	store_id UUID NOT NULL REFERENCES stores (id) ON DELETE CASCADE,
	part     TEXT COLLATE "C" NOT NULL,
	version  BIGINT NOT NULL,
	stamp    BIGINT NOT NULL,
	PRIMARY KEY (store_id, part, version)
);
INSERT INTO version_stamps (store_id, part, version, stamp)
SELECT store_id, 'attributes', version, (RANDOM() * 9e15)::BIGINT FROM attribute_versions;
INSERT INTO version_stamps (store_id, part, version, stamp)
SELECT store_id, 'categories', categories, (RANDOM() * 9e15)::BIGINT FROM catalog_versions;
