package catalog

import (
	"context"
	"sync/atomic"

	"vitrine/internal/kit/database"
)

// minAnalyzeProducts is after how many written products it is first asked whether PostgreSQL has counted its tables.
const minAnalyzeProducts = 200

// statistics makes PostgreSQL count the tables of products as they grow. It plans by what it last counted, and by itself counts only up to a
// minute later: until then it would take thousands of rows for a handful, and hold each against each. It counts when more was written
// since the start than it knows of, so the cost of counting stays a small part, and a restart beside a full catalogue costs none.
type statistics struct {
	written atomic.Int64 // since the start
	next    atomic.Int64 // at how many written products PostgreSQL is asked next; at least doubles each time
}

// productsWritten notes that products were written. It may be called again for the same ones when a transaction is repeated: it is about how many.
func (p *statistics) productsWritten(ctx context.Context, q database.Querier, products int64) error {
	written, next := p.written.Add(products), p.next.Load()
	if written < max(minAnalyzeProducts, next) || q.Dialect().Engine != database.Postgres || !p.next.CompareAndSwap(next, 2*written) {
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

// minAnalyzeValues is from how many written values on PostgreSQL is made to count again: counting takes about as long as writing so many.
const minAnalyzeValues = 10_000
