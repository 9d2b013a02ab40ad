package catalog

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/store"
)

// eachKeyChunk calls fn for the keys that a query returns, in order and in chunks of chunkSize. The arguments of the
// query are args, then the last key of the previous chunk, then the chunk size. fn may delete the rows.
func eachKeyChunk(ctx context.Context, q database.Queryer, sql string, args []any, fn func(keys []int64) error) error {
	for last, more := int64(0), true; more; {
		var keys []int64
		err := database.QueryEach(ctx, q, sql, append(args[:len(args):len(args)], last, chunkSize),
			func(rows database.Rows) error {
				err := rows.Scan(&last)
				keys = append(keys, last)
				return err
			})
		if err != nil {
			return err
		}
		if more = len(keys) == chunkSize; len(keys) == 0 {
			break
		}
		if err := fn(keys); err != nil {
			return err
		}
	}
	return nil
}

// chunkSize is the number of list elements held in memory at once: enough to fill a statement, and few enough for lists
// of a million values.
const chunkSize = 2000

func keyBatch(keys []int64) *database.Batch {
	batch := database.NewBatch(database.BigInt)
	for _, k := range keys {
		batch.Add(k)
	}
	return batch
}

func idBatch(ids []VariantID) *database.Batch {
	batch := database.NewBatch(database.UUID)
	for _, i := range ids {
		batch.Add(i)
	}
	return batch
}

// sortedIDs returns ids in order. Ids are ordered by creation time, which is nearly the order of the row keys.
func sortedIDs[ID interface{ Bytes() [16]byte }](ids func(yield func(ID) bool)) []ID {
	return slices.SortedFunc(ids, func(a, b ID) int {
		x, y := a.Bytes(), b.Bytes()
		return bytes.Compare(x[:], y[:])
	})
}

func sortedStrings(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// discardRow ignores a row that is selected only to lock it.
func discardRow(database.Rows) error { return nil }

// selectOne reads the only row of a query, or returns fault.NotFound.
func selectOne[T any](
	ctx context.Context, q database.Queryer, sql string, args []any, noun string, scan func(database.Rows) (T, error),
) (T, error) {
	var item T
	found := false
	err := database.QueryEach(ctx, q, sql, args, func(rows database.Rows) (err error) {
		found = true
		item, err = scan(rows)
		return err
	})
	if err == nil && !found {
		err = fault.Missing(noun)
	}
	return item, err
}

// listPage reads one page of a list, ordered by key, and the total number of rows. count is the query for the total; it
// takes the same args.
func listPage[T any](
	ctx context.Context, q database.Querier, list, count string, args []any, limit, offset int64,
	scan func(database.Rows) (T, error),
) (items []T, total int64, err error) {
	if err := database.QueryRow(ctx, q, count, args, &total); err != nil {
		return nil, 0, err
	}
	if offset >= total {
		return nil, total, nil
	}
	page := limitOffset(&args, limit, offset)
	err = database.QueryEach(ctx, q, list+"\nORDER BY key"+page, args, func(rows database.Rows) error {
		item, err := scan(rows)
		items = append(items, item)
		return err
	})
	return items, total, err
}

// lockByID fills in the keys of those objects that the store has, and locks them against deletion.
func lockByID[Thing any](ctx context.Context, tx store.Tx, sql string, keys map[id.Of[Thing]]int64) error {
	batch := database.NewBatch(database.UUID)
	for _, i := range sortedIDs(maps.Keys(keys)) {
		batch.Add(i)
	}
	return tx.QueryRows(ctx, sql+tx.Dialect().ForKeyShare, batch, func(rows database.Rows) error {
		var key int64
		var i id.Of[Thing]
		err := rows.Scan(&key, &i)
		keys[i] = key
		return err
	})
}

// searchCondition returns one condition for each word of the search, and appends the arguments to args.
func searchCondition(args *[]any, search string) string {
	var b strings.Builder
	for _, p := range locale.QueryPatterns(search) {
		*args = append(*args, p)
		b.WriteString("\n  AND words LIKE $" + strconv.Itoa(len(*args)))
	}
	return b.String()
}

func limitOffset(args *[]any, limit, offset int64) string {
	*args = append(*args, limit, offset)
	n := len(*args)
	return "\nLIMIT $" + strconv.Itoa(n-1) + " OFFSET $" + strconv.Itoa(n)
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// textOrNull returns nil for a missing or empty text.
func textOrNull(s *string) any {
	if s == nil || *s == "" {
		return nil
	}
	return *s
}

func keyOrNull(key int64) any {
	if key == 0 {
		return nil
	}
	return key
}

func bytesOrNull(s string) any {
	if s == "" {
		return nil
	}
	return []byte(s)
}

func microsOrNull(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMicro()
}

func optionalTime(micros *int64) *time.Time {
	if micros == nil {
		return nil
	}
	return new(time.UnixMicro(*micros))
}

// rowLock is the lock that a query takes on the rows it reads, until the transaction ends.
type rowLock int

// forUpdate locks against writes, forKeyShare against deletion only.
const (
	unlocked rowLock = iota
	forUpdate
	forKeyShare
)

// clause returns the locking clause for the end of a query.
func (l rowLock) clause(q database.Querier) string {
	switch l {
	case forUpdate:
		return q.Dialect().ForUpdate
	case forKeyShare:
		return q.Dialect().ForKeyShare
	case unlocked:
	}
	return ""
}
