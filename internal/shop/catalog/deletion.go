package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// An attribute, a value, a category, a stock or a price list may be used by very many products. If it is, the
// transaction that deletes it only hides it and adds a row to the table deletions. From then on it does not exist for
// any use case, and neither do the links to it. Every transaction that writes a product first calls RemoveHiddenLinks,
// so that it finds the product as if the links were deleted; prices in hidden lists are left where they are, since
// nobody reads them. Deletions.Run deletes all other hidden links, in short transactions, and then the hidden row
// itself. A customer group with very many customers has such a row, too; see DeleteCustomerGroup. ADR 16 has the
// reasons.

// deletionKind is the kind of the target of a deletion.
type deletionKind string

// The kinds of deletions.
const (
	deletedAttribute deletionKind = "attribute"
	deletedValue     deletionKind = "value"
	deletedCategory  deletionKind = "category"
	deletedStock     deletionKind = "stock"
	deletedPriceList deletionKind = "price_list"
	deletedGroup     deletionKind = "customer_group"
)

// deletion is a row of the table deletions.
type deletion struct {
	kind   deletionKind
	target int64 // the key of the deleted row
	// attribute is the key of a value's attribute. For a stock whose products were not recorded by key, it is the
	// version at which the stock was hidden; see Stocks.hide. Otherwise it is 0.
	attribute int64
}

// stockOfProduct is a product with a remainder in a stock.
type stockOfProduct struct{ stock, product int64 }

const (
	// defaultDirectLinks is the number of links that a deletion deletes itself, in its own transaction. With more it
	// hides its target. Deleting as many takes 10 to 40 ms on SQLite, where all other writes wait.
	defaultDirectLinks = 500
	// deletionChunk is the number of links that Run looks up at once. Deleting them takes up to 5 ms on SQLite.
	deletionChunk = 50
	// deletionSlice is the time after which Run ends a transaction.
	deletionSlice = 15 * time.Millisecond
	// deletionsEvery is how often a node looks for deletions that another node has not completed.
	deletionsEvery = time.Minute

	maxKey = math.MaxInt64
)

// RemoveHiddenLinks deletes the hidden links of products and their variants, whose rows the caller has locked, and
// updates what follows from them: versions, combinations and availability. It returns by how much the version of each
// product has grown. For every use case the products are the same as before.
func RemoveHiddenLinks(ctx context.Context, tx store.Tx, productKeys []int64) (map[int64]int64, error) {
	if len(productKeys) == 0 {
		return nil, nil
	}

	productKeys = slices.Compact(slices.Sorted(slices.Values(productKeys)))
	pending, err := ReadPendingDeletions(ctx, tx)
	if err != nil || pending == (pendingDeletions{}) {
		return nil, err
	}

	h, err := hiddenLinksOf(ctx, tx, pending, productKeys)
	if err != nil || len(h.count) == 0 {
		return nil, err
	}

	variants := make([]int64, len(h.remainders))
	for i, m := range h.remainders {
		variants[i] = m.Variant
	}

	slices.Sort(variants)
	return h.count, write.InOrder(ctx,
		func(ctx context.Context) error { return raiseVersionsBy(ctx, tx, h.count) },
		func(ctx context.Context) error { return deleteVariantValues(ctx, tx, h.options) },
		func(ctx context.Context) error { return updateCombinations(ctx, tx, ownersOf(h.options)) },
		func(ctx context.Context) error { return deleteFeatures(ctx, tx, h.features) },
		func(ctx context.Context) error { return deleteProductCategories(ctx, tx, h.categories) },
		func(ctx context.Context) error { return deleteRemaindersByKey(ctx, tx, h.remainders) },
		func(ctx context.Context) error { return insertStockChanges(ctx, tx, h.stocks) },
		func(ctx context.Context) error { return RecomputeAvailable(ctx, tx, slices.Compact(variants)) })
}

// HideValues makes values invisible and lets Run delete the links to them. at is the time in microseconds.
func (c *Core) HideValues(ctx context.Context, tx store.Tx, values []ValueKeys, at int64) error {
	keys := make([]int64, len(values))
	deletions := make([]deletion, len(values))
	for i, v := range values {
		keys[i] = v.Value
		deletions[i] = deletion{kind: deletedValue, target: v.Value, attribute: v.Attribute}
	}
	if err := hideValueRows(ctx, tx, keys, at); err != nil {
		return err
	}
	return c.addDeletions(ctx, tx, deletions...)
}

