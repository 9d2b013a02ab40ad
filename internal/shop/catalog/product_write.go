package catalog

import (
	"context"
	"errors"
	"slices"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
)

// PushMark is what a product keeps of its last pushes, to recognize an item that was pushed before. Its members are
// columns. An edit of the product clears all of them, an edit of prices or remainders only Whole and Prices.
type PushMark struct {
	// Whole has the digests of whole products, by the members that were written: package push has the coding.
	Whole []byte
	// Goods is the digest of the last goods part. The digest of the line that had it may follow: see PushedLine.
	Goods []byte
	// Offers is the same for the last offers part if it had no price and no remainders, otherwise Prices is.
	Offers []byte
	Prices []byte
}

// ProductWrite is a planned write of one product.
type ProductWrite struct {
	Product Product         // after the write
	Before  Product         // before the write
	Added   bool            // the product is new; p.Key is set once it is inserted
	Stored  []StoredVariant // the variants before the write; empty for a new product
	Edit    ProductEdit
	Path    rule.FieldPath // path of the product in the request
	// Pushed is the mark after the write, if a push writes the product; otherwise it is nil, which clears the mark.
	Pushed *PushMark
	// SourceVersion is the version of the pushed item; nil keeps the stored one.
	SourceVersion *int64
	// Article is the good's own article, and GoodBarcodes are its own barcodes; nil leaves the stored ones.
	Article      *string
	GoodBarcodes *Barcodes
	// StoredArticle and StoredGoodBarcodes are those before the write, and StoredMark is what earlier pushes have left.
	StoredArticle      string
	StoredGoodBarcodes Barcodes
	StoredMark         PushMark
	// StoredCategories are the categories before the write. They are needed for an edit that has a canonical category
	// and no list of categories.
	StoredCategories CategoryMarks
	// AwaitedCanonical is the external id of the canonical category, if that has not come yet. Then the edit has the
	// default.
	AwaitedCanonical string
	// WrittenApart are the members that are written in other ways than by the edit: the images of a push.
	WrittenApart productfield.Set
	// MergesVariants says that variants which are not sent stay, and remainders in stocks which are not named. With
	// CompletesStock, such remainders become 0.
	MergesVariants, CompletesStock bool
	// CompletesPrices says that a variant has no other prices in a list than those that are sent, if some are.
	CompletesPrices bool

	categories []int64
	canonical  int64 // key of the canonical category; 0 for the default
	features   []ValueKeys
	images     []int64
	slug       *slug.Claim  // nil if the slug stays, or before ChooseSlugs
	Plan       *VariantPlan // nil if the variants stay unchanged
}

// indexedColumnsChange reports whether the external id changes or the product is archived or restored.
func (w *ProductWrite) indexedColumnsChange() bool {
	return !write.EqualStrings(w.Product.ExternalID, w.Before.ExternalID) ||
		(w.Product.ArchivedAt == nil) != (w.Before.ArchivedAt == nil)
}

// PlanWrite computes the product after the edit, and adds broken rules to wrong.
func (w *ProductWrite) PlanWrite(refs *References, wrong *rule.Violations) {
	if w.Product.Name == "" && w.Edit.Name == nil {
		wrong.NameRequired(w.Path, "product")
	}
	w.Product.apply(&w.Edit, w.Path, wrong)
	w.categories = refs.categoriesOf(write.OrEmpty(w.Edit.Categories), w.Path, wrong)
	w.canonical = refs.canonicalOf(w, wrong)
	w.features = refs.featuresOf(write.OrEmpty(w.Edit.Features), w.Path, wrong)
	w.images = refs.imagesOf(write.OrEmpty(w.Edit.Images), w.Product.Key, w.Path, wrong)
	if w.Edit.Variants != nil {
		w.Plan = planVariants(w, refs, wrong)
	}
}

// codes returns the codes of the variants that the product has after the write.
func (w *ProductWrite) codes() []string {
	if w.Plan != nil {
		return w.Plan.codes()
	}
	var codes []string
	for i := range w.Stored {
		if w.Stored[i].Live() {
			codes = w.Stored[i].appendCodes(codes)
		}
	}
	return codes
}

// HasVariants reports whether the product has a live variant after the write.
func (w *ProductWrite) HasVariants() bool {
	if w.Plan != nil {
		return slices.ContainsFunc(w.Plan.Sent,
			func(p *PlannedVariant) bool { return p.Live() }) || len(w.Plan.Kept) > 0
	}
	return slices.ContainsFunc(w.Stored, func(v StoredVariant) bool { return v.Live() })
}

