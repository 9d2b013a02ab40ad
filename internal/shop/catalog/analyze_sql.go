package catalog

import (
	"context"

	"vitrine/internal/kit/database"
)

// As of the last count; -1 before the first.
const estimatedProductsSQL = `
SELECT CAST(reltuples AS BIGINT)
FROM pg_class
WHERE oid = to_regclass('products')`

const analyzeProductsSQL = `
ANALYZE products, variants, product_values, variant_values, product_categories, remainders, images, image_sources`

// PostgreSQL plans by what it last counted. Until it counts by itself, up to a minute later, it would take a list that just grew to a million
// for a handful, and walk all of it for every piece of the next edit.
const analyzeValuesSQL = `
ANALYZE attribute_values`

// analyzeValues refreshes what PostgreSQL plans by after many values were written. It is the last but one thing of a transaction, since it holds
// a lock that only another counting waits for.
func analyzeValues(ctx context.Context, q database.Querier, written int64) error {
	if written < minAnalyzeValues || q.Dialect().Engine != database.Postgres {
		return nil
	}
	_, err := q.Exec(ctx, analyzeValuesSQL)
	return err
}

// estimatedProducts returns how many products PostgreSQL counted last.
func estimatedProducts(ctx context.Context, q database.Querier) (n int64, err error) {
	err = database.QueryRow(ctx, q, estimatedProductsSQL, nil, &n)
	return n, err
}

// analyzeProducts has PostgreSQL renew its statistics of products and what belongs to them.
func analyzeProducts(ctx context.Context, q database.Querier) error {
	_, err := q.Exec(ctx, analyzeProductsSQL)
	return err
}
