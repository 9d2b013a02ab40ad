package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const variantsWithValuesSQL = `
WITH r(attribute_key, value_key) AS (ROWS)
SELECT x.variant_key, x.attribute_key, x.value_key
FROM r
CROSS JOIN LOOKUP (variant_values x WHERE x.store_id = $1 AND x.attribute_key = r.attribute_key
	AND x.value_key = r.value_key)
LIMIT $2`

const variantsWithAttributeSQL = `
SELECT variant_key, attribute_key, value_key
FROM variant_values
WHERE store_id = $1
  AND attribute_key = $2
LIMIT $3`

const productsWithValuesSQL = `
WITH r(attribute_key, value_key) AS (ROWS)
SELECT x.product_key, x.attribute_key, x.value_key
FROM r
CROSS JOIN LOOKUP (product_values x WHERE x.store_id = $1 AND x.attribute_key = r.attribute_key
	AND x.value_key = r.value_key)
LIMIT $2`

const productsWithAttributeSQL = `
SELECT product_key, attribute_key, value_key
FROM product_values
WHERE store_id = $1
  AND attribute_key = $2
LIMIT $3`

// A materialized CTE has the store's id; see storeKeysSQL.
const deleteVariantValuesSQL = `
WITH r(variant_key, attribute_key, value_key) AS (ROWS), k(store_id, variant_key, attribute_key) AS MATERIALIZED (
	SELECT (SELECT s.id FROM stores s WHERE s.id = $1), r.variant_key, r.attribute_key
	FROM r)
DELETE FROM variant_values
WHERE (store_id, variant_key, attribute_key) IN (SELECT store_id, variant_key, attribute_key FROM k)`

// ownersOfValues returns some of the owners of values. It may return more than limit, which applies to each statement
// that the batch is split into.
func (c *ValueCascade) ownersOfValues(
	ctx context.Context, values []ValueKeys, limit int,
) (found []ownedValue, err error) {
	sql := variantsWithValuesSQL
	if c.Kind == Feature {
		sql = productsWithValuesSQL
	}
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, v := range values {
		batch.Add(v.Attribute, v.Value)
	}
	err = c.Tx.QueryRows(ctx, sql, batch, database.AppendScanned(&found, scanOwnedValue), limit)
	return found, err
}

// ownersOfAttribute returns at most limit owners of values of an attribute.
func (c *ValueCascade) ownersOfAttribute(
	ctx context.Context, attributeKey int64, limit int,
) (found []ownedValue, err error) {
	sql := variantsWithAttributeSQL
	if c.Kind == Feature {
		sql = productsWithAttributeSQL
	}
	err = database.QueryEach(ctx, c.Tx, sql, []any{attributeKey, limit},
		database.AppendScanned(&found, scanOwnedValue))
	return found, err
}

func scanOwnedValue(rows database.Rows) (v ownedValue, err error) {
	err = rows.Scan(&v.owner, &v.Attribute, &v.Value)
	return v, err
}

// deleteVariantValues removes options from variants.
func deleteVariantValues(ctx context.Context, tx store.Tx, values []ownedValue) error {
	return database.ExecRows(ctx, tx, deleteVariantValuesSQL, ownedValueBatch(values))
}
