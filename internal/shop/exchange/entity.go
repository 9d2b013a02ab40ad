package exchange

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// entityHandler is what the entities of a push differ in.
type entityHandler struct {
	item.Type
	// repeats says that apply takes several items about one thing, in their order.
	repeats bool
	// idMember is the member that people know an item by.
	idMember string
	// apply writes items, free of faults and all different unless it repeats, in the caller's transaction; what became of each comes in their
	// order. An item that fails has changed nothing. An error is about all of them: nothing may be committed.
	apply func(ctx context.Context, q database.Querier, storeID store.ID, items []*item.Item) ([]catalog.Pushed, error)
}

// newHandler makes a handler of items with contents of type T.
func newHandler[T any](
	of item.Type, push func(ctx context.Context, q database.Querier, storeID store.ID, items []T) ([]catalog.Pushed, error),
) entityHandler {
	return entityHandler{
		Type: of, idMember: "id",
		apply: func(ctx context.Context, q database.Querier, storeID store.ID, items []*item.Item) ([]catalog.Pushed, error) {
			contents := make([]T, len(items))
			for i, it := range items {
				contents[i] = it.Content.(T)
			}
			return push(ctx, q, storeID, contents)
		},
	}
}

// byVariant makes a handler take items that are about variants, several about the same one too.
func byVariant(h entityHandler) entityHandler {
	h.repeats, h.idMember = true, "variant_id"
	return h
}

func attributeHandler(c *catalog.Pushes, of item.Type, kind catalog.Kind) entityHandler {
	return newHandler(of, func(ctx context.Context, q database.Querier, storeID store.ID, items []catalog.AttributePush) ([]catalog.Pushed, error) {
		return c.ApplyAttributes(ctx, q, storeID, kind, items)
	})
}
