package order

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const (
	// defaultCandidates is the number of orders up to which a search looks at all orders that have the rarest word of
	// the query. With more of them it reads the list and skips what does not match, which then does not take long.
	defaultCandidates = 5000
	// countedWords is the number of words of a query among which the rarest is looked for.
	countedWords = 4
	// indexInterval is the time between two searches for orders whose words are not in order_words. Queries read these
	// orders one by one, so the interval need not be short.
	indexInterval = 5 * time.Second
	// ordersPerIndexBatch is the maximum number of orders whose words one transaction writes.
	ordersPerIndexBatch = 500
)

// candidates returns the arguments of candidatesSQL for a query, or nil if the orders are to be found without it: there
// is no query, or too many orders have even its rarest word.
func (s *Service) candidates(ctx context.Context, tx store.Tx, q query) ([]any, error) {
	if len(q.words) == 0 {
		return nil, nil
	}
	word, n, err := rarestWord(ctx, tx, q.longest(countedWords), s.maxCandidates+1)
	if err != nil || n > s.maxCandidates {
		return nil, err
	}
	indexed, err := indexedNumber(ctx, tx, "")
	if err != nil {
		return nil, err
	}
	return []any{word, afterPrefix(word), indexed, likePattern(word)}, nil
}

// indexOrders writes the words of submitted orders of all stores to order_words. Submissions leave that to it, because
// the words of an order are on many pages of the table.
func (s *Service) indexOrders(ctx context.Context) error {
	ctx = database.InBackground(ctx)
	stores, err := database.Read(ctx, s.DB, func(q database.Querier) ([]store.ID,
		error) {
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

// indexBatch writes the words of the next orders of a store. It reports whether there may be more.
func (s *Service) indexBatch(ctx context.Context, tx store.Tx) (more bool, err error) {
	last, err := lockProgress(ctx, tx)
	if err != nil {
		return false, err
	}
	orders, words, err := selectOrdersToIndex(ctx, tx, last, ordersPerIndexBatch)
	if err != nil || len(orders) == 0 {
		return false, err
	}
	if err := selectItemsOfOrders(ctx, tx, orders); err != nil {
		return false, err
	}
	return len(orders) == ordersPerIndexBatch, insertWords(ctx, tx, orders, words)
}
