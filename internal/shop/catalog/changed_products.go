package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// touchedNamed is up to how many products a long change names as changed. Beyond, it is as well to read all of them anew, and they need not
// be remembered.
const touchedNamed = 10_000

// touched gathers the products that a long change touches, piece by piece, as long as they are few enough to be named.
type touched struct{ keys map[int64]bool }

func (t *touched) add(productKeys []int64) {
	if t.keys == nil {
		t.keys = map[int64]bool{}
	}
	for _, key := range productKeys {
		if t.many() {
			return
		}
		t.keys[key] = true
	}
}

// many reports whether there are more than are named.
func (t *touched) many() bool { return len(t.keys) > touchedNamed }

// touchedChanged is productsChanged for them, or anyProductChanged.
func (s *core) touchedChanged(ctx context.Context, q database.Querier, storeID store.ID, t touched) error {
	if t.many() {
		return s.anyProductChanged(ctx, q, storeID)
	}
	return s.productsChanged(ctx, q, storeID, slices.Sorted(maps.Keys(t.keys))...)
}
