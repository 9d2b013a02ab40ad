package catalog

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// findOrCreateVariants is like findVariants, but creates the variants that do not exist, for the items for which
// creates returns true. 1C sends prices and stock in files of their own, which may come before the goods.
func (s *Pushes) findOrCreateVariants(
	ctx context.Context, tx store.Tx, names []variantName, creates func(i int) bool,
) (*variantPushes, error) {
	b, err := s.findVariants(ctx, tx, names)
	if err != nil {
		return nil, err
	}
	missing := map[string]*ProductPush{}
	var order []string
	created := map[variantName][]fault.Field{}
	for i, name := range names {
		_, listed := created[name]
		if b.items[i] != nil || !creates(i) || name.product == "" || listed {
			continue
		}
		created[name] = nil
		if missing[name.product] == nil {
			missing[name.product] = &ProductPush{ID: name.product, Part: OffersPart, Variants: &[]VariantPush{}}
			order = append(order, name.product)
		}
		variants := missing[name.product].Variants
		*variants = append(*variants, VariantPush{ID: name.variant})
	}
	if len(order) == 0 {
		return b, nil
	}
	pushes := make([]ProductPush, len(order))
	for i, product := range order {
		pushes[i] = *missing[product]
	}
	outcomes, err := s.ApplyProducts(ctx, tx, pushes)
	if err != nil {
		return nil, err
	}
	warnings := map[string][]fault.Field{}
	for i, product := range order {
		warnings[product] = keepField(outcomes[i].Warnings, "unknown_product")
	}
	for name := range created {
		created[name] = warnings[name.product]
	}
	if b, err = s.findVariants(ctx, tx, names); err != nil {
		return nil, err
	}
	b.created, b.names = created, names
	return b, nil
}

// countCreated marks the items whose variants were created as applied, and adds the warnings of their products.
func (b *variantPushes) countCreated() {
	for i, name := range b.names {
		warnings, created := b.created[name]
		if !created || b.items[i] == nil {
			continue
		}
		o := &b.outcomes[i]
		o.Outcome, o.changedProduct = Updated, b.items[i].productKey
		o.Warnings = append(o.Warnings, warnings...)
		delete(b.created, name)
	}
}

// keepField returns the fields with this code.
func keepField(list []fault.Field, code string) (kept []fault.Field) {
	for _, f := range list {
		if f.Code == code {
			kept = append(kept, f)
		}
	}
	return kept
}
