package write

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

func KeyBatch(keys []int64) *database.Batch { return database.BatchOf(database.BigInt, keys) }

func TextBatch(texts []string) *database.Batch { return database.BatchOf(database.Text, texts) }

// SortedKeys returns the keys in a set in ascending order.
func SortedKeys(set map[int64]bool) []int64 { return slices.Sorted(maps.Keys(set)) }

// Statement is an SQL statement with a batch of rows. It is not sent to the database if the batch is empty.
type Statement struct {
	SQL   string
	Batch *database.Batch
	Args  []any
}

// ExecAll runs statements in order until one fails.
func ExecAll(ctx context.Context, tx store.Tx, statements ...Statement) error {
	for _, s := range statements {
		if _, err := tx.ExecRows(ctx, s.SQL, s.Batch, s.Args...); err != nil {
			return err
		}
	}
	return nil
}

// EachColumn returns a callback for QueryEach and QueryRows that calls fn with the only column of each row.
func EachColumn[A any](fn func(A)) func(database.Rows) error {
	return func(rows database.Rows) error {
		var a A
		if err := rows.Scan(&a); err != nil {
			return err
		}
		fn(a)
		return nil
	}
}

// EachPair is like EachColumn, for rows of two columns.
func EachPair[A, B any](fn func(A, B)) func(database.Rows) error {
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

// EachTriple is like EachColumn, for rows of three columns.
func EachTriple[A, B, C any](fn func(A, B, C)) func(database.Rows) error {
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