// DeletePriceList deletes a price list, which no group uses any more, with its prices. If there are very many prices,
// it hides the list, and Run deletes them later. Nobody reads the prices of a hidden list, so the versions of products
// stay.
func (c *Core) DeletePriceList(ctx context.Context, tx store.Tx, listKey int64) error {
	variants, err := variantsOfPriceList(ctx, tx, listKey, c.MaxDirectLinks+1)
	if err != nil {
		return err
	}

	if len(variants) > c.MaxDirectLinks {
		if err := hidePriceList(ctx, tx, listKey, c.Now().UnixMicro()); err != nil {
			return err
		}
		return c.addDeletions(ctx, tx, deletion{kind: deletedPriceList, target: listKey})
	}

	if err := deletePricesOf(ctx, tx, listKey, variants); err != nil {
		return err
	}
	return deletePriceList(ctx, tx, listKey)
}

// DeleteCustomerGroup deletes a customer group, with its lists. Its customers have no group then. If there are very
// many of them, their rows name the deleted group until Run clears them: every reader looks the group up, so it takes
// them for customers without a group, and counts one more for their version.
func (c *Core) DeleteCustomerGroup(ctx context.Context, tx store.Tx, groupKey int64) error {
	customers, err := customersOfGroup(ctx, tx, groupKey, c.MaxDirectLinks+1)
	if err != nil {
		return err
	}
	if err := deleteCustomerGroup(ctx, tx, groupKey); err != nil {
		return err
	}
	if len(customers) > c.MaxDirectLinks {
		return c.addDeletions(ctx, tx, deletion{kind: deletedGroup, target: groupKey})
	}
	return clearCustomers(ctx, tx, customers)
}

// deletePricesOf deletes the prices of variants in a price list. The next push of their products is applied, even if it
// is the same as the last one: it may name a new list with the id of this one.
func deletePricesOf(ctx context.Context, tx store.Tx, listKey int64, variantKeys []int64) error {
	products, err := distinctProductsOf(ctx, tx, variantKeys, nil)
	if err != nil {
		return err
	}
	if err := lockProductRows(ctx, tx, products, func(int64, *int64) {}); err != nil {
		return err
	}
	if err := deletePricesInList(ctx, tx, listKey, variantKeys); err != nil {
		return err
	}
	return clearQuantityDigests(ctx, tx, products)
}

// addDeletions lets Run delete the links to hidden targets after the commit.
func (c *Core) addDeletions(ctx context.Context, tx store.Tx, deletions ...deletion) error {
	tx.Unscoped().AfterCommit(func() { wake(c.deletionAdded) })
	for _, d := range deletions {
		if d.kind == deletedAttribute || d.kind == deletedValue || d.kind == deletedCategory {
			if err := write.TouchAnyProduct(ctx, tx); err != nil {
				return err
			}
			break
		}
	}
	return insertDeletions(ctx, tx, deletions)
}

// wake sends to a channel of capacity 1 unless it is full.
func wake(ch chan<- struct{}) {
	select {
	case ch <- struct{}{}:
	default:
	}
}

// Deletions completes the deletions of what many products use.
type Deletions struct{ *Core }

// Run deletes the links to deleted attributes, values, categories, stocks and price lists, and then these, until ctx
// ends. It may run on several nodes. After a crash it continues with what is left.
func (s *Deletions) Run(ctx context.Context, db *database.DB, log *slog.Logger) error {
	return periodic.Run(ctx, log, periodic.Task{
		Name:  "delete the links to deleted options, features, categories, stocks and price lists",
		Every: deletionsEvery, Wake: s.deletionAdded,
		Do: func(ctx context.Context) error { return s.Complete(database.InBackground(ctx), db) },
	})
}

// Complete completes all deletions, in short transactions. Stores take turns. If it fails for a store, it completes the
// deletions of the others, and returns the error.
func (s *Deletions) Complete(ctx context.Context, db *database.DB) error {
	positions := map[store.ID]deletionPosition{}
	failed := map[store.ID]error{}
	var storeID store.ID
	for worked := false; ; {
		var next store.ID
		var found bool
		err := db.Read(ctx, func(q database.Querier) (err error) {
			next, found, err = storeWithDeletions(ctx, q, storeID)
			return err
		})
		switch {
		case err != nil:
			return err
		case found && failed[next] == nil:
			if err := s.completeSome(ctx, db, next, positions); err != nil {
				failed[next] = fmt.Errorf("complete deletions of store %s: %w", next, err)
			}
			worked = true
		case !found && !worked:
			return errors.Join(slices.Collect(maps.Values(failed))...)
		case !found:
			worked = false
		}

		storeID = next // zero after the last store
	}
}

