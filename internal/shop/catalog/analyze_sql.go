package catalog

import (
	"context"
	"sync/atomic"

	"vitrine/internal/kit/database"
)

// reltuples is the row count estimated by the last ANALYZE, or -1 before the first ANALYZE.
const estimatedProductsSQL = `
SELECT CAST(reltuples AS BIGINT)
FROM pg_class
WHERE oid = to_regclass('products')`

// SKIP_LOCKED: a long transaction, such as an atomic push, keeps the lock of its ANALYZE until its commit. Writes of
// other stores must not wait for it.
const analyzeProductsSQL = `
ANALYZE (SKIP_LOCKED) products, variants, product_values, variant_values, product_categories, remainders, images,
	image_sources`

// Without ANALYZE, PostgreSQL's statistics are stale after an edit has added many values, and the next edit would scan
// all of them for each chunk. See docs/planner.md.
const analyzeValuesSQL = `
ANALYZE (SKIP_LOCKED) attribute_values`

// minAnalyzeValues is the number of written values from which on an edit runs ANALYZE. ANALYZE takes about as long as
// writing that many values.
const minAnalyzeValues = 10_000

// AnalyzeValues runs ANALYZE on attribute_values if at least minAnalyzeValues values were written. The lock of ANALYZE,
// which only blocks another ANALYZE, is held until the commit, so a transaction calls AnalyzeValues near its end.
func AnalyzeValues(ctx context.Context, q database.Querier, written int64) error {
	if written < minAnalyzeValues || q.Dialect().Engine != database.Postgres {
		return nil
	}
	return database.Exec(ctx, q, analyzeValuesSQL)
}

// minAnalyzeProducts is the number of written products at which PostgreSQL's row estimate is first checked.
const minAnalyzeProducts = 200

// productAnalyzer runs ANALYZE on the product tables while they grow, since autovacuum would do so up to a minute too
// late (see docs/planner.md). It runs ANALYZE only if more products were written since the start of the process than
// PostgreSQL estimates the table to have. From one check to the next, the number of written products at least doubles,
// so ANALYZE adds little to the cost of the writes. A restart with a full catalogue runs no ANALYZE.
type productAnalyzer struct {
	written atomic.Int64 // products, since the start of the process
	next    atomic.Int64 // the value of written at which the estimate is checked next; at least doubles each time
}

// ProductsWritten counts written products and runs ANALYZE when it is due. A transaction that is retried counts its
// products again; the count need not be exact.
func (p *productAnalyzer) ProductsWritten(ctx context.Context, q database.Querier, products int64) error {
	written := p.written.Add(products)
	next := p.next.Load()
	if written < max(minAnalyzeProducts, next) || q.Dialect().Engine != database.Postgres ||
		!p.next.CompareAndSwap(next, 2*written) {
		return nil
	}
	var estimated int64
	if err := database.QueryRow(ctx, q, estimatedProductsSQL, nil, &estimated); err != nil {
		return err
	}
	if estimated >= written {
		p.next.CompareAndSwap(2*written, 2*estimated)
		return nil
	}
	return database.Exec(ctx, q, analyzeProductsSQL)
}
