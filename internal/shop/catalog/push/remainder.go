package push

import (
	"context"
	"maps"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ApplyRemainders sets the quantities of variants in stocks, archived variants included, and returns an outcome for
// each item, in the order of items. It never changes reserved quantities. Variants are found as in ApplyPrices. A stock
// that does not exist is created, with its external id as its name. An item that matches no variant, or several, fails;
// the other items are applied. After an error, such as ErrOvertaken, the caller must roll back.
func (s *Pushes) ApplyRemainders(
	ctx context.Context, tx store.Tx, items []catalog.RemainderPush,
) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed remainders", len(items))

	names := make([]variantName, len(items))
	for i, item := range items {
		names[i] = newVariantName(item.Variant, item.Product)
	}

	b, err := s.findOrCreateVariants(ctx, tx, names, func(i int) offeredVariant {
		return offeredVariant{creates: items[i].Creates}
	})
	if err != nil {
		return nil, err
	}

	for i, item := range items {
		if v := b.items[i]; v != nil && item.NotOwned {
			b.outcomes[i].leaveNotOwned(v.productKey, "remainders")
			b.items[i] = nil
		}

		_, broken := rule.ExternalID(item.Stock)
		b.check(i, "stock_id", broken)
		b.check(i, "quantity", item.Quantity.Check())
	}

	if err := b.findStocks(ctx, items); err != nil {
		return nil, err
	}

	// Before the quantities: an order that ends in between takes its goods from both.
	differ, err := b.variantsWithTaken(ctx, items)
	if err != nil {
		return nil, err
	}

	present, err := b.quantities(ctx)
	if err != nil {
		return nil, err
	}
	if err := b.addOtherQuantities(ctx, items, present); err != nil {
		return nil, err
	}

	stocks := present.StocksByVariant()
	for i := range items {
		if v := b.items[i]; v != nil && len(b.newQuantities(i, &items[i], present, stocks)) > 0 {
			differ[v.key] = true
		}
	}

	if err := b.lockQuantities(ctx, differ, present); err != nil {
		return nil, err
	}

	written := catalog.Quantities{}
	stocks = present.StocksByVariant()
	for i := range items {
		if b.items[i] == nil {
			continue
		}

		b.outcomes[i].Outcome = Unchanged

		for at, quantity := range b.newQuantities(i, &items[i], present, stocks) {
			b.outcomes[i].Outcome = Updated
			if _, found := present[at]; !found {
				stocks[at.Variant] = append(stocks[at.Variant], at.Stock)
			}
			present[at], written[at] = quantity, quantity
		}
	}

	if err := b.saveRemainders(ctx, written); err != nil {
		return nil, err
	}

	b.countCreated()
	return b.outcomes, nil
}

// remainder returns the key of the remainder that the i-th item sets. The variant and the stock must have been found.
func (b *variantPushes) remainder(i int) catalog.RemainderKey {
	return catalog.RemainderKey{Variant: b.outcomes[i].Key, Stock: b.outcomes[i].Part}
}

// newQuantities returns the quantities that the i-th item changes: the quantity of its own remainder and, if its list
// is complete, the quantities of the other remainders of its variant. stocks has the stocks of present, by variant.
func (b *variantPushes) newQuantities(
	i int, item *catalog.RemainderPush, present catalog.Quantities, stocks map[int64][]int64,
) catalog.Quantities {
	changed := catalog.Quantities{}
	own := b.remainder(i)
	if !present.Equal(own, item.Quantity) {
		changed[own] = item.Quantity
	}
	if !item.Complete {
		return changed
	}
	for _, stock := range stocks[own.Variant] {
		at := catalog.RemainderKey{Variant: own.Variant, Stock: stock}
		if stock != own.Stock && present[at] != 0 && !b.listed[i][stock] {
			changed[at] = 0
		}
	}
	return changed
}

// addOtherQuantities adds the remainders of the variants whose items have complete lists to present.
func (b *variantPushes) addOtherQuantities(ctx context.Context, items []catalog.RemainderPush,
	present catalog.Quantities) error {
	complete := map[int64]bool{}
	for i, item := range items {
		if v := b.items[i]; v != nil && item.Complete {
			complete[v.key] = true
		}
	}
	if len(complete) == 0 {
		return nil
	}
	all, err := catalog.RemaindersOf(ctx, b.tx, write.SortedKeys(complete))
	for at, m := range all {
		present[at] = m.Quantity
	}
	return err
}

