package exchange

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// item is one element of a push.
type item struct {
	index int64
	raw   []byte // as it was sent
	id    string // accounting's; empty where it cannot be read
	// distinct tells it from the others of a push; two with the same are about the same thing.
	distinct string
	wrong    []fault.Field // what reading it found; nothing of it is applied then
	content  any
}

// gate is what the entities of a push differ in.
type gate struct {
	// most is how many bytes an item may have.
	most int
	// repeats says that apply takes several items about one thing, in their order.
	repeats bool
	// names is the member that people know an item by.
	names string
	// read reads an item into its content, id and distinct.
	read func(f *fields, it *item)
	// apply writes items, free of faults and all different unless it repeats, in the caller's transaction; what became of each comes in their
	// order. An item that fails has changed nothing. An error is about all of them: nothing may be committed.
	apply func(ctx context.Context, q database.Querier, storeID store.ID, items []*item) ([]catalog.Pushed, error)
}

// newGate makes a gate for contents of type T. name gives the id that people know an item by and what tells it from others.
func newGate[T any](
	most int,
	read func(f *fields) T,
	name func(T) (id, distinct string),
	push func(ctx context.Context, q database.Querier, storeID store.ID, items []T) ([]catalog.Pushed, error),
) gate {
	return gate{
		most: most, names: "id",
		read: func(f *fields, it *item) {
			content := read(f)
			it.content = content
			it.id, it.distinct = name(content)
		},
		apply: func(ctx context.Context, q database.Querier, storeID store.ID, items []*item) ([]catalog.Pushed, error) {
			contents := make([]T, len(items))
			for i, it := range items {
				contents[i] = it.content.(T)
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

const (
	// maxItem is how many bytes an item may have, maxValuesItem one that brings a list of values.
	maxItem       = 8 << 20
	maxValuesItem = 64 << 20
)
