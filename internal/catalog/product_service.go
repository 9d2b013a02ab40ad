package catalog

import (
	"context"
	"time"

	"vitrine/internal/database"
	"vitrine/internal/fault"
	"vitrine/internal/id"
	"vitrine/internal/store"
)

// Products returns one page of a store's products in the order in which they were made, with their prices, and how many there are
// in all; archived ones are left out. search, if not empty, must match the name, a sku or the external id.
func (s *Service) Products(ctx context.Context, q database.Querier, storeID store.ID, search string, limit, offset int64) ([]Product, int64, error) {
	list, total, err := pageOfProducts(ctx, q, storeID, search, limit, offset)
	if err != nil {
		return nil, 0, err
	}
	return list, total, fillPrices(ctx, q, storeID, list)
}

// Product returns one product with its prices, or fault.NotFound; an archived one is not found.
func (s *Service) Product(ctx context.Context, q database.Querier, storeID store.ID, productID ProductID) (Product, error) {
	p, err := oneProduct(ctx, q, storeID, productID, "")
	if err != nil {
		return Product{}, err
	}
	if p.ArchivedAt != nil {
		return Product{}, fault.Missing("product")
	}
	return priced(ctx, q, storeID, p)
}

func priced(ctx context.Context, q database.Querier, storeID store.ID, p Product) (Product, error) {
	one := []Product{p}
	err := fillPrices(ctx, q, storeID, one)
	return one[0], err
}

// FillVariants reads the variants of products with their options: one query each for all of them. Archived ones are left out.
func (s *Service) FillVariants(ctx context.Context, q database.Querier, storeID store.ID, products []Product) error {
	if err := fillVariants(ctx, q, storeID, products); err != nil {
		return err
	}
	return fillOptions(ctx, q, storeID, products)
}

// FillFeatures reads the features of products with one query for all of them.
func (s *Service) FillFeatures(ctx context.Context, q database.Querier, storeID store.ID, products []Product) error {
	return fillFeatures(ctx, q, storeID, products)
}

// CreateProduct makes a product with its features and variants; ids inside the variants are ignored. It returns fault.Invalid naming
// each broken rule, or fault.Conflict for an external id that is taken; the caller then rolls back.
func (s *Service) CreateProduct(ctx context.Context, q database.Querier, storeID store.ID, e ProductEdit) (Product, error) {
	e = e.asNew()
	refs, err := lockReferences(ctx, q, storeID, e)
	if err != nil {
		return Product{}, err
	}
	now := s.now().UTC().Truncate(time.Microsecond)
	w := productWrite{q: q, storeID: storeID, p: Product{ID: id.New[Product](), Version: 1, CreatedAt: now, UpdatedAt: now}}
	if err := w.decide(e, refs); err != nil {
		return Product{}, err
	}
	return w.save(ctx, e, insertProduct)
}

// EditProduct applies an edit; a list that is sent is the full list, and a variant that is not in it is archived. It returns
// fault.NotFound, fault.Stale, fault.Invalid naming each broken rule, or fault.Conflict for an external id that is taken; the caller
// then rolls back.
//
// Attributes are locked before the product: who edits an option holds it while locking the products whose variants lose a value.
func (s *Service) EditProduct(ctx context.Context, q database.Querier, storeID store.ID, productID ProductID, e ProductEdit, pre Precondition) (Product, error) {
	refs, err := lockReferences(ctx, q, storeID, e)
	if err != nil {
		return Product{}, err
	}
	w := productWrite{q: q, storeID: storeID}
	if w.p, err = oneProduct(ctx, q, storeID, productID, q.Dialect().ForUpdate); err != nil {
		return Product{}, err
	}
	if err := pre.check(w.p.Version); err != nil {
		return Product{}, err
	}
	if w.stored, err = storedVariants(ctx, q, storeID, w.p.Key); err != nil {
		return Product{}, err
	}
	w.p.Version++
	w.p.UpdatedAt = s.after(w.p.UpdatedAt)
	if err := w.decide(e, refs); err != nil {
		return Product{}, err
	}
	return w.save(ctx, e, updateProduct)
}

// DeleteProduct deletes a product with its variants. It returns fault.NotFound or fault.Stale.
func (s *Service) DeleteProduct(ctx context.Context, q database.Querier, storeID store.ID, productID ProductID, pre Precondition) error {
	p, err := oneProduct(ctx, q, storeID, productID, q.Dialect().ForUpdate)
	if err != nil {
		return err
	}
	if err := pre.check(p.Version); err != nil {
		return err
	}
	_, err = q.Exec(ctx, deleteProductSQL, storeID, p.Key)
	return err
}

// productWrite is one product on its way into the database, inside the caller's transaction.
type productWrite struct {
	q       database.Querier
	storeID store.ID
	p       Product
	stored  []storedVariant // before the write; none of a new product

	features []link
	plan     *variantPlan // nil where no variants were sent
}

// decide settles what the edit makes of the product, and says which rules it breaks.
func (w *productWrite) decide(e ProductEdit, refs *references) error {
	var wrong breaches
	w.p.settle(e, &wrong)
	w.features = refs.features(e.features(), &wrong)
	if e.Variants != nil {
		w.plan = planVariants(w.stored, *e.Variants, refs, &wrong)
	}
	if err := wrong.fault(); err != nil || w.plan == nil {
		return err
	}
	if w.plan.checkCombinations(&wrong); wrong.fault() != nil {
		return wrong.fault()
	}
	return w.plan.checkExternalIDs(w.stored)
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

func (w *productWrite) save(ctx context.Context, e ProductEdit, put func(context.Context, database.Querier, store.ID, *Product, string) error) (Product, error) {
	if e.ExternalID != nil {
		if err := checkExternalID(ctx, w.q, w.storeID, &w.p); err != nil {
			return Product{}, err
		}
	}
	if err := put(ctx, w.q, w.storeID, &w.p, w.p.words(w.skus())); err != nil {
		return Product{}, err
	}
	if e.Features != nil {
		if err := replaceFeatures(ctx, w.q, w.storeID, w.p.Key, w.features); err != nil {
			return Product{}, err
		}
	}
	if w.plan != nil {
		if err := w.plan.write(ctx, w.q, w.storeID, w.p.Key, w.p.UpdatedAt.UnixMicro()); err != nil {
			return Product{}, variantFault(err)
		}
	}
	return priced(ctx, w.q, w.storeID, w.p)
}

// variantFault tells a client what a unique index means. The rules are checked before, under the product's lock, so this is what
// stays between a mistake of ours and an answer of 500.
func variantFault(err error) error {
	switch {
	case database.ViolatesIndex(err, "variants_combination", "variants.store_id, variants.product_key, variants.combination, variants.twin"):
		var wrong breaches
		wrong.sameCombination("variants", "Another variant of this product")
		return wrong.fault()
	case database.ViolatesIndex(err, "variants_external", "variants.store_id, variants.product_key, variants.external_id"):
		return externalIDTaken("variants", "variant of this product")
	}
	return err
}
