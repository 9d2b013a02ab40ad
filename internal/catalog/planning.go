package catalog

import (
	"context"
	"sync/atomic"

	"vitrine/internal/database"
)

// planFrom is after how many written products PostgreSQL counts its tables for the first time.
const planFrom = 200

// planning makes PostgreSQL count the tables of products as they grow. It plans by what it last counted, and by itself counts only up to a
// minute later: until then it would take thousands of rows for a handful, and hold each against each. It counts whenever as much was
// written as ever before, so the cost of counting stays a small part.
type planning struct {
	written atomic.Int64 // since the start
	next    atomic.Int64 // at how many written products the tables are counted next
}

// wrote notes that products were written. It may be called again for the same ones when a transaction is repeated: it is about how many.
func (p *planning) wrote(ctx context.Context, q database.Querier, products int64) error {
	written, next := p.written.Add(products), p.next.Load()
	if written < max(planFrom, next) || q.Dialect().Engine != database.Postgres || !p.next.CompareAndSwap(next, 2*written) {
		return nil
	}
	_, err := q.Exec(ctx, countProductsAgainSQL)
	return err
}
