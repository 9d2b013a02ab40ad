package catalog

// WHERE TRUE tells SQLite that the ON is none of a join.
const insertValuesIfFreeSQL = insertValuesSQL + `
WHERE TRUE
ON CONFLICT (store_id, attribute_key, external_id) WHERE external_id IS NOT NULL DO NOTHING
RETURNING id`

// That there is an external id is said for the planner's sake: the index has only those.
const takenValueExternalIDsSQL = `
WITH r(external_id) AS (ROWS)
SELECT r.external_id
FROM r
WHERE (
	SELECT v.key FROM attribute_values v
	WHERE v.store_id = $1 AND v.attribute_key + 0 = $2 AND v.external_id = r.external_id AND v.external_id IS NOT NULL) IS NOT NULL`

const clearValueExternalIDsSQL = `
WITH r(key) AS (ROWS)
UPDATE attribute_values
SET external_id = NULL
WHERE key IN (SELECT (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) FROM r)`

const setValueExternalIDsSQL = `
WITH r(key, external_id) AS (ROWS)
UPDATE attribute_values
SET external_id = f.external_id
FROM (
	SELECT r.external_id, (SELECT v.key FROM attribute_values v WHERE v.store_id = $1 AND v.key = r.key) AS key
	FROM r) AS f
WHERE attribute_values.key = f.key`