// ProductWrites are the writes of several products in the caller's transaction.
type ProductWrites struct {
	Tx   store.Tx
	Time time.Time // the time of the write
	List []*ProductWrite
	// ReadTaken reads what quantities of the edits leave out, see FreeStock. It is nil if they leave out nothing.
	ReadTaken func(ctx context.Context, variantKeys []int64) (Quantities, error)
	// CategoryKey returns the key of a category by its external id, or 0. It is nil if nothing is known by external
	// ids.
	CategoryKey func(externalID string) int64
}

// check returns fault.Invalid if wrong has broken rules. Otherwise it checks the rules that need valid data:
// combinations, then external ids.
func (ws *ProductWrites) check(wrong *rule.Violations) error {
	if err := wrong.Fault(); err != nil {
		return err
	}

	for _, w := range ws.List {
		if w.Plan != nil {
			w.Plan.CheckCombinations(wrong)
		}
	}

	if err := wrong.Fault(); err != nil {
		return err
	}

	for _, w := range ws.List {
		if w.Plan == nil {
			continue
		}
		if err := w.Plan.checkExternalIDs(w.Stored); err != nil {
			return err
		}
	}

	return nil
}

// Save writes the products and everything that belongs to them, with a fixed number of statements.
func (ws *ProductWrites) Save(ctx context.Context) error {
	return write.InOrder(ctx, ws.checkExternalIDs, ws.chooseSlugs, ws.insertProducts, ws.updateProducts,
		ws.saveSlugs, ws.recordOldIDs,
		ws.writeCategories, ws.writeFeatures, ws.writeImages, ws.writeVariants, ws.dropPendingOfLocked)
}

// ErrSlugTaken says that another transaction took the given slug of a product, after ChooseSlugs found it free.
var ErrSlugTaken = errors.New("another transaction took the slug")

// ChooseSlugs decides which slugs the products get whose writes ask for one, with a fixed number of statements: new
// products, those without a slug, and those whose edits have one. It returns the writes that must fail, since another
// product has their slug. Save calls it for the writes for which nobody has.
func ChooseSlugs(ctx context.Context, tx store.Tx, writes []*ProductWrite) (taken []*ProductWrite, err error) {
	var claims []*slug.Claim
	var claiming []*ProductWrite
	for _, w := range writes {
		p := &w.Product
		if p.Slug != "" && p.Slug == w.Before.Slug || w.slug != nil {
			continue
		}
		w.slug = &slug.Claim{Key: p.Key, ID: p.ID, Name: p.Name, Given: p.Slug, Present: w.Before.Slug}
		claims = append(claims, w.slug)
		claiming = append(claiming, w)
	}

	if len(claims) == 0 {
		return nil, nil
	}
	if err := slug.Choose(ctx, tx, slug.Product, claims); err != nil {
		return nil, err
	}

	for _, w := range claiming {
		w.Product.Slug = w.slug.Slug
		if w.slug.IsTaken {
			taken = append(taken, w)
		}
	}
	return taken, nil
}

// chooseSlugs calls ChooseSlugs, and returns fault.Invalid if other products have slugs of this request.
func (ws *ProductWrites) chooseSlugs(ctx context.Context) error {
	taken, err := ChooseSlugs(ctx, ws.Tx, ws.List)
	if err != nil {
		return err
	}
	return slugsTaken(taken, nil)
}

// saveSlugs records the slugs that the products have got.
func (ws *ProductWrites) saveSlugs(ctx context.Context) error {
	var claims []*slug.Claim
	var taken []*ProductWrite
	for _, w := range ws.List {
		if w.slug != nil {
			w.slug.Key = w.Product.Key
			claims = append(claims, w.slug)
		}
	}

	if len(claims) == 0 {
		return nil
	}
	if err := slug.Save(ctx, ws.Tx, slug.Product, claims); err != nil {
		return err
	}

	for _, w := range ws.List {
		if w.slug == nil {
			continue
		}
		if w.Product.Slug = w.slug.Slug; w.slug.IsTaken {
			taken = append(taken, w)
		}
	}
	return slugsTaken(taken, ErrSlugTaken)
}

// slugsTaken returns fault.Invalid naming the slugs of writes, or nil if there are none.
func slugsTaken(writes []*ProductWrite, cause error) error {
	var wrong rule.Violations
	for _, w := range writes {
		wrong.Check(w.Path, "slug", slug.Taken(w.slug.Given))
	}
	if err := wrong.Fault(); err != nil {
		return errors.Join(err, cause)
	}
	return nil
}

// SlugTaken returns the broken rule of the given slug, which another product has.
func (w *ProductWrite) SlugTaken() fault.Field { return slug.Taken(w.slug.Given).At("slug") }
