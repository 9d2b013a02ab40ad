package catalog

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/shop/store"
)

// RemainderPush is how many of a variant accounting says a stock has.
type RemainderPush struct {
	Variant  string
	Product  *string // where the variant is looked for; nil for anywhere
	Stock    string
	Quantity Quantity
}

// ApplyRemainders sets the quantities that stocks have of variants, archived ones too, and never what is reserved; it tells what became of
// each item in their order. Variants are found as ApplyPrices does; a stock that the store does not have is made, with its id as its name.
// An item that names no variant, or several, fails; the others are applied. It returns ErrOvertaken, or what the database says; the
// caller then rolls back.
func (s *Pushes) ApplyRemainders(ctx context.Context, tx store.Tx, items []RemainderPush) ([]Pushed, error) {
	names := make([]variantName, len(items))
	for i, item := range items {
		names[i] = newVariantName(item.Variant, item.Product)
	}
	b, err := s.findVariants(ctx, tx, names)
	if err != nil {
		return nil, err
	}
	if err := b.findStocks(ctx, items); err != nil {
		return nil, err
	}
	present, err := b.quantities(ctx)
	if err != nil {
		return nil, err
	}
	differ := map[int64]bool{}
	for i, item := range items {
		if v := b.items[i]; v != nil && !present.equal(b.remainder(i), item.Quantity) {
			differ[v.key] = true
		}
	}
	if err := b.lockQuantities(ctx, differ, present); err != nil {
		return nil, err
	}
	written := quantities{}
	for i, item := range items {
		at := b.remainder(i)
		switch {
		case b.items[i] == nil:
		case present.equal(at, item.Quantity):
			b.outcomes[i].Outcome = Unchanged
		default:
			b.outcomes[i].Outcome = Updated
			present[at], written[at] = item.Quantity, item.Quantity
		}
	}
	return b.outcomes, b.saveRemainders(ctx, written)
}

// remainder names what the i-th item is about, once its variant and its stock are found.
func (b *variantPushes) remainder(i int) remainderKey {
	return remainderKey{b.outcomes[i].Key, b.outcomes[i].Part}
}

// findStocks finds or makes the stocks of the items whose variants are found.
func (b *variantPushes) findStocks(ctx context.Context, items []RemainderPush) error {
	named := map[string]bool{}
	for i, item := range items {
		if b.items[i] != nil {
			named[item.Stock] = true
		}
	}
	stocks, err := b.s.findOrCreateStocks(ctx, b.tx, sortedStrings(named))
	for i, item := range items {
		if b.items[i] != nil {
			b.outcomes[i].Part = stocks[item.Stock].key
		}
	}
	return err
}

// lockQuantities is hold, and brings what is known of the remainders of those variants up to date.
func (b *variantPushes) lockQuantities(ctx context.Context, variantKeys map[int64]bool, present quantities) error {
	if err := b.lockVariants(ctx, variantKeys); err != nil {
		return err
	}
	held, err := lockRemainders(ctx, b.tx, slices.Sorted(maps.Keys(variantKeys)))
	maps.DeleteFunc(present, func(at remainderKey, _ Quantity) bool { return variantKeys[at.variant] })
	for at, m := range held {
		present[at] = m.Quantity
	}
	return err
}

// saveRemainders writes quantities of variants whose products are held.
func (b *variantPushes) saveRemainders(ctx context.Context, written quantities) error {
	if len(written) == 0 {
		return nil
	}
	if err := upsertRemainders(ctx, b.tx, written); err != nil {
		return err
	}
	variants := map[int64]bool{}
	for at := range written {
		variants[at.variant] = true
	}
	keys := slices.Sorted(maps.Keys(variants))
	if err := recomputeAvailable(ctx, b.tx, keys); err != nil {
		return err
	}
	return b.markChanged(ctx, keys, b.s.after(b.last))
}
