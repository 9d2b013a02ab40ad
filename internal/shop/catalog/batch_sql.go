package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

func keyBatch(keys []int64) *database.Batch { return database.BatchOf(database.BigInt, keys) }

func textBatch(texts []string) *database.Batch { return database.BatchOf(database.Text, texts) }

// sortedKeys returns the keys in a set in ascending order.
func sortedKeys(set map[int64]bool) []int64 { return slices.Sorted(maps.Keys(set)) }

// statement is an SQL statement with a batch of rows. It is not sent to the database if the batch is empty.
type statement struct {
	sql   string
	batch *database.Batch
	args  []any
}

// execAll runs statements in order until one fails.
func execAll(ctx context.Context, tx store.Tx, statements ...statement) error {
	for _, s := range statements {
		if _, err := tx.ExecRows(ctx, s.sql, s.batch, s.args...); err != nil {
			return err
		}
	}
	return nil
}

// eachColumn returns a callback for QueryEach and QueryRows that calls fn with the only column of each row.
func eachColumn[A any](fn func(A)) func(database.Rows) error {
	return func(rows database.Rows) error {
		var a A
		if err := rows.Scan(&a); err != nil {
			return err
		}
		fn(a)
		return nil
	}
}

// eachPair is like eachColumn, for rows of two columns.
func eachPair[A, B any](fn func(A, B)) func(database.Rows) error {
	return func(rows database.Rows) error {
		var a A
		var b B
		if err := rows.Scan(&a, &b); err != nil {
			return err
		}
		fn(a, b)
		return nil
	}
}

// eachTriple is like eachColumn, for rows of three columns.
func eachTriple[A, B, C any](fn func(A, B, C)) func(database.Rows) error {
	return func(rows database.Rows) error {
		var a A
		var b B
		var c C
		if err := rows.Scan(&a, &b, &c); err != nil {
			return err
		}
		fn(a, b, c)
		return nil
	}
}
