package searchlog

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// The limits of a day of a store. What exceeds them is not counted.
const (
	MaxQueriesPerDay = 100_000
	maxClicksPerDay  = 100_000 // pairs of a query and a product
)

// Flush adds what is counted to the database, but for the last clicks and orders. If it fails, the next call adds the
// rest.
func (l *Log) Flush(ctx context.Context) error {
	now := l.now()
	return l.flush(ctx, now.Add(-clickDelay), now.Add(-orderDelay))
}

// flushAll adds everything to the database.
func (l *Log) flushAll(ctx context.Context) error {
	end := l.now().Add(time.Hour)
	return l.flush(ctx, end, end)
}

func (l *Log) flush(ctx context.Context, clicksUntil, ordersUntil time.Time) (err error) {
	defer fault.AddContext(&err, "store searches")
	l.flushing.Lock()
	defer l.flushing.Unlock()

	for {
		l.mu.Lock()
		chunk := l.buffer.takeChunk(clicksUntil, ordersUntil)
		l.mu.Unlock()
		if chunk.isEmpty() {
			return nil
		}

		err := l.db.Write(ctx, func(q database.Querier) error { return storeChunk(ctx, q, chunk) })
		if err != nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.buffer.putBack(chunk)
			return err
		}
	}
}

// dayKey identifies a day of a store.
type dayKey struct {
	storeID store.ID
	day     int64
}

func (k queryKey) dayKey() dayKey { return dayKey{k.storeID, k.day} }

func (k dayKey) compare(other dayKey) int {
	return cmp.Or(slices.Compare(k.storeID[:], other.storeID[:]), cmp.Compare(k.day, other.day))
}

func (k queryKey) compare(other queryKey) int {
	return cmp.Or(k.dayKey().compare(other.dayKey()), cmp.Compare(k.query, other.query))
}

func (k clickKey) compare(other clickKey) int {
	return cmp.Or(k.queryKey.compare(other.queryKey), slices.Compare(k.productID[:], other.productID[:]))
}

// dayCounts are the numbers of rows of a day.
type dayCounts struct {
	queries, unfound, clicks int64
}

// storedQuery is what the database has of a query before a chunk is stored.
type storedQuery struct {
	found, at int64
}

// queryChange is what a chunk adds to a query.
type queryChange struct {
	searches
	clicks, orders int64
}

// storeChunk adds a chunk to the database. Days of stores that do not exist any more are skipped.
func storeChunk(ctx context.Context, q database.Querier, chunk buffer) error {
	days, err := lockDays(ctx, q, chunk.days())
	if err != nil {
		return err
	}
	clicked, err := storeClicks(ctx, q, chunk.clicks, days)
	if err != nil {
		return err
	}
	ordered, err := selectOrdered(ctx, q, chunk.orders)
	if err != nil {
		return err
	}

	changes := map[queryKey]*queryChange{}
	changeOf := func(key queryKey) *queryChange {
		if changes[key] == nil {
			changes[key] = &queryChange{}
		}
		return changes[key]
	}
	for key, s := range chunk.searches {
		changeOf(key).searches = s
	}
	for key, n := range clicked {
		changeOf(key).clicks += n
	}
	for key, n := range ordered {
		changeOf(key).orders += n
	}

	keys := slices.SortedFunc(maps.Keys(changes), queryKey.compare)
	stored, err := selectStored(ctx, q, keys)
	if err != nil {
		return err
	}
	keys = admit(keys, changes, stored, days)
	if err := upsertQueries(ctx, q, keys, changes); err != nil {
		return err
	}

	return updateDays(ctx, q, days)
}

// days returns the days of the entries, in the order in which their rows are locked.
func (b *buffer) days() []dayKey {
	set := map[dayKey]bool{}
	for key := range b.searches {
		set[key.dayKey()] = true
	}
	for key := range b.clicks {
		set[key.dayKey()] = true
	}
	for _, o := range b.orders {
		set[dayKey{o.storeID, o.day}] = true
	}
	return slices.SortedFunc(maps.Keys(set), dayKey.compare)
}

// admit returns the keys of the queries that are stored, and counts them in the days: those that the database has, and
// of the others those that were asked, while the day has room for them.
func admit(
	keys []queryKey, changes map[queryKey]*queryChange, stored map[queryKey]storedQuery, days map[dayKey]*dayCounts,
) []queryKey {
	admitted := keys[:0]
	for _, key := range keys {
		day := days[key.dayKey()]
		change := changes[key]
		was, known := stored[key]

		switch {
		case day == nil, !known && (change.count == 0 || day.queries >= MaxQueriesPerDay):
			continue
		case !known:
			day.queries++
			day.unfound += unfound(change.found)
		case change.count > 0 && change.at >= was.at:
			day.unfound += unfound(change.found) - unfound(was.found)
		}

		admitted = append(admitted, key)
	}
	return admitted
}

// unfound returns 1 for a query that found nothing, and 0 for others.
func unfound(found int64) int64 {
	if found == 0 {
		return 1
	}
	return 0
}
