package catalog

import (
	"context"

	"vitrine/internal/kit/database"
)

const variantsWithValuesSQL = `
WITH r(attribute_key, value_key) AS (ROWS)
SELECT x.variant_key, x.attribute_key, x.value_key
FROM r
CROSS JOIN variant_values x
WHERE x.store_id = $1
  AND x.attribute_key = r.attribute_key
  AND x.value_key = r.value_key
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
CROSS JOIN product_values x
WHERE x.store_id = $1
  AND x.attribute_key = r.attribute_key
  AND x.value_key = r.value_key
LIMIT $2`

const productsWithAttributeSQL = `
SELECT product_key, attribute_key, value_key
FROM product_values
WHERE store_id = $1
  AND attribute_key = $2
LIMIT $3`

const deleteVariantValuesSQL = `
WITH r(variant_key, attribute_key, value_key) AS (ROWS)
DELETE FROM variant_values
WHERE store_id = $1
  AND (variant_key, attribute_key) IN (SELECT variant_key, attribute_key FROM r)`

// carriers returns owners of values; at most about pieceSize of them.
func (c *cascade) carriers(ctx context.Context, values []link) (found []carriedLink, err error) {
	sql := variantsWithValuesSQL
	if c.kind == Feature {
		sql = productsWithValuesSQL
	}
	batch := database.NewBatch(database.BigInt, database.BigInt)
	for _, v := range values {
		batch.Add(v.attribute, v.value)
	}
	err = c.q.QueryRows(ctx, sql, batch, scanLinks(&found), c.storeID, pieceSize)
	return found, err
}

// carriersOf returns owners of any values of an attribute; at most pieceSize of them.
func (c *cascade) carriersOf(ctx context.Context, attributeKey int64) (found []carriedLink, err error) {
	sql := variantsWithAttributeSQL
	if c.kind == Feature {
		sql = productsWithAttributeSQL
	}
	err = database.Each(ctx, c.q, sql, []any{c.storeID, attributeKey, pieceSize}, scanLinks(&found))
	return found, err
}

func scanLinks(list *[]carriedLink) func(database.Rows) error {
	return func(rows database.Rows) error {
		var l carriedLink
		err := rows.Scan(&l.owner, &l.attribute, &l.value)
		*list = append(*list, l)
		return err
	}
}
