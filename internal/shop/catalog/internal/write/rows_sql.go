package write

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/store"
)

// EachKeyChunk calls fn for the keys that a query returns, in order and in chunks of ChunkSize. The arguments of the
// query are args, then the last key of the previous chunk, then the chunk size. fn may delete the rows.
func EachKeyChunk(ctx context.Context, q database.Queryer, sql string, args []any, fn func(keys []int64) error) error {
	for last, more := int64(0), true; more; {
		var keys []int64
		err := database.QueryEach(ctx, q, sql, append(args[:len(args):len(args)], last, ChunkSize),
			database.AppendColumn(&keys))
		if err != nil || len(keys) == 0 {
			return err
		}
		last = keys[len(keys)-1]
		more = len(keys) == ChunkSize
		if err := fn(keys); err != nil {
			return err
		}
	}
	return nil
}

// ExecEach runs several statements that take the same arguments.
func ExecEach(ctx context.Context, tx store.Tx, statements []string, args ...any) error {
	for _, sql := range statements {
		if err := database.Exec(ctx, tx, sql, args...); err != nil {
			return err
		}
	}
	return nil
}

// ExecByKey runs a statement whose batch consists of row keys.
func ExecByKey(ctx context.Context, tx store.Tx, sql string, keys []int64, args ...any) error {
	return database.ExecRows(ctx, tx, sql, KeyBatch(keys), args...)
}

// QueryByKey runs a query whose batch consists of row keys.
func QueryByKey(
	ctx context.Context, tx store.Tx, sql string, keys []int64, each func(database.Rows) error, args ...any,
) error {
	return tx.QueryRows(ctx, sql, KeyBatch(keys), each, args...)
}

// ChunkSize is the number of list elements that are held in memory and processed at once. It is large enough to fill a
// statement with rows, and small enough that a list of a million values needs little memory.
const ChunkSize = 2000

// SortedIDs returns ids in order. Ids are ordered by creation time, which is nearly the order of the row keys.
func SortedIDs[ID interface{ Bytes() [16]byte }](ids func(yield func(ID) bool)) []ID {
	return slices.SortedFunc(ids, func(a, b ID) int {
		x, y := a.Bytes(), b.Bytes()
		return bytes.Compare(x[:], y[:])
	})
}

func SortedStrings(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// DiscardRow ignores a row that is selected only to lock it.
func DiscardRow(database.Rows) error { return nil }

// LockByID fills in the keys of those ids that the store has, and locks their rows against deletion.
func LockByID[Thing any](ctx context.Context, tx store.Tx, sql string, keys map[id.Of[Thing]]int64) error {
	batch := database.BatchOf(database.UUID, SortedIDs(maps.Keys(keys)))
	return tx.QueryRows(ctx, sql+tx.Dialect().ForKeyShare, batch,
		EachPair(func(key int64, i id.Of[Thing]) { keys[i] = key }))
}

func BytesOrNull(s string) any {
	if s == "" {
		return nil
	}
	return []byte(s)
}
