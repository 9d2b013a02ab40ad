package catalog

import (
	"context"

	"vitrine/internal/kit/database"
)

// reltuples is the row count estimated by the last ANALYZE, or -1 before the first.
const estimatedProductsSQL = `
SELECT CAST(reltuples AS BIGINT)
FROM pg_class
WHERE oid = to_regclass('products')`

const analyzeProductsSQL = `
ANALYZE products, variants, product_values, variant_values, product_categories, remainders, images, image_sources`

// Without ANALYZE, PostgreSQL's statistics are stale after an edit has added many values, and the next edit would scan
// all of them for each chunk. See docs/planner.md.
const analyzeValuesSQL = `
ANALYZE attribute_values`

// analyzeValues runs ANALYZE on the table of values if enough values were written. ANALYZE locks the table until the
// commit, which only blocks another ANALYZE. The transaction therefore runs it near its end.
func analyzeValues(ctx context.Context, q database.Querier, written int64) error {
	if written < minAnalyzeValues || q.Dialect().Engine != database.Postgres {
		return nil
	}
	_, err := q.Exec(ctx, analyzeValuesSQL)
	return err
}

// estimatedProducts returns PostgreSQL's estimate of the number of products.
func estimatedProducts(ctx context.Context, q database.Querier) (n int64, err error) {
	err = database.QueryRow(ctx, q, estimatedProductsSQL, nil, &n)
	return n, err
}

// analyzeProducts runs ANALYZE on the tables of products and of everything that belongs to a product.
func analyzeProducts(ctx context.Context, q database.Querier) error {
	_, err := q.Exec(ctx, analyzeProductsSQL)
	return err
}
