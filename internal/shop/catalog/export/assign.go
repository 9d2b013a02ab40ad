package export

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// assignChunk is the number of things that one transaction gives an external id.
const assignChunk = 500

// Assignment says where external ids are assigned, and what is to be done in the first transaction that assigns one.
type Assignment struct {
	DB      *database.DB
	StoreID store.ID
	Record  func(ctx context.Context, tx store.Tx) error
	// recorded is true after a transaction with Record was committed.
	recorded bool
}

// assignStep gives an external id to the next things behind a row key.
type assignStep func(ctx context.Context, tx store.Tx, after int64) (assignProgress, error)

// assignProgress is the result of a step: the last row key, whether there may be more, and whether an id was assigned.
type assignProgress struct {
	last           int64
	more, assigned bool
}

// assignedRows are the rows that get an external id by one statement.
type assignedRows string

// The rows that assignRows knows.
const (
	assignedAttributes assignedRows = "attributes"
	assignedValues     assignedRows = "values"
	assignedCategories assignedRows = "categories"
	assignedStocks     assignedRows = "stocks"
	assignedPriceLists assignedRows = "price lists"
)

// AssignProductIDs gives the live products without an external id, and the live variants without one that are not the
// only ones of their products, their own id as one. It uses transactions of assignChunk products.
func (s *Exports) AssignProductIDs(ctx context.Context, a *Assignment) (err error) {
	defer fault.AddContext(&err, "assign external ids to products")
	if err := a.run(ctx, s.assignProducts); err != nil {
		return err
	}
	return a.run(ctx, s.assignVariants)
}

// AssignAttributeIDs does the same for options or features and their values.
func (s *Exports) AssignAttributeIDs(ctx context.Context, a *Assignment, kind catalog.Kind) (err error) {
	defer fault.AddContext(&err, "assign external ids to %ss", kind)
	step := func(rows assignedRows) assignStep {
		return func(ctx context.Context, tx store.Tx, after int64) (assignProgress, error) {
			last, more, err := s.assignRows(ctx, tx, after, rows, string(kind))
			if err != nil || last == 0 {
				return assignProgress{}, err
			}
			return assignProgress{last, more, true}, catalog.RaiseAttributesVersion(ctx, tx)
		}
	}
	if err := a.run(ctx, step(assignedAttributes)); err != nil {
		return err
	}
	return a.run(ctx, step(assignedValues))
}

// AssignCategoryIDs does the same for categories.
func (s *Exports) AssignCategoryIDs(ctx context.Context, a *Assignment) (err error) {
	defer fault.AddContext(&err, "assign external ids to categories")
	return a.run(ctx, func(ctx context.Context, tx store.Tx, after int64) (assignProgress, error) {
		last, more, err := s.assignRows(ctx, tx, after, assignedCategories)
		if err != nil || last == 0 {
			return assignProgress{}, err
		}
		return assignProgress{last, more, true}, catalog.RaiseCategoriesVersion(ctx, tx)
	})
}

// AssignStockIDs does the same for stocks.
func (s *Exports) AssignStockIDs(ctx context.Context, a *Assignment) (err error) {
	defer fault.AddContext(&err, "assign external ids to stocks")
	return a.run(ctx, s.assignStep(assignedStocks))
}

// AssignPriceListIDs does the same for price lists.
func (s *Exports) AssignPriceListIDs(ctx context.Context, a *Assignment) (err error) {
	defer fault.AddContext(&err, "assign external ids to price lists")
	return a.run(ctx, s.assignStep(assignedPriceLists))
}

// assignStep returns the step of rows whose external ids nothing else depends on.
func (s *Exports) assignStep(rows assignedRows) assignStep {
	return func(ctx context.Context, tx store.Tx, after int64) (assignProgress, error) {
		last, more, err := s.assignRows(ctx, tx, after, rows)
		return assignProgress{last, more, last != 0}, err
	}
}

