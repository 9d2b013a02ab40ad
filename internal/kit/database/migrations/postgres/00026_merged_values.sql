-- +goose Up
-- External ids of values that were merged into another value of the same attribute. A push that names one means the value that stays.
CREATE TABLE value_aliases (
	store_id      UUID NOT NULL,
	attribute_key BIGINT NOT NULL,
	external_id   TEXT COLLATE "C" NOT NULL,
	value_key     BIGINT NOT NULL,
	PRIMARY KEY (store_id, attribute_key, external_id),
	FOREIGN KEY (store_id, attribute_key, value_key) REFERENCES attribute_values (store_id, attribute_key, key) ON DELETE CASCADE
);
CREATE INDEX value_aliases_value ON value_aliases (store_id, attribute_key, value_key);

-- Values that very many products or variants have and that are being merged. These move to the value that stays in short transactions, and
-- then the merged value is deleted.
CREATE TABLE value_merges (
	store_id      UUID NOT NULL,
	attribute_key BIGINT NOT NULL,
	value_key     BIGINT NOT NULL,
	into_key      BIGINT NOT NULL,
	PRIMARY KEY (store_id, attribute_key, value_key),
	FOREIGN KEY (store_id, attribute_key, value_key) REFERENCES attribute_values (store_id, attribute_key, key) ON DELETE CASCADE,
	FOREIGN KEY (store_id, attribute_key, into_key) REFERENCES attribute_values (store_id, attribute_key, key) ON DELETE CASCADE
);
CREATE INDEX value_merges_into ON value_merges (store_id, attribute_key, into_key);
