package order

import (
	"context"
	"math"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const (
	// indexInterval is the time between two searches for orders whose words are not in search_words. Queries read these
	// orders one by one, so the interval need not be short.
	indexInterval = 5 * time.Second
	// ordersPerIndexBatch is the maximum number of orders whose words one transaction writes.
	ordersPerIndexBatch = 500
)

// candidates returns the arguments of candidatesSQL for a query, or nil if the orders are to be found without it: there
// is no query, or too many orders have even its rarest word.
func (s *Service) candidates(ctx context.Context, tx store.Tx, q query) ([]any, error) {
	ranges, err := q.CandidatesUpTo(ctx, tx, s.maxCandidates, store.SearchedOrders)
	if err != nil || ranges == nil {
		return nil, err
	}

	indexed, err := indexedNumber(ctx, tx, "")
	if err != nil {
		return nil, err
	}

	pattern := likePattern(ranges[0].(string))
	other := noPattern
	if end := ranges[2].(string); end != "" {
		other = likePattern(end)
	}
	return append(ranges, indexed, pattern, other), nil
}

// indexOrders writes the words of submitted orders of all stores to search_words. Submissions leave that to it, because
// the words of an order are on many pages of the table.
func (s *Service) indexOrders(ctx context.Context) error {
	ctx = database.InBackground(ctx)
	stores, err := database.Read(ctx, s.DB, func(q database.Querier) ([]store.ID, error) {
		return storesToIndex(ctx, q)
	})
	if err != nil {
		return err
	}

	for _, storeID := range stores {
		for more := true; more; {
			more, err = database.Write(ctx, s.DB, func(q database.Querier) (bool, error) {
				return s.indexBatch(ctx, store.In(q, storeID))
			})
			if err != nil {
				return err
			}
		}
	}

	return nil
}

// indexBatch writes the words of the next orders of a store: of new ones, or else of those that a program without words
// of comments, or of notes and tags, has indexed. It reports whether there may be more.
func (s *Service) indexBatch(ctx context.Context, tx store.Tx) (more bool, err error) {
	last, err := lockProgress(ctx, tx)
	if err != nil {
		return false, err
	}
	if more, err = indexAfter(ctx, tx, last, math.MaxInt64, setProgress); more || err != nil {
		return more, err
	}

	notes, err := notesProgress(ctx, tx)
	if err != nil {
		return false, err
	}
	return indexAfter(ctx, tx, notes, last, setNotesProgress)
}

// indexAfter writes the words of the next orders after a number up to the number last, and calls progress with the
// number of the last of them. It reports whether there may be more.
func indexAfter(
	ctx context.Context, tx store.Tx, after, last int64,
	progress func(ctx context.Context, tx store.Tx, number int64) error,
) (more bool, err error) {
	orders, words, err := selectOrdersToIndex(ctx, tx, after, last, ordersPerIndexBatch)
	if err != nil || len(orders) == 0 {
		return false, err
	}
	if err := selectItemsOfOrders(ctx, tx, orders); err != nil {
		return false, err
	}

	if err := insertWords(ctx, tx, orders, words); err != nil {
		return false, err
	}
	return len(orders) == ordersPerIndexBatch, progress(ctx, tx, *orders[len(orders)-1].Number)
}
