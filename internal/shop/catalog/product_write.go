package catalog

import (
	"context"
	"slices"
	"time"

	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// productWrite is a planned write of one product.
type productWrite struct {
	p      Product         // after the write
	was    Product         // before the write
	added  bool            // the product is new; p.Key is set once it is inserted
	stored []storedVariant // the variants before the write; empty for a new product
	e      ProductEdit
	at     fieldPath // path of the product in the request
	// pushed is what the product keeps of its last pushes, if a push writes it; otherwise it is nil, which clears it.
	pushed pushMark
	// sourceVersion is the version of the pushed item; nil keeps the stored one.
	sourceVersion *int64
	// article is the good's own article; nil leaves the stored one.
	article *string
	// storedArticle is the article before the write, and storedMark what earlier pushes have left.
	storedArticle string
	storedMark    pushMark
	// writtenApart are the members that are written in other ways than by the edit: the images of a push.
	writtenApart productfield.Set
	// mergesVariants says that variants which are not sent stay, and remainders in stocks which are not named. With
	// completesStock, those remainders become 0.
	mergesVariants, completesStock bool

	categories []int64
	features   []valueKeys
	images     []int64
	plan       *variantPlan // nil if the variants stay unchanged
}

// indexedColumnsChange reports whether the external id changes or the product is archived or restored.
func (w *productWrite) indexedColumnsChange() bool {
	return !equalStrings(w.p.ExternalID, w.was.ExternalID) || (w.p.ArchivedAt == nil) != (w.was.ArchivedAt == nil)
}

// planWrite computes the product after the edit, and adds broken rules to wrong.
func (w *productWrite) planWrite(refs *references, wrong *violations) {
	w.p.apply(w.e, w.at, wrong)
	w.categories = refs.categoriesOf(orEmpty(w.e.Categories), w.at, wrong)
	w.features = refs.featuresOf(orEmpty(w.e.Features), w.at, wrong)
	w.images = refs.imagesOf(orEmpty(w.e.Images), w.p.Key, w.at, wrong)
	if w.e.Variants != nil {
		w.plan = planVariants(w, refs, wrong)
	}
}

// skus returns the SKUs of the variants that the product has after the write.
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

// hasVariants reports whether the product has a live variant after the write.
func (w *productWrite) hasVariants() bool {
	if w.plan != nil {
		return slices.ContainsFunc(w.plan.sent, func(p *plannedVariant) bool { return p.live() }) || len(w.plan.kept) > 0
	}
	return slices.ContainsFunc(w.stored, func(v storedVariant) bool { return v.live() })
}

// productWrites are the writes of several products in the caller's transaction.
type productWrites struct {
	tx   store.Tx
	at   time.Time // the time of the write
	list []*productWrite
	// readTaken reads what quantities of the edits leave out, see FreeStock. It is nil if they leave out nothing.
	readTaken func(ctx context.Context, variantKeys []int64) (quantities, error)
}

// check returns fault.Invalid if wrong has broken rules. Otherwise it checks the rules that need valid data:
// combinations, then external ids.
func (ws *productWrites) check(wrong *violations) error {
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

// save writes the products and everything that belongs to them, with a fixed number of statements.
func (ws *productWrites) save(ctx context.Context) error {
	return inOrder(ctx, ws.checkExternalIDs, ws.insertProducts, ws.updateProducts, ws.recordOldIDs,
		ws.writeCategories, ws.writeFeatures, ws.writeImages, ws.writeVariants, ws.dropPendingOfLocked)
}

// inOrder runs steps until one fails.
func inOrder(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}