// run runs steps in transactions of their own until there is nothing more to assign.
func (a *Assignment) run(ctx context.Context, step assignStep) error {
	for done := (assignProgress{more: true}); done.more; {
		var next assignProgress
		err := a.DB.WriteAlone(ctx, func(q database.Querier) (err error) {
			tx := store.In(q, a.StoreID)
			next, err = step(ctx, tx, done.last)
			if err != nil || !next.assigned || a.recorded {
				return err
			}
			return a.Record(ctx, tx)
		})
		if err != nil {
			return err
		}

		a.recorded = a.recorded || next.assigned
		done = next
	}

	return nil
}

// assignProducts gives products their ids as external ids. The search text of a product has its external id, so it is
// written as by an edit.
func (s *Exports) assignProducts(ctx context.Context, tx store.Tx, after int64) (done assignProgress, err error) {
	keys, err := productsWithoutID(ctx, tx, after)
	if err != nil || len(keys) == 0 {
		return done, err
	}
	written, err := s.assignProductKeys(ctx, tx, keys)
	if err != nil {
		return done, err
	}
	done = assignProgress{last: keys[len(keys)-1], more: len(keys) == assignChunk, assigned: len(written) > 0}
	return done, s.RecordChanges(ctx, tx, written...)
}

// assignProductKeys gives those of the products with these row keys that lack one an external id, and returns them. The
// caller records the changes.
func (s *Exports) assignProductKeys(ctx context.Context, tx store.Tx, keys []int64) (written []int64, err error) {
	locked, err := catalog.LockProducts(ctx, tx, keys, nil)
	if err != nil {
		return nil, err
	}

	ws := &catalog.ProductWrites{Tx: tx}
	for _, key := range keys {
		w := locked[key]
		if w == nil || w.Product.ExternalID != nil {
			continue // another transaction was faster
		}
		w.Product.ExternalID = new(w.Product.ID.String())
		w.Product.Version++
		ws.Time = write.LaterTime(ws.Time, s.UpdateTimeAfter(w.Product.UpdatedAt))
		ws.List, written = append(ws.List, w), append(written, key)
	}

	return written, ws.Save(ctx)
}

// assignVariants makes the ids of variants without an external id their external ids, in products with several live
// variants.
func (s *Exports) assignVariants(ctx context.Context, tx store.Tx, after int64) (done assignProgress, err error) {
	products, read, last, err := productsWithNamelessVariants(ctx, tx, after)
	if err != nil {
		return done, err
	}

	if len(products) > 0 {
		if done.assigned, err = s.assignVariantsOf(ctx, tx, products); err != nil {
			return done, err
		}
		if err := s.RecordChanges(ctx, tx, products...); err != nil {
			return done, err
		}
	}

	done.last = last
	done.more = read == assignScan
	return done, nil
}

// assignVariantsOf does the same for the variants of the products with these row keys, and reports whether one lacked
// an external id. The caller records the changes.
func (s *Exports) assignVariantsOf(ctx context.Context, tx store.Tx, products []int64) (assigned bool, err error) {
	locked, err := catalog.LockProducts(ctx, tx, products, nil)
	if err != nil {
		return false, err
	}

	batch := database.NewBatch(database.BigInt, database.Text)
	at := s.UpdateTimeAfter(s.Now())
	for _, key := range products {
		w := locked[key]
		if w == nil {
			continue
		}

		at = write.LaterTime(at, s.UpdateTimeAfter(w.Product.UpdatedAt))
		live := catalog.OtherLiveVariants(w.Stored, nil)
		for _, v := range live {
			if v.ExternalID == nil && len(live) > 1 {
				batch.Add(v.Key, v.ID.String())
			}
		}
	}

	if err := setVariantIDs(ctx, tx, batch, at); err != nil {
		return false, err
	}
	return batch.Len() > 0, catalog.TouchPushedProducts(ctx, tx, products, at)
}
