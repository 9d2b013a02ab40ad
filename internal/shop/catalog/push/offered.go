package push

import (
	"context"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// offeredVariant says whether the variant of an item is created if it does not exist, and in which stock it has 0 then;
// an empty stock means none.
type offeredVariant struct {
	creates    bool
	emptyStock string
}

// findOrCreateVariants is like findVariants, but creates the variants that do not exist, for the items for which
// offered says so. 1C sends prices and stock in files of their own, which may come before the goods.
func (s *Pushes) findOrCreateVariants(
	ctx context.Context, tx store.Tx, names []variantName, offered func(i int) offeredVariant,
) (*variantPushes, error) {
	b, err := s.findVariants(ctx, tx, names)
	if err != nil {
		return nil, err
	}

	missing := map[string]*catalog.ProductPush{}
	var order []string
	created := map[variantName][]fault.Field{}
	for i, name := range names {
		_, listed := created[name]
		of := offered(i)
		if b.items[i] != nil || !of.creates || name.product == "" || listed {
			continue
		}

		created[name] = nil

		if missing[name.product] == nil {
			missing[name.product] = &catalog.ProductPush{ID: name.product, Part: catalog.OffersPart,
				EmptyStock: of.emptyStock,
				Variants:   &[]catalog.VariantPush{}}
			order = append(order, name.product)
		}

		variants := missing[name.product].Variants
		*variants = append(*variants, catalog.VariantPush{ID: name.variant})
	}

	if len(order) == 0 {
		return b, nil
	}

	pushes := make([]catalog.ProductPush, len(order))
	for i, product := range order {
		pushes[i] = *missing[product]
	}

	outcomes, err := s.ApplyProducts(ctx, tx, pushes)
	if err != nil {
		return nil, err
	}

	warnings := map[string][]fault.Field{}
	for i, product := range order {
		warnings[product] = keepFields(outcomes[i].Warnings, "unknown_product", "no_characteristic")
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

// countCreated sets the outcome of the items whose variants were created to Updated, and adds the warnings of their
// products. The variant of an offer without a characteristic is not created beside offers that have one: its item
// becomes Unchanged, with a warning.
func (b *variantPushes) countCreated() {
	for i, name := range b.names {
		warnings, created := b.created[name]
		if !created {
			continue
		}

		o := &b.outcomes[i]
		if b.items[i] == nil {
			if left := keepFields(warnings, "no_characteristic"); len(left) > 0 {
				*o = Pushed{Outcome: Unchanged, Warnings: left}
			}
			continue
		}

		o.Outcome = Updated
		o.changedProduct, o.pricesOnly = b.items[i].productKey, false
		o.Warnings = append(o.Warnings, warnings...)
		delete(b.created, name)
	}
}

// keepFields returns the fields with one of these codes.
func keepFields(list []fault.Field, codes ...string) (kept []fault.Field) {
	for _, f := range list {
		if slices.Contains(codes, f.Code) {
			kept = append(kept, f)
		}
	}
	return kept
}
