package catalog

import (
	"context"
	"time"

	"vitrine/internal/shop/store"
)

// productWrite is what a request makes of one product.
type productWrite struct {
	p      Product         // as it shall be
	was    Product         // before the write
	added  bool            // it is new: its key is known once it is inserted
	stored []storedVariant // before the write; none of a new product
	e      ProductEdit
	at     fieldPath // of the product in the request
	pushed *Digest   // of the push that writes it; nil where anybody else does

	categories []int64
	features   []valueKeys
	images     []int64
	plan       *variantPlan // nil where the variants stay as they are
}

// indexedColumnsChange reports whether the product gets another external id, leaves the shop or comes back to it.
func (w *productWrite) indexedColumnsChange() bool {
	return !equalStrings(w.p.ExternalID, w.was.ExternalID) || (w.p.ArchivedAt == nil) != (w.was.ArchivedAt == nil)
}

// decide settles what the edit makes of the product, and notes which rules it breaks.
func (w *productWrite) decide(refs *references, wrong *breaches) {
	w.p.apply(w.e, w.at, wrong)
	w.categories = refs.categoriesOf(w.e.categories(), w.at, wrong)
	w.features = refs.featuresOf(w.e.features(), w.at, wrong)
	w.images = refs.imagesOf(w.e.images(), w.p.Key, w.at, wrong)
	if w.e.Variants != nil {
		w.plan = planVariants(w, refs, wrong)
	}
}

// skus are those of the variants that the product has after the write.
func (w *productWrite) skus() []string {
	if w.plan != nil {
		return w.plan.skus()
	}
	var skus []string
	for i := range w.stored {
		if w.stored[i].live() {
			skus = append(skus, w.stored[i].SKU)
		}
	}
	return skus
}

// variant returns the product's variant with that id, archived or not; nil if it has none.
func (w *productWrite) variant(variantID VariantID) *storedVariant {
	for i := range w.stored {
		if w.stored[i].ID == variantID {
			return &w.stored[i]
		}
	}
	return nil
}

// productWrites are products on their way into the database, inside the caller's transaction.
type productWrites struct {
	tx   store.Tx
	at   time.Time // of all that is written
	list []*productWrite
}

// check returns what was noted as wrong, then the rules that can be told only where nothing else is.
func (ws *productWrites) check(wrong *breaches) error {
	if err := wrong.fault(); err != nil {
		return err
	}
	for _, w := range ws.list {
		if w.plan != nil {
			w.plan.checkCombinations(wrong)
		}
	}
	if err := wrong.fault(); err != nil {
		return err
	}
	for _, w := range ws.list {
		if w.plan == nil {
			continue
		}
		if err := w.plan.checkExternalIDs(w.stored); err != nil {
			return err
		}
	}
	return nil
}

// save writes the products and all that belongs to them, with a number of statements that does not depend on theirs.
func (ws *productWrites) save(ctx context.Context) error {
	for _, write := range []func(context.Context) error{
		ws.checkExternalIDs, ws.insertProducts, ws.updateProducts,
		ws.writeCategories, ws.writeFeatures, ws.writeImages, ws.writeVariants,
	} {
		if err := write(ctx); err != nil {
			return err
		}
	}
	return nil
}
