package exchange

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// gate is what the entities of a push differ in.
type gate struct {
	item.Type
	// repeats says that apply takes several items about one thing, in their order.
	repeats bool
	// names is the member that people know an item by.
	names string
	// apply writes items, free of faults and all different unless it repeats, in the caller's transaction; what became of each comes in their
	// order. An item that fails has changed nothing. An error is about all of them: nothing may be committed.
	apply func(ctx context.Context, q database.Querier, storeID store.ID, items []*item.Item) ([]catalog.Pushed, error)
}

// newGate makes a gate for items with contents of type T.
func newGate[T any](
	of item.Type, push func(ctx context.Context, q database.Querier, storeID store.ID, items []T) ([]catalog.Pushed, error),
) gate {
	return gate{
		Type: of, names: "id",
		apply: func(ctx context.Context, q database.Querier, storeID store.ID, items []*item.Item) ([]catalog.Pushed, error) {
			contents := make([]T, len(items))
			for i, it := range items {
				contents[i] = it.Content.(T)
			}
			return push(ctx, q, storeID, contents)
		},
	}
}

// quick makes a gate one of the quick ones, whose items are about variants and may be about the same one.
func quick(g gate) gate {
	g.repeats, g.names = true, "variant_id"
	return g
}

func attributeGate(c *catalog.Pushes, of item.Type, kind catalog.Kind) gate {
	return newGate(of, func(ctx context.Context, q database.Querier, storeID store.ID, items []catalog.AttributePush) ([]catalog.Pushed, error) {
		return c.ApplyAttributes(ctx, q, storeID, kind, items)
	})
}
