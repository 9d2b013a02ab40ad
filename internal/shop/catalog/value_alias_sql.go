package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// An alias is an external id of a value that was merged into another one. A push that names it means the value that
// stays. A value that has the external id itself comes first, so aliases are looked up only for ids that no value has.

// The value that an alias means may be hidden by a deletion.
const aliasesSQL = `
WITH r(n, attribute_key, external_id) AS (ROWS)
SELECT r.n, v.key, v.id
FROM r
CROSS JOIN LOOKUP (value_aliases x WHERE x.store_id = $1 AND x.attribute_key = r.attribute_key
	AND x.external_id = r.external_id)
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.key = x.value_key AND v.deleted_at IS NULL)`

const anyAliasesSQL = `
SELECT COUNT(*)
FROM (SELECT 1 FROM value_aliases WHERE store_id = $1 LIMIT 1) AS any_of_them`

const addAliasesSQL = `
WITH r(key) AS (ROWS)
INSERT INTO value_aliases (store_id, attribute_key, external_id, value_key)
SELECT $1, v.attribute_key, v.external_id, $2
FROM r
CROSS JOIN attribute_values v
WHERE (v.store_id = $1) IS TRUE
  AND v.key = r.key
  AND v.external_id IS NOT NULL
ON CONFLICT (store_id, attribute_key, external_id) DO UPDATE
SET value_key = excluded.value_key`

const putAliasesSQL = `
WITH r(attribute_key, external_id, value_key) AS (ROWS)
INSERT INTO value_aliases (store_id, attribute_key, external_id, value_key)
SELECT $1, r.attribute_key, r.external_id, r.value_key
FROM r
WHERE TRUE
ON CONFLICT (store_id, attribute_key, external_id) DO UPDATE
SET value_key = excluded.value_key`

const redirectAliasesSQL = `
WITH r(key) AS (ROWS)
UPDATE value_aliases
SET value_key = $3
WHERE store_id = $1
  AND attribute_key = $2
  AND value_key IN (SELECT key FROM r)`

const clearExternalIDsSQL = `
WITH r(key) AS (ROWS)
UPDATE attribute_values
SET external_id = NULL
WHERE (store_id = $1) IS TRUE
  AND key IN (SELECT key FROM r)`

const dropAliasesSQL = `
WITH r(attribute_key, external_id) AS (ROWS), k(store_id, attribute_key, external_id) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.attribute_key, r.external_id
	FROM r)
DELETE FROM value_aliases
WHERE (store_id, attribute_key, external_id) IN (SELECT store_id, attribute_key, external_id FROM k)`

// replaceByAliases turns the external ids of values, and their aliases, into aliases of the value that they are merged
// into. Merges into one of them go to that value, too.
func replaceByAliases(ctx context.Context, tx store.Tx, attributeKey int64, from []int64, into int64) error {
	if err := write.ExecByKey(ctx, tx, redirectAliasesSQL, from, attributeKey, into); err != nil {
		return err
	}
	if err := write.ExecByKey(ctx, tx, redirectMergesSQL, from, attributeKey, into); err != nil {
		return err
	}
	if err := write.ExecByKey(ctx, tx, addAliasesSQL, from, into); err != nil {
		return err
	}
	return write.ExecByKey(ctx, tx, clearExternalIDsSQL, from)
}

// PutAliases makes external ids aliases of values. The batch has the keys of attributes, distinct external ids of them
// that no value has, and the keys of values.
func PutAliases(ctx context.Context, tx store.Tx, aliases *database.Batch) error {
	return write.ExecAll(ctx, tx, write.Statement{SQL: putAliasesSQL, Batch: aliases})
}

// AliasedValues looks up the values that aliases mean. The batch has an index, an attribute's key and an external id.
// It calls fn for those that exist.
func AliasedValues(
	ctx context.Context, tx store.Tx, aliases *database.Batch, fn func(n int, key int64, valueID ValueID),
) error {
	return tx.QueryRows(ctx, aliasesSQL, aliases, write.EachTriple(fn))
}

// HasAliases reports whether the store has aliases. A push of very many new values looks none up otherwise.
func HasAliases(ctx context.Context, tx store.Tx) (bool, error) {
	var n int64
	err := database.QueryRow(ctx, tx, anyAliasesSQL, nil, &n)
	return n > 0, err
}

// DropAliases deletes aliases. The batch has attributes' keys and external ids.
func DropAliases(ctx context.Context, tx store.Tx, aliases *database.Batch) error {
	return database.ExecRows(ctx, tx, dropAliasesSQL, aliases)
}
