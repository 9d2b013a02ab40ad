package catalog

import (
	"context"

	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// valueMover moves variants or products from values of an attribute to another value of it, in the caller's
// transaction. The attribute is locked. The digests of last pushes stay: the external ids in them mean the value that
// stays, so that a repeated push is unchanged.
type valueMover struct {
	tx       store.Tx
	kind     Kind
	into     int64 // key of the value that stays
	products ChangedProducts
	// moved is called with the keys of each chunk of variants or products that were moved. It may be nil.
	moved func(ctx context.Context, ownerKeys []int64) error
}

// moveUpTo moves all that have one of the values, unless these are more than limit: then it moves nothing and returns
// false. With the function moved it moves any number of them.
func (m *valueMover) moveUpTo(ctx context.Context, attributeKey int64, from []int64, limit int) (bool, error) {
	values := make([]ValueKeys, len(from))
	for i, key := range from {
		values[i] = ValueKeys{attributeKey, key}
	}

	links := &ValueCascade{Tx: m.tx, Kind: m.kind}
	if m.moved == nil {
		found, err := links.ownersOfValues(ctx, values, limit+1)
		if err != nil || len(found) > limit {
			return false, err
		}
	}

	for {
		found, err := links.ownersOfValues(ctx, values, write.ChunkSize)
		if err != nil || len(found) == 0 {
			return err == nil, err
		}
		if err := m.move(ctx, found); err != nil {
			return false, err
		}
	}
}

// move moves the owners of links to the value that stays.
func (m *valueMover) move(ctx context.Context, links []ownedValue) error {
	owners := ownersOf(links)
	products := owners
	if m.kind == Option {
		var err error
		if products, err = distinctProductsOf(ctx, m.tx, owners, nil); err != nil {
			return err
		}
	}

	if err := lockProductRows(ctx, m.tx, products, func(int64, *int64) {}); err != nil {
		return err
	}
	if _, err := RemoveHiddenLinks(ctx, m.tx, products); err != nil {
		return err
	}
	if err := raiseProductVersions(ctx, m.tx, products); err != nil {
		return err
	}

	var err error
	if m.kind == Option {
		if err = moveVariantValues(ctx, m.tx, links, m.into); err == nil {
			err = updateCombinations(ctx, m.tx, owners)
		}
	} else {
		err = moveFeatures(ctx, m.tx, links, m.into)
	}

	m.products.Add(products)
	if err == nil && m.moved != nil {
		err = m.moved(ctx, owners)
	}

	return err
}
