package searchlog

import (
	"cmp"
	"context"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const (
	// RetentionDays is how many days are kept, today among them.
	RetentionDays = 400

	// popularDays and popularCount say which queries are suggested: those that were asked at least so often in so many
	// days.
	popularDays  = 90
	popularCount = 3
	// maxPopularRows and maxSummedRows limit the rows that Popular and Sum read.
	maxPopularRows = 200_000
	maxSummedRows  = 50_000
)

// Query is a query on a day.
type Query struct {
	Day   int64 // see store.DayNumber
	Query string
	// Count is how often it was asked, Found the number of products that it found the last time.
	Count, Found int64
	// Clicks are the clicks on its results. Orders are the orders of the day with a product that was clicked in its
	// results before.
	Clicks, Orders int64
}

// Filter selects queries.
type Filter struct {
	From, To int64 // days, both inclusive
	// Unfound selects the queries that found nothing the last time.
	Unfound bool
}

// List returns a page of the queries of days, the newest day and the most frequent query first, and their number.
// Searches of the last seconds may be missing.
func List(ctx context.Context, tx store.Tx, f Filter, limit, offset int64) (_ []Query, total int64, err error) {
	defer fault.AddContext(&err, "list the searches of store %s", tx.StoreID())
	if total, err = countQueries(ctx, tx, f); err != nil || offset >= total {
		return nil, total, err
	}
	list, err := selectQueries(ctx, tx, f, limit, offset)
	return list, total, err
}

// Sum returns the queries from a day to another, both inclusive, each once with its sums, its last day and what it
// found then, the most frequent first. It reads at most the newest 50,000 queries of days; more tells that there are
// others.
func Sum(ctx context.Context, tx store.Tx, from, to int64) (sums []Query, more bool, err error) {
	defer fault.AddContext(&err, "sum the searches of store %s", tx.StoreID())

	list, err := selectQueries(ctx, tx, Filter{From: from, To: to}, maxSummedRows+1, 0)
	if err != nil {
		return nil, false, err
	}

	more = len(list) > maxSummedRows
	at := map[string]int{}
	for _, q := range list[:min(len(list), maxSummedRows)] {
		i, known := at[q.Query]
		if !known {
			at[q.Query] = len(sums)
			sums = append(sums, q)
			continue
		}
		sums[i].Count += q.Count
		sums[i].Clicks += q.Clicks
		sums[i].Orders += q.Orders
	}

	slices.SortFunc(sums, func(a, b Query) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Query, b.Query))
	})
	return sums, more, nil
}

// PopularQuery is a query that many have asked.
type PopularQuery struct {
	Query string // folded
	Count int64  // how often it was asked
}

// Popular returns the queries that were asked at least three times in the 90 days up to a day and found something the
// last time, the most frequent first, at most limit of them. They are the suggestions of the search.
func Popular(ctx context.Context, tx store.Tx, today int64, limit int) (_ []PopularQuery, err error) {
	defer fault.AddContext(&err, "read the popular searches of store %s", tx.StoreID())
	return selectPopular(ctx, tx, today-popularDays+1, limit)
}
