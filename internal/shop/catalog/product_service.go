package catalog

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// ByKeys returns the products with these row keys, in the given order, including archived ones, with their prices and
// availability. Keys that the store does not have are left out.
func (s *Products) ByKeys(ctx context.Context, tx store.Tx, keys []int64) (_ []Product, err error) {
	defer fault.AddContext(&err, "read %d products", len(keys))
	list, err := productsOf(ctx, tx, keys)
	if err != nil {
		return nil, err
	}
	return list, fillTotals(ctx, tx, list)
}

// Find returns a product with its prices and availability, or fault.NotFound. The parameter which selects live
// products, archived ones, or both.
func (s *Products) Find(ctx context.Context, tx store.Tx, productID ProductID, which Archived) (_ Product, err error) {
	defer fault.AddContext(&err, "read product %s", productID)
	p, err := findProduct(ctx, tx, productID, which)
	if err != nil {
		return Product{}, err
	}
	one := []Product{p}
	err = fillTotals(ctx, tx, one)
	return one[0], err
}

// findProduct returns the row of a product, or fault.NotFound. The parameter which has the same meaning as in Find.
func findProduct(ctx context.Context, tx store.Tx, productID ProductID, which Archived) (Product, error) {
	p, err := selectProduct(ctx, tx, productID)
	if err == nil && !which.matches(p.ArchivedAt) {
		err = fault.Missing("product")
	}
	return p, err
}

// KeysByExternalID maps the external ids of existing products, including archived ones, to their row keys.
func (s *Products) KeysByExternalID(
	ctx context.Context, tx store.Tx, externalIDs []string,
) (_ map[string]int64, err error) {
	defer fault.AddContext(&err, "find %d products", len(externalIDs))
	return productKeysOf(ctx, tx, externalIDs)
}

// FillImages fills in the images of products, in display order and without dates, with one query.
func (s *Products) FillImages(ctx context.Context, tx store.Tx, products []Product) (err error) {
	defer fault.AddContext(&err, "read images of %d products", len(products))
	return fillImages(ctx, tx, products)
}
