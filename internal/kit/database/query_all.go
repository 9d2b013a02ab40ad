package database

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// BatchQuery is a query over the rows of a batch, for QueryAll. Each is called for every row of the result.
type BatchQuery struct {
	SQL   string
	Batch *Batch
	Args  []any
	Each  func(Rows) error
}

// QueryAll runs the queries one after the other.
func (c *sqliteConn) QueryAll(ctx context.Context, queries ...BatchQuery) error {
	for _, q := range queries {
		if err := c.QueryRows(ctx, q.SQL, q.Batch, q.Each, q.Args...); err != nil {
			return err
		}
	}
	return nil
}

// QueryAll sends all queries at once, so that they take one round trip. A batch of more than rowsPerArray rows takes
// several queries.
func (p postgresQuerier) QueryAll(ctx context.Context, queries ...BatchQuery) error {
	var pipeline pgx.Batch
	var sent []BatchQuery
	for _, q := range queries {
		text := toPostgresLookups(q.Batch.expandUnnest(q.SQL, len(q.Args)))
		for from := 0; from < q.Batch.Len(); from += rowsPerArray {
			all, err := q.Batch.arrayArgs(q.Args, from)
			if err != nil {
				return err
			}
			pipeline.Queue(text, all...)
			sent = append(sent, q)
		}
	}

	if len(sent) == 0 {
		return nil
	}

	results, err := p.sendLater(ctx, &pipeline)
	if err != nil {
		return err
	}

	for _, q := range sent {
		rows, err := results.Query() //nolint:sqlclosecheck // scanAll closes them
		if err == nil {
			err = scanAll(rows, q.Each)
		}
		if err != nil {
			_ = results.Close() // the first error is the cause
			return fmt.Errorf("run %q: %w", shortenSQL(q.SQL), err)
		}
	}

	return results.Close()
}
