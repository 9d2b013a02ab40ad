package catalog

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// assignChunk is the number of things that one transaction gives an external id.
const assignChunk = 500

// assignStep gives an external id to the next things behind a row key. It returns the last key, and false if there are
// no more.
type assignStep func(ctx context.Context, tx store.Tx, after int64) (last int64, more bool, err error)

// assignedRows are the rows that get an external id by one statement.
type assignedRows string

// The rows that assignRows knows.
const (
	assignedAttributes assignedRows = "attributes"
	assignedValues     assignedRows = "values"
	assignedCategories assignedRows = "categories"
	assignedStocks     assignedRows = "stocks"
)

// AssignProductIDs gives the live products without an external id, and the live variants without one that are not the
// only ones of their products, their own id as one. It uses transactions of assignChunk products.
func (s *Exports) AssignProductIDs(ctx context.Context, db *database.DB, storeID store.ID) (err error) {
	defer fault.AddContext(&err, "assign external ids to products")
	if err := assignAll(ctx, db, storeID, s.assignProducts); err != nil {
		return err
	}
	return assignAll(ctx, db, storeID, s.assignVariants)
}

// AssignAttributeIDs does the same for options or features and their values.
func (s *Exports) AssignAttributeIDs(ctx context.Context, db *database.DB, storeID store.ID, kind Kind) (err error) {
	defer fault.AddContext(&err, "assign external ids to %ss", kind)
	step := func(rows assignedRows) assignStep {
		return func(ctx context.Context, tx store.Tx, after int64) (int64, bool, error) {
			last, more, err := s.assignRows(ctx, tx, after, rows, string(kind))
			if err != nil || last == 0 {
				return last, false, err
			}
			return last, more, raiseAttributesVersion(ctx, tx)
		}
	}
	if err := assignAll(ctx, db, storeID, step(assignedAttributes)); err != nil {
		return err
	}
	return assignAll(ctx, db, storeID, step(assignedValues))
}

// AssignCategoryIDs does the same for categories.
func (s *Exports) AssignCategoryIDs(ctx context.Context, db *database.DB, storeID store.ID) (err error) {
	defer fault.AddContext(&err, "assign external ids to categories")
	return assignAll(ctx, db, storeID, func(ctx context.Context, tx store.Tx, after int64) (int64, bool, error) {
		last, more, err := s.assignRows(ctx, tx, after, assignedCategories)
		if err != nil || last == 0 {
			return last, false, err
		}
		return last, more, raiseCategoriesVersion(ctx, tx)
	})
}

// AssignStockIDs does the same for stocks.
func (s *Exports) AssignStockIDs(ctx context.Context, db *database.DB, storeID store.ID) (err error) {
	defer fault.AddContext(&err, "assign external ids to stocks")
	return assignAll(ctx, db, storeID, func(ctx context.Context, tx store.Tx, after int64) (int64, bool, error) {
		return s.assignRows(ctx, tx, after, assignedStocks)
	})
}

// assignAll runs steps in transactions of their own until there is nothing more to assign.
func assignAll(ctx context.Context, db *database.DB, storeID store.ID, step assignStep) error {
	for after, more := int64(0), true; more; {
		var last int64
		err := db.WriteAlone(ctx, func(q database.Querier) (err error) {
			last, more, err = step(ctx, store.In(q, storeID), after)
			return err
		})
		if err != nil {
			return err
		}
		after = last
	}
	return nil
}

// assignProducts gives products their ids as external ids. The search text of a product has its external id, so it is
// written as by an edit.
func (s *Exports) assignProducts(ctx context.Context, tx store.Tx, after int64) (last int64, more bool, err error) {
	keys, err := productsWithoutID(ctx, tx, after)
	if err != nil || len(keys) == 0 {
		return 0, false, err
	}
	locked, err := lockProducts(ctx, tx, keys, nil)
	if err != nil {
		return 0, false, err
	}
	ws := &productWrites{tx: tx}
	var written []int64
	for _, key := range keys {
		w := locked[key]
		if w == nil || w.p.ExternalID != nil {
			continue // another transaction was faster
		}
		w.p.ExternalID = new(w.p.ID.String())
		w.p.Version++
		ws.at = laterTime(ws.at, s.updateTimeAfter(w.p.UpdatedAt))
		ws.list, written = append(ws.list, w), append(written, key)
	}
	if err := ws.save(ctx); err != nil {
		return 0, false, err
	}
	return keys[len(keys)-1], len(keys) == assignChunk, s.recordChanges(ctx, tx, written...)
}

// assignVariants gives variants their ids as external ids.
func (s *Exports) assignVariants(ctx context.Context, tx store.Tx, after int64) (last int64, more bool, err error) {
	products, read, last, err := productsWithNamelessVariants(ctx, tx, after)
	if err != nil {
		return 0, false, err
	}
	if len(products) > 0 {
		locked, err := lockProducts(ctx, tx, products, nil)
		if err != nil {
			return 0, false, err
		}
		batch := database.NewBatch(database.BigInt, database.Text)
		at := s.updateTimeAfter(s.now())
		for _, key := range products {
			w := locked[key]
			if w == nil {
				continue
			}
			at = laterTime(at, s.updateTimeAfter(w.p.UpdatedAt))
			live := otherLiveVariants(w.stored, nil)
			for _, v := range live {
				if v.ExternalID == nil && len(live) > 1 {
					batch.Add(v.Key, v.ID.String())
				}
			}
		}
		if err := setVariantIDs(ctx, tx, batch, at); err != nil {
			return 0, false, err
		}
		if err := touchPushedProducts(ctx, tx, products, at); err != nil {
			return 0, false, err
		}
		if err := s.recordChanges(ctx, tx, products...); err != nil {
			return 0, false, err
		}
	}
	return last, read == assignScan, nil
}
