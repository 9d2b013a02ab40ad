package event

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// Feed returns events of a store in their order: those with sequences above after. next is the sequence of the last one if others follow, 0 if
// none do. Those that try a receiver are not among them. What is committed later has a higher sequence, so who reads on from the last one
// misses nothing.
func Feed(ctx context.Context, q database.Querier, storeID store.ID, after, limit int64) (list []Event, next int64, err error) {
	list, err = selectAfter(ctx, q, storeID, after, limit+1)
	if err != nil || int64(len(list)) <= limit {
		return list, 0, err
	}
	return list[:limit], list[limit-1].Sequence, nil
}

// BySequence returns one event, or fault.NotFound.
func BySequence(ctx context.Context, q database.Querier, storeID store.ID, sequence int64) (Event, error) {
	list, err := selectBySequence(ctx, q, storeID, sequence)
	if err != nil {
		return Event{}, err
	}
	if len(list) == 0 {
		return Event{}, fault.Missing("event")
	}
	return list[0], nil
}