// findStocks finds or creates the stocks of the items whose variants were found.
func (b *variantPushes) findStocks(ctx context.Context, items []catalog.RemainderPush) error {
	named := map[string]bool{}
	for i, item := range items {
		if b.items[i] == nil {
			continue
		}
		named[item.Stock] = true
		for _, stock := range item.Listed {
			named[stock] = true
		}
	}

	stocks, err := b.s.findOrCreateStocks(ctx, b.tx, write.SortedStrings(named))
	b.listed = map[int]map[int64]bool{}
	for i, item := range items {
		if b.items[i] == nil || len(item.Listed) == 0 {
			continue
		}
		b.listed[i] = map[int64]bool{}
		for _, stock := range item.Listed {
			b.listed[i][stocks[stock].key] = true
		}
	}

	for i, item := range items {
		if b.items[i] != nil {
			b.outcomes[i].Part = stocks[item.Stock].key
		}
	}

	return err
}

// variantsWithTaken sets the FreeStock of the batch, and returns the variants of which orders that accounting has taken
// have reserved something. Their quantities can be compared only after they are locked.
func (b *variantPushes) variantsWithTaken(ctx context.Context, items []catalog.RemainderPush) (map[int64]bool, error) {
	named := map[int64]bool{}
	for i, v := range b.items {
		if v != nil {
			named[v.key] = true
			b.free = items[i].Free
		}
	}
	taken, _, err := b.s.readTaken(ctx, b.tx, b.free, write.SortedKeys(named))
	found := map[int64]bool{}
	for at := range taken {
		found[at.Variant] = true
	}
	return found, err
}

// lockQuantities calls lockVariants, locks the remainders of the variants, and reads their quantities into present, as
// accounting knows them: without what taken orders have reserved.
func (b *variantPushes) lockQuantities(ctx context.Context, variantKeys map[int64]bool,
	present catalog.Quantities) error {
	if err := b.lockVariants(ctx, variantKeys); err != nil {
		return err
	}

	keys := write.SortedKeys(variantKeys)
	held, err := catalog.LockRemainders(ctx, b.tx, keys)
	if err != nil {
		return err
	}
	if b.taken, _, err = b.s.readTaken(ctx, b.tx, b.free, keys); err != nil {
		return err
	}

	b.taken.SubtractFrom(held)

	maps.DeleteFunc(present, func(at catalog.RemainderKey, _ money.Quantity) bool { return variantKeys[at.Variant] })
	for at, m := range held {
		present[at] = m.Quantity
	}

	return nil
}

// saveRemainders writes the quantities of variants whose products are locked by lockQuantities.
func (b *variantPushes) saveRemainders(ctx context.Context, written catalog.Quantities) error {
	b.taken.AddTo(written)
	if err := catalog.UpsertRemainders(ctx, b.tx, written); err != nil {
		return err
	}
	variants := map[int64]bool{}
	for at := range written {
		variants[at.Variant] = true
	}
	keys := write.SortedKeys(variants)
	if err := catalog.RecomputeAvailable(ctx, b.tx, keys); err != nil {
		return err
	}
	return b.markChanged(ctx, touchCountedProducts, keys, b.s.UpdateTimeAfter(b.last))
}

// Quantities returns the stored quantities that the items name, in the order of items; nil for an item that names none.
func (s *Pushes) Quantities(
	ctx context.Context, tx store.Tx, items []catalog.RemainderPush,
) (found []*money.Quantity, err error) {
	defer fault.AddContext(&err, "read %d remainders", len(items))

	names := make([]variantName, len(items))
	stocks := map[string]bool{}
	for i, item := range items {
		names[i] = newVariantName(item.Variant, item.Product)
		stocks[item.Stock] = true
	}

	b, err := s.lookUpVariants(ctx, tx, names)
	if err != nil {
		return nil, err
	}
	known, err := lookUpStocks(ctx, tx, write.SortedStrings(stocks))
	if err != nil {
		return nil, err
	}

	for i, item := range items {
		b.outcomes[i].Part = known[item.Stock].key
	}

	present, err := b.quantities(ctx)
	found = make([]*money.Quantity, len(items))
	for i, v := range b.items {
		if v != nil {
			if quantity, stored := present[b.remainder(i)]; stored {
				found[i] = &quantity
			}
		}
	}

	return found, err
}
