package database

import (
	"context"
	"time"
)

// Execer runs statements. A Querier is one, and so is a type that binds arguments of its own before the caller's.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
	ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error)
}

// Exec runs a statement whose number of changed rows does not matter.
func Exec(ctx context.Context, q Execer, sql string, args ...any) error {
	_, err := q.Exec(ctx, sql, args...)
	return err
}

// ExecRows runs a statement over the rows of a batch, whose number of changed rows does not matter.
func ExecRows(ctx context.Context, q Execer, sql string, batch *Batch, args ...any) error {
	_, err := q.ExecRows(ctx, sql, batch, args...)
	return err
}

// Read returns what fn returns in a read transaction.
func Read[T any](ctx context.Context, db *DB, fn func(Querier) (T, error)) (v T, err error) {
	err = db.Read(ctx, func(q Querier) error {
		v, err = fn(q)
		return err
	})
	return v, err
}

// Write returns what fn returns in a write transaction.
func Write[T any](ctx context.Context, db *DB, fn func(Querier) (T, error)) (v T, err error) {
	err = db.Write(ctx, func(q Querier) error {
		v, err = fn(q)
		return err
	})
	return v, err
}

// Moment returns a time in the precision of columns of microseconds.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// PutKeys returns a callback for QueryEach and QueryRows that puts the only column of each row into set.
func PutKeys[K comparable](set map[K]bool) func(Rows) error {
	return func(rows Rows) error {
		var key K
		err := rows.Scan(&key)
		set[key] = true
		return err
	}
}
