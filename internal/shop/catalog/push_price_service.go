package catalog

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// PricePush is a pushed price. Variant and Product are external ids.
type PricePush struct {
	Variant string
	Product *string // nil means any product
	Price   Money
}

// ApplyPrices sets the prices of variants, archived ones included, and returns an outcome for each item, in the order
// of items. A variant is found by its external id. If the only variant of a product has no external id, it is found by
// the external id of the product. An item that matches no variant, or several, fails; the other items are applied.
// After an error, such as ErrOvertaken, the caller must roll back.
func (s *Pushes) ApplyPrices(ctx context.Context, tx store.Tx, items []PricePush) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed prices", len(items))
	names := make([]variantName, len(items))
	for i, item := range items {
		names[i] = newVariantName(item.Variant, item.Product)
	}
	b, err := s.findVariants(ctx, tx, names)
	if err != nil {
		return nil, err
	}
	differ := map[int64]bool{}
	for i, item := range items {
		if v := b.items[i]; v != nil && v.price != item.Price {
			differ[v.key] = true
		}
	}
	if err := b.lockVariants(ctx, differ); err != nil {
		return nil, err
	}
	written := map[int64]Money{}
	for i, item := range items {
		v := b.items[i]
		switch {
		case v == nil:
		case v.price == item.Price:
			b.outcomes[i].Outcome = Unchanged
		default:
			b.outcomes[i].Outcome = Updated
			v.price, written[v.key] = item.Price, item.Price
		}
	}
	return b.outcomes, b.savePrices(ctx, written)
}
