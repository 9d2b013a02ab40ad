package catalog

import (
	"context"

	"vitrine/internal/kit/database"
)

// As of the last count; -1 before the first.
const countedProductsSQL = `
SELECT CAST(reltuples AS BIGINT)
FROM pg_class
WHERE oid = to_regclass('products')`

const countProductsAgainSQL = `
ANALYZE products, variants, product_values, variant_values, product_categories, remainders, images, image_sources`

// PostgreSQL plans by what it last counted. Until it counts by itself, up to a minute later, it would take a list that just grew to a million
// for a handful, and walk all of it for every piece of the next edit.
const countAgainSQL = `
ANALYZE attribute_values`

// countAgain refreshes what PostgreSQL plans by after many values were written. It is the last but one thing of a transaction, since it holds
// a lock that only another counting waits for.
func countAgain(ctx context.Context, q database.Querier, written int64) error {
	if written < countFrom || q.Dialect().Engine != database.Postgres {
		return nil
	}
	_, err := q.Exec(ctx, countAgainSQL)
	return err
}
