package push

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// ApplyPrices sets the prices of variants, archived ones included, and returns an outcome for each item, in the order
// of items. A variant is found by its external id. If the only variant of a product has no external id, it is found by
// the external id of the product. An item that matches no variant, or several, fails; the other items are applied.
// A price that the shop has locked stays. After an error, such as ErrOvertaken, the caller must roll back.
func (s *Pushes) ApplyPrices(ctx context.Context, tx store.Tx, items []catalog.PricePush) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed prices", len(items))

	names := make([]variantName, len(items))
	for i, item := range items {
		names[i] = newVariantName(item.Variant, item.Product)
	}

	b, err := s.findOrCreateVariants(ctx, tx, names, func(i int) offeredVariant {
		return offeredVariant{items[i].Creates, items[i].EmptyStock}
	})
	if err != nil {
		return nil, err
	}

	for i, item := range items {
		b.check(i, "price", item.Price.Check())
	}

	differ := map[int64]bool{}
	for i, item := range items {
		if v := b.items[i]; v != nil && v.price != item.Price && !item.NotOwned {
			differ[v.key] = true
		}
	}

	if err := b.lockVariants(ctx, differ); err != nil {
		return nil, err
	}

	written := map[int64]money.Price{}
	for i, item := range items {
		v := b.items[i]
		switch {
		case v == nil:
		case item.NotOwned:
			b.outcomes[i].leaveNotOwned(v.productKey, "price")
		case v.price == item.Price:
			b.outcomes[i].Outcome = Unchanged
		case b.locks[v.productKey].Has(productfield.Price):
			b.outcomes[i].Outcome = Unchanged
			b.outcomes[i].warnOfProduct(v.productKey, "price", "locked",
				"The shop has locked the prices of this product, so they stay as they are.")
		default:
			b.outcomes[i].Outcome = Updated
			v.price, written[v.key] = item.Price, item.Price
		}
	}

	if err := b.savePrices(ctx, written); err != nil {
		return nil, err
	}

	b.countCreated()
	return b.outcomes, nil
}

// Prices returns the stored prices of the variants that the items name, in the order of items; nil for an item that
// matches no variant, or several.
func (s *Pushes) Prices(
	ctx context.Context, tx store.Tx, items []catalog.PricePush,
) (prices []*money.Price, err error) {
	defer fault.AddContext(&err, "read %d prices", len(items))

	names := make([]variantName, len(items))
	for i, item := range items {
		names[i] = newVariantName(item.Variant, item.Product)
	}

	b, err := s.findVariants(ctx, tx, names)
	if err != nil {
		return nil, err
	}

	prices = make([]*money.Price, len(items))
	for i, v := range b.items {
		if v != nil {
			prices[i] = &v.price
		}
	}

	return prices, nil
}
