package database

import (
	"context"
	"strings"
)

// wrappedStatement is one statement of a transaction, or the queries of one QueryAll.
type wrappedStatement struct {
	sql     string
	batch   int // the number of rows of its batch, 0 without one
	queries int // the number of queries of QueryAll, otherwise 0
	later   bool
	reads   bool // by QueryRows or QueryAll
	// These are set when it has run. The result of Query is in rows; no row of it has been read.
	changed, returned int64
	rows              Rows
}

// wrappedQuerier calls around for each statement. around calls run once, or returns an error without it. A statement
// with an empty batch does nothing, so there is no call for it.
type wrappedQuerier struct {
	Querier
	around func(s *wrappedStatement, run func() error) error
}

func (w wrappedQuerier) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	s := &wrappedStatement{sql: sql}
	err := w.around(s, func() (err error) {
		s.changed, err = w.Querier.Exec(ctx, sql, args...)
		return err
	})
	return s.changed, err
}

func (w wrappedQuerier) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	s := &wrappedStatement{sql: sql}
	err := w.around(s, func() (err error) {
		s.rows, err = w.Querier.Query(ctx, sql, args...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.rows, nil
}

func (w wrappedQuerier) ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error) {
	if batch.Len() == 0 {
		return 0, nil
	}
	s := &wrappedStatement{sql: sql, batch: batch.Len()}
	err := w.around(s, func() (err error) {
		s.changed, err = w.Querier.ExecRows(ctx, sql, batch, args...)
		return err
	})
	return s.changed, err
}

func (w wrappedQuerier) QueryRows(
	ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any,
) error {
	if batch.Len() == 0 {
		return nil
	}
	s := &wrappedStatement{sql: sql, batch: batch.Len(), reads: true}
	return w.around(s, func() error {
		return w.Querier.QueryRows(ctx, sql, batch, countEach(each, &s.returned), args...)
	})
}

func (w wrappedQuerier) QueryAll(ctx context.Context, queries ...BatchQuery) error {
	s := &wrappedStatement{reads: true}
	var counted []BatchQuery
	var texts []string
	for _, q := range queries {
		if q.Batch.Len() > 0 {
			texts = append(texts, strings.TrimSpace(q.SQL))
			q.Each = countEach(q.Each, &s.returned)
			counted = append(counted, q)
		}
	}

	if len(counted) == 0 {
		return nil
	}

	s.sql = strings.Join(texts, ";\n")
	s.queries = len(counted)
	return w.around(s, func() error { return w.Querier.QueryAll(ctx, counted...) })
}

func countEach(each func(Rows) error, n *int64) func(Rows) error {
	return func(rows Rows) error {
		*n++
		return each(rows)
	}
}

func (w wrappedQuerier) ExecLater(ctx context.Context, sql string, batch *Batch, args ...any) error {
	s := &wrappedStatement{sql: sql, later: true}
	if batch != nil {
		if s.batch = batch.Len(); s.batch == 0 {
			return nil
		}
	}
	return w.around(s, func() error { return w.Querier.ExecLater(ctx, sql, batch, args...) })
}
