package database

import (
	"context"
	"time"
)

// Execer runs statements. Its implementations are Querier, and types that add arguments of their own.
type Execer interface {
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
	ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error)
}

// Exec calls q.Exec and drops the number of changed rows.
func Exec(ctx context.Context, q Execer, sql string, args ...any) error {
	_, err := q.Exec(ctx, sql, args...)
	return err
}

// ExecRows calls q.ExecRows and drops the number of changed rows.
func ExecRows(ctx context.Context, q Execer, sql string, batch *Batch, args ...any) error {
	_, err := q.ExecRows(ctx, sql, batch, args...)
	return err
}

// Read calls db.Read and returns the result of fn.
func Read[T any](ctx context.Context, db *DB, fn func(Querier) (T, error)) (v T, err error) {
	err = db.Read(ctx, func(q Querier) error {
		v, err = fn(q)
		return err
	})
	return v, err
}

// ReadShort does the same as Read with the priority Short.
func ReadShort[T any](ctx context.Context, db *DB, fn func(Querier) (T, error)) (v T, err error) {
	err = db.ReadWith(ctx, Short, false, func(q Querier) error {
		v, err = fn(q)
		return err
	})
	return v, err
}

// Write calls db.Write and returns the result of the last call of fn.
func Write[T any](ctx context.Context, db *DB, fn func(Querier) (T, error)) (v T, err error) {
	err = db.Write(ctx, func(q Querier) error {
		v, err = fn(q)
		return err
	})
	return v, err
}

// Moment returns t in UTC with the precision of the database, a microsecond.
func Moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
