package search

import (
	"context"
	"errors"
	"slices"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

var (
	// errRebuild reports that the columns cannot be refreshed and must be rebuilt.
	errRebuild = errors.New("the search columns must be rebuilt")
	// errTooManyChanges reports that there are more changes than the caller allowed.
	errTooManyChanges = errors.New("too many changes to refresh the search columns")
)

// unchangedError is an error of refresh before it has changed the columns.
type unchangedError struct{ error }

func (e unchangedError) Unwrap() error { return e.error }

func isUnchanged(err error) bool {
	_, ok := errors.AsType[unchangedError](err)
	return ok
}

// refresh updates the columns to the versions of the snapshot of tx, current, which must be newer. It returns
// errTooManyChanges if more than maxChanges products or values changed, or the popularity of more products, and
// errRebuild if the changes cannot be applied; both leave the columns unchanged. After any other error the columns must
// be dropped.
func (c *searchColumns) refresh(ctx context.Context, tx store.Tx, current Versions, maxChanges int) error {
	if c.state.products < current.prunedUpTo {
		return errRebuild
	}

	past, err := isPast(ctx, tx, c.state, current)
	if err != nil {
		return unchangedError{err}
	}
	if !past { // the database was restored
		return errRebuild
	}

	keys, err := changedProducts(ctx, tx, c.state.products, current.products, maxChanges+1)
	if err != nil {
		return unchangedError{err}
	}
	if keys, err = withProductsOfStocks(ctx, tx, keys, maxChanges); err != nil {
		return err
	}

	popularity, err := readPopularity(ctx, tx, c.state, current, maxChanges)
	if errors.Is(err, errTooManyChanges) {
		return err
	}
	if err != nil {
		return unchangedError{err}
	}

	if current.attributes != c.state.attributes {
		if err := c.refreshAttributes(ctx, tx, maxChanges); err != nil {
			return err
		}
	}

	if current.categories != c.state.categories {
		if err := c.tree.load(ctx, tx); err != nil {
			return err
		}
	}

	if current.rules > c.state.search || popularity.all {
		if err := c.readTerms(ctx, tx); err != nil {
			return err
		}
	}

	if err := c.refreshProducts(ctx, tx, keys); err != nil {
		return err
	}

	popularity.apply(c)
	c.indexTexts(maxStaleRows)
	c.unsaved += len(keys)
	c.state = current.State

	return nil
}

// withProductsOfStocks replaces the keys of hidden stocks, which are negative, by the keys of the changed products, and
// returns the sorted keys. It returns errTooManyChanges if there are more than maxChanges, and errRebuild if any
// product may have changed. A request has no time to look for the products of a stock, so there are too many for its
// maxChanges.
func withProductsOfStocks(ctx context.Context, tx store.Tx, keys []int64, maxChanges int) ([]int64, error) {
	stocks, _ := slices.BinarySearch(keys, 0)
	products := keys[stocks:]
	switch {
	case len(products) > 0 && products[0] == 0:
		return nil, errRebuild
	case len(keys) > maxChanges || stocks > 0 && maxChanges <= maxInlineChanges:
		return nil, errTooManyChanges
	case stocks == 0:
		return keys, nil
	}

	for _, key := range keys[:stocks] {
		found, err := productsOfHiddenStock(ctx, tx, -key, maxChanges+1)
		if err != nil {
			return nil, err
		}
		if products = append(products, found...); len(products) > maxChanges {
			return nil, errTooManyChanges
		}
	}

	slices.Sort(products)
	return slices.Compact(products), nil
}

// refreshAttributes reads all features and options again, and the values of those that changed. It returns
// errTooManyChanges if more than maxChanges values need to be read.
func (c *searchColumns) refreshAttributes(ctx context.Context, tx store.Tx, maxChanges int) error {
	fresh, err := readAttributes(ctx, tx)
	if err != nil {
		return err
	}

	changed := map[int64]bool{}
	for key, a := range fresh {
		old := c.attributes[key]
		if a.kind == catalog.Feature && a.filterable && c.columnOf[key] == nil && old != nil {
			return errRebuild // the feature became filterable: products have values of it that are in no column
		}
		changed[key] = old == nil || old.id != a.id || old.version != a.version
	}

	// hidden are deleted values to which products still refer; see catalog.Deletions.
	var stale, hidden []int64
	for id, key := range c.values.keys {
		v := &c.values.byID[id]
		if known, ok := c.values.ids[key]; v.deleted && ok && known == uint32(id) {
			hidden = append(hidden, key)
		}
		if !v.deleted && (fresh[v.attribute] == nil || changed[v.attribute]) {
			stale = append(stale, key)
		}
	}

	if len(stale) > maxChanges {
		return errTooManyChanges
	}

	for key, a := range fresh {
		if a.kind == catalog.Feature && a.filterable && c.columnOf[key] == nil {
			c.columnOf[key] = c.shared[int(key)%len(c.shared)]
		}
	}

	c.attributes = fresh
	return c.refreshValues(ctx, tx, stale, hidden)
}

// refreshValues reads the values with these keys again and marks those that no longer exist as deleted. SQLite may
// reuse a deleted key for another value, and a combination digest is made of value keys. So the deleted keys lose their
// ids, and all combination digests are looked up again. So do the keys in hidden, whose values are deleted already.
func (c *searchColumns) refreshValues(ctx context.Context, tx store.Tx, keys, hidden []int64) error {
	deleted := map[int64]bool{}
	for _, key := range keys {
		deleted[key] = true
	}

	err := eachValue(ctx, tx, keys, func(key int64, v valueInfo) {
		id := c.values.ids[key]
		if known := &c.values.byID[id]; known.id == v.id {
			if known.name != v.name {
				c.noteRenamed(id)
			}
			*known = v
			delete(deleted, key)
		}
	})
	if err != nil {
		return err
	}

	for key := range deleted {
		c.values.byID[c.values.ids[key]].deleted = true
		c.values.forget(key)
	}

	for _, key := range hidden {
		c.values.forget(key)
	}

	if len(deleted)+len(hidden) > 0 {
		c.combinations = newCombinations()
	}

	return nil
}

// refreshProducts reads the products with these sorted keys again and removes those that no longer exist.
func (c *searchColumns) refreshProducts(ctx context.Context, tx store.Tx, keys []int64) error {
	for from := 0; from < len(keys); from += chunkLen {
		chunk := keys[from:min(from+chunkLen, len(keys))]
		list, err := readProducts(ctx, tx, chunk, c.lists)
		if err != nil {
			return err
		}
		if err := c.loadUnknown(ctx, tx, list); err != nil {
			return err
		}

		for i := range list {
			c.put(&list[i])
			for chunk[0] < list[i].key {
				c.remove(chunk[0])
				chunk = chunk[1:]
			}
			chunk = chunk[1:]
		}

		for _, key := range chunk {
			c.remove(key)
		}
	}

	return nil
}

// noteRenamed notes that a value has another name.
func (c *searchColumns) noteRenamed(value uint32) {
	if c.renamedValues == nil {
		c.renamedValues = map[uint32]bool{}
	}
	c.renamedValues[value] = true
}
