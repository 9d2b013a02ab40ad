package event

import (
	"context"

	"vitrine/internal/shop/store"
)

// Feed returns up to limit events of a store with sequences above after, in ascending order, without test events. next
// is the sequence of the last one if more follow, otherwise 0. Later commits have higher sequences, so a client that
// continues from the last sequence misses nothing.
func Feed(ctx context.Context, tx store.Tx, after, limit int64) (list []Event, next int64, err error) {
	list, err = selectFeed(ctx, tx, after, limit+1)
	if err != nil || int64(len(list)) <= limit {
		return list, 0, err
	}
	return list[:limit], list[limit-1].Sequence, nil
}