// completeSome continues the deletions of a store in one transaction that takes about deletionSlice, and stores in
// positions how far it came.
func (s *Deletions) completeSome(
	ctx context.Context, db *database.DB, storeID store.ID, positions map[store.ID]deletionPosition,
) error {
	var position deletionPosition
	err := db.WriteAlone(ctx, func(q database.Querier) error {
		tx := store.In(q, storeID)
		position = positions[storeID]
		for began := time.Now(); ; {
			more, err := s.completeChunk(ctx, tx, &position)
			if err != nil || !more || time.Since(began) >= deletionSlice {
				return err
			}
		}
	})
	if err == nil {
		positions[storeID] = position
	}
	return err
}

// deletionPosition is how far the links to the target of a deletion are deleted.
type deletionPosition struct {
	deletion
	features     bool  // the variants have no more links to the attribute or value
	value, owner int64 // the last link in the order of its index
	moved        bool  // the position is not the first one
}

// completeChunk deletes one chunk of links of the store's first deletion or, if it has none, completes the deletion. It
// reports whether there may be more to do.
func (s *Deletions) completeChunk(ctx context.Context, tx store.Tx, p *deletionPosition) (more bool, err error) {
	d, found, err := lockDeletion(ctx, tx)
	if err != nil || !found {
		return false, err
	}

	if p.deletion != d {
		*p = deletionPosition{deletion: d}
	}

	var products []int64
	switch d.kind {
	case deletedPriceList:
		if worked, err := p.deleteNextPrices(ctx, tx); err != nil || worked {
			return true, err
		}
	case deletedGroup:
		if worked, err := p.clearNextCustomers(ctx, tx); err != nil || worked {
			return true, err
		}
	default:
		products, err = p.next(ctx, tx)
	}

	switch {
	case err != nil:
		return false, err
	case len(products) > 0:
		if err := lockProductRows(ctx, tx, products, func(int64, *int64) {}); err != nil {
			return false, err
		}
		_, err = RemoveHiddenLinks(ctx, tx, products)
	case p.moved:
		*p = deletionPosition{deletion: d} // make sure that no link is left
	default:
		err = s.completeDeletion(ctx, tx, d)
	}

	return true, err
}

// deleteNextPrices deletes the next prices of a price list. It returns false if there are none behind the position.
func (p *deletionPosition) deleteNextPrices(ctx context.Context, tx store.Tx) (worked bool, err error) {
	variants, err := p.nextPriced(ctx, tx)
	if err != nil || len(variants) == 0 {
		return false, err
	}
	return true, deletePricesOf(ctx, tx, p.target, variants)
}

// clearNextCustomers clears the next customers of a deleted group. It returns false if there are none behind the
// position.
func (p *deletionPosition) clearNextCustomers(ctx context.Context, tx store.Tx) (worked bool, err error) {
	customers, err := p.nextCustomers(ctx, tx)
	if err != nil || len(customers) == 0 {
		return false, err
	}
	return true, clearCustomers(ctx, tx, customers)
}

// distinctProductsOf returns the keys of the products of variants, sorted. It returns failure if that is not nil.
func distinctProductsOf(ctx context.Context, tx store.Tx, variants []int64, failure error) ([]int64, error) {
	if failure != nil || len(variants) == 0 {
		return nil, failure
	}
	productOf, err := productsOfVariants(ctx, tx, variants)
	products := make(map[int64]bool, len(productOf))
	for _, product := range productOf {
		products[product] = true
	}
	return write.SortedKeys(products), err
}

// completeDeletion deletes a hidden row without links. The values of an attribute are deleted by Attributes.Run.
func (s *Deletions) completeDeletion(ctx context.Context, tx store.Tx, d deletion) error {
	if err := s.deleteHidden(ctx, tx, d); err != nil {
		return err
	}
	return deleteDeletion(ctx, tx, d)
}

func (s *Deletions) deleteHidden(ctx context.Context, tx store.Tx, d deletion) (err error) {
	switch d.kind {
	case deletedAttribute:
		tx.Unscoped().AfterCommit(func() { wake(s.attributeHidden) })
	case deletedValue:
		_, err = DeleteValues(ctx, tx, []int64{d.target})
	case deletedCategory:
		err = deleteCategory(ctx, tx, d.target)
	case deletedStock:
		err = deleteStock(ctx, tx, d.target)
	case deletedPriceList:
		err = deletePriceList(ctx, tx, d.target)
	case deletedGroup: // its row was deleted at once
	}
	return err
}
