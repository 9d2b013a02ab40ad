package catalog

import (
	"context"
	"sync/atomic"

	"vitrine/internal/kit/database"
)

// minAnalyzeProducts is the number of written products after which PostgreSQL's row estimate is checked first.
const minAnalyzeProducts = 200

// analyzer runs ANALYZE on the product tables while they grow, since autovacuum would do so up to a minute too late
// (see docs/planner.md). It runs ANALYZE only when more products were written since the start of the process than
// PostgreSQL's estimate knows of. The threshold doubles each time, so ANALYZE stays a small part of the writes' cost,
// and a restart with a full catalogue runs none.
type analyzer struct {
	written atomic.Int64 // products, since the start of the process
	next    atomic.Int64 // the count at which the estimate is checked next; at least doubles each time
}

// productsWritten counts written products and runs ANALYZE when it is due. A transaction that is retried counts its
// products again; the count need not be exact.
func (p *analyzer) productsWritten(ctx context.Context, q database.Querier, products int64) error {
	written, next := p.written.Add(products), p.next.Load()
	if written < max(minAnalyzeProducts, next) || q.Dialect().Engine != database.Postgres ||
		!p.next.CompareAndSwap(next, 2*written) {
		return nil
	}
	estimated, err := estimatedProducts(ctx, q)
	if err != nil {
		return err
	}
	if estimated >= written {
		p.next.CompareAndSwap(2*written, 2*estimated)
		return nil
	}
	return analyzeProducts(ctx, q)
}

// minAnalyzeValues is the number of values written by one edit from which on the edit runs ANALYZE: ANALYZE takes about
// as long as writing that many.
const minAnalyzeValues = 10_000
