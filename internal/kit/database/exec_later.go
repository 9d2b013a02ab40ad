package database

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ExecLater runs the statement at once: SQLite has no round trips.
func (c *sqliteConn) ExecLater(ctx context.Context, sql string, batch *Batch, args ...any) (err error) {
	if batch == nil {
		_, err = c.Exec(ctx, sql, args...)
	} else {
		_, err = c.ExecRows(ctx, sql, batch, args...)
	}
	return err
}

// laterStatements are the statements of a transaction that wait to be sent together with its next one.
type laterStatements struct {
	queued pgx.Batch
	sql    []string // of each, for its error
}

func (s *laterStatements) add(sql string, args []any) {
	s.queued.Queue(sql, args...)
	s.sql = append(s.sql, sql)
}

// ExecLater queues the statement in a transaction. Outside a transaction it runs at once.
func (p postgresQuerier) ExecLater(ctx context.Context, sql string, batch *Batch, args ...any) (err error) {
	switch {
	case p.later == nil && batch == nil:
		_, err = p.Exec(ctx, sql, args...)
		return err
	case p.later == nil:
		_, err = p.ExecRows(ctx, sql, batch, args...)
		return err
	case batch == nil:
		p.later.add(toPostgresLookups(sql), args)
		return nil
	}

	text := toPostgresLookups(batch.expandUnnest(sql, len(args)))
	for from := 0; from < batch.Len(); from += rowsPerArray {
		all, err := batch.arrayArgs(args, from)
		if err != nil {
			return err
		}
		p.later.add(text, all)
	}

	return nil
}

// hasLater reports whether statements are queued.
func (p postgresQuerier) hasLater() bool { return p.later != nil && len(p.later.sql) > 0 }

// sendLater sends the queued statements, if there are any, and after them the statements of batch, in one round trip.
// It returns the results of batch; the caller closes them.
func (p postgresQuerier) sendLater(ctx context.Context, batch *pgx.Batch) (pgx.BatchResults, error) {
	if !p.hasLater() {
		return p.q.SendBatch(ctx, batch), nil
	}
	queued, texts := p.later.queued, p.later.sql
	*p.later = laterStatements{}
	queued.QueuedQueries = append(queued.QueuedQueries, batch.QueuedQueries...)
	results := p.q.SendBatch(ctx, &queued)
	for _, sql := range texts {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // the first error is the cause
			return nil, fmt.Errorf("run %q: %w", shortenSQL(sql), err)
		}
	}
	return results, nil
}

// flush sends the queued statements.
func (p postgresQuerier) flush(ctx context.Context) error {
	if !p.hasLater() {
		return nil
	}
	results, err := p.sendLater(ctx, &pgx.Batch{})
	if err != nil {
		return err
	}
	return results.Close()
}

// execAfter runs a statement after the queued ones.
func (p postgresQuerier) execAfter(ctx context.Context, sql string, args []any) (tag pgconn.CommandTag, err error) {
	var one pgx.Batch
	one.Queue(sql, args...)
	results, err := p.sendLater(ctx, &one)
	if err != nil {
		return tag, err
	}
	tag, err = results.Exec()
	if closeErr := results.Close(); err == nil {
		err = closeErr
	}
	return tag, err
}

// queryAfter runs a query after the queued statements.
func (p postgresQuerier) queryAfter(ctx context.Context, sql string, args []any) (Rows, error) {
	var one pgx.Batch
	one.Queue(sql, args...)
	results, err := p.sendLater(ctx, &one)
	if err != nil {
		return nil, err
	}
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // the first error is the cause
		return nil, err
	}
	return lastRows{rows, results}, nil
}

// lastRows are the rows of the last query of a pipeline.
type lastRows struct {
	pgx.Rows
	results pgx.BatchResults
}

// Close closes the rows and the pipeline, so that the connection can be used again. An error of the pipeline is that of
// the rows.
func (r lastRows) Close() {
	r.Rows.Close()
	_ = r.results.Close()
}
