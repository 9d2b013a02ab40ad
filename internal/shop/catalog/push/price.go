package push

import (
	"context"
	"maps"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ApplyPrices sets the prices of variants, themselves and in price lists, archived variants included. It returns an
// outcome for each item, in the order of items. A variant is found by its external id. If the only variant of a product
// has no external id, it is found by the external id of the product. An item that matches no variant, or several,
// fails; the other items are applied. A price that the shop has locked stays. After an error, such as ErrOvertaken, the
// caller must roll back.
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
		if item.List == "" {
			continue
		}
		_, broken := rule.ExternalID(item.List)
		b.check(i, "price_list_id", broken)
		b.check(i, "from_quantity", catalog.CheckFromQuantity(item.FromQuantity))
	}

	if err := b.findLists(ctx, items); err != nil {
		return nil, err
	}
	b.leaveOutForeign(items)

	stored, err := b.readPrices(ctx, items, nil)
	if err != nil {
		return nil, err
	}

	differ := map[int64]bool{}
	for i, item := range items {
		if v := b.items[i]; v != nil && !item.NotOwned &&
			(b.priceOf(i, stored) != item.Price || len(b.withdrawn(i, &item, stored)) > 0) {
			differ[v.key] = true
		}
	}

	if err := b.lockVariants(ctx, differ); err != nil {
		return nil, err
	}
	if stored, err = b.readPrices(ctx, items, stored); err != nil {
		return nil, err
	}

	written := map[int64]money.Price{}
	changed := catalog.ListPrices{}
	for i, item := range items {
		v := b.items[i]
		withdrawn := b.withdrawn(i, &item, stored)
		switch {
		case v == nil:
		case item.NotOwned:
			b.outcomes[i].leaveNotOwned(v.productKey, "price")
		case b.priceOf(i, stored) == item.Price && len(withdrawn) == 0:
			b.outcomes[i].Outcome = Unchanged
		case b.locks[v.productKey].Has(productfield.Price):
			b.outcomes[i].Outcome = Unchanged
			b.outcomes[i].warnOfProduct(v.productKey, "price", "locked",
				"The shop has locked the prices of this product, so they stay as they are.")
		case item.List == "":
			b.outcomes[i].Outcome = Updated
			v.price, written[v.key] = item.Price, item.Price
		default:
			b.outcomes[i].Outcome = Updated
			b.setPrice(b.steps[i], item.Price, stored, changed)
			for _, step := range withdrawn {
				b.setPrice(step, money.Price{}, stored, changed)
			}
		}
	}

	if err := b.savePrices(ctx, written, changed); err != nil {
		return nil, err
	}
	if err := s.deleteEmptyAwaited(ctx, tx, b.lists); err != nil {
		return nil, err
	}

	b.warnOfAwaited(items)
	b.countCreated()
	return b.outcomes, nil
}

// listPart returns a number that identifies the list and the quantity of a price. A quantity has less than 40 bits.
func listPart(step catalog.PriceStep) int64 { return step.ListKey<<40 | int64(step.FromQuantity) }

// findLists finds the price lists of the items whose variants were found, and sets b.steps. A price of an unknown list
// is removed already. Any other item whose list is unknown fails, as too many lists are awaited.
func (b *variantPushes) findLists(ctx context.Context, items []catalog.PricePush) (err error) {
	named := namedLists{}
	for i, item := range items {
		if b.items[i] != nil && item.List != "" && !item.NotOwned {
			named.add(item.List, item.Price, item.Currency)
		}
	}

	if b.lists, err = b.s.findOrAwaitLists(ctx, b.tx, named); err != nil {
		return err
	}
	b.setSteps(items, func(i int) {
		b.items[i] = nil
		if !items[i].Price.IsSet() {
			b.outcomes[i].Outcome, b.outcomes[i].Key = Unchanged, 0 // there is no such price
			return
		}
		broken := tooManyAwaited("price_list_id", items[i].List)
		if items[i].Creates { // a file of 1C: the price is left out, and nothing fails
			b.outcomes[i].Outcome, b.outcomes[i].Warnings = Unchanged, []fault.Field{broken}
		} else {
			b.outcomes[i].fail(broken)
		}
	})
	return nil
}

// leaveOutForeign leaves the items out whose prices are in another currency than their lists have, with a warning.
func (b *variantPushes) leaveOutForeign(items []catalog.PricePush) {
	for i, item := range items {
		v := b.items[i]
		list, found := b.lists[item.List]
		if v == nil || item.NotOwned || !found || !list.isForeign(item.Currency) {
			continue
		}

		b.items[i] = nil
		b.outcomes[i].Outcome = Unchanged
		b.outcomes[i].ProductKey = v.productKey
		b.outcomes[i].ProductWarning = new(list.foreignPrices("price", item.Currency))
		delete(b.steps, i)
	}
}

// setSteps sets b.steps for the items whose variants were found. It calls unknown for an item whose list is unknown.
func (b *variantPushes) setSteps(items []catalog.PricePush, unknown func(i int)) {
	b.steps = make(map[int]catalog.VariantStep, len(items))
	for i, item := range items {
		v := b.items[i]
		if v == nil || item.List == "" || item.NotOwned {
			continue
		}

		list, found := b.lists[item.List]
		if !found {
			unknown(i)
			continue
		}
		step := catalog.PriceStep{ListKey: list.key, FromQuantity: item.FromQuantity}
		b.steps[i] = catalog.VariantStep{Variant: v.key, PriceStep: step}
		b.outcomes[i].Part = listPart(step)
	}
}

// readPrices reads the stored prices of b.steps, and all prices in the lists of which items have all. If known is not
// nil, it reads only those of locked products again, unless SQLite is the engine: there nobody else has written since.
func (b *variantPushes) readPrices(
	ctx context.Context, items []catalog.PricePush, known catalog.ListPrices,
) (catalog.ListPrices, error) {
	if known != nil && b.tx.Dialect().ForUpdate == "" {
		return known, nil
	}

	wanted := make(map[catalog.VariantStep]bool, len(b.steps))
	complete := map[catalog.VariantInList]bool{}
	for i, step := range b.steps {
		switch {
		case known != nil && !b.locked[step.Variant]:
		case items[i].Complete:
			complete[step.InList()] = true
		default:
			wanted[step] = true
		}
	}

	if len(wanted)+len(complete) == 0 && known != nil {
		return known, nil
	}

	stored, err := catalog.ReadListPrices(ctx, b.tx, wanted)
	if err != nil {
		return nil, err
	}
	if len(complete) > 0 {
		all, err := catalog.ReadPricesInLists(ctx, b.tx, complete)
		if err != nil {
			return nil, err
		}
		maps.Copy(stored, all)
	}

	for step, price := range known {
		if !b.locked[step.Variant] {
			stored[step] = price
		}
	}

	if slices.ContainsFunc(items, func(item catalog.PricePush) bool { return item.Complete }) {
		b.inLists = map[catalog.VariantInList][]catalog.VariantStep{}
		for step := range stored {
			b.inLists[step.InList()] = append(b.inLists[step.InList()], step)
		}
	}
	return stored, nil
}

// withdrawn returns the prices in the list of the i-th item that accounting does not have any more. It is empty if the
// item does not say which prices the list has.
func (b *variantPushes) withdrawn(
	i int, item *catalog.PricePush, stored catalog.ListPrices,
) (steps []catalog.VariantStep) {
	own, listed := b.steps[i]
	if !item.Complete || !listed || b.items[i] == nil {
		return nil
	}
	for _, step := range b.inLists[own.InList()] {
		if step != own && stored[step].IsSet() && !slices.Contains(item.Listed, step.FromQuantity) {
			steps = append(steps, step)
		}
	}
	return steps
}

// setPrice sets a price in a list among the stored ones and those that are to be written.
func (b *variantPushes) setPrice(step catalog.VariantStep, price money.Price, stored, changed catalog.ListPrices) {
	if _, known := stored[step]; !known && b.inLists != nil {
		b.inLists[step.InList()] = append(b.inLists[step.InList()], step)
	}
	stored[step], changed[step] = price, price
}

// priceOf returns the price of the i-th item's variant: its own, or the one of b.steps among the stored prices.
func (b *variantPushes) priceOf(i int, stored catalog.ListPrices) money.Price {
	if step, listed := b.steps[i]; listed {
		return stored[step]
	}
	return b.items[i].price
}

// warnOfAwaited warns of prices in lists that were not pushed yet.
func (b *variantPushes) warnOfAwaited(items []catalog.PricePush) {
	for i, v := range b.items {
		o := &b.outcomes[i]
		if v != nil && o.ProductWarning == nil && b.lists[items[i].List].awaited && items[i].Price.IsSet() {
			o.ProductKey = v.productKey
			o.ProductWarning = new(awaitedList("price_list_id", items[i].List))
		}
	}
}

// Prices returns the stored prices that the items name, in the order of items; nil for an item that matches no variant,
// or several. A price that a list does not have is one without an amount.
func (s *Pushes) Prices(
	ctx context.Context, tx store.Tx, items []catalog.PricePush,
) (prices []*money.Price, err error) {
	defer fault.AddContext(&err, "read %d prices", len(items))

	names := make([]variantName, len(items))
	lists := namedLists{}
	for i, item := range items {
		names[i] = newVariantName(item.Variant, item.Product)
		if item.List != "" {
			lists.add(item.List, item.Price, item.Currency)
		}
	}

	b, err := s.lookUpVariants(ctx, tx, names)
	if err != nil {
		return nil, err
	}
	b.lists = map[string]listRow{}
	if err := lookUpLists(ctx, tx, lists, b.lists); err != nil {
		return nil, err
	}
	b.setSteps(items, func(i int) { b.items[i] = &pushedVariant{} })
	stored, err := b.readPrices(ctx, items, nil)
	if err != nil {
		return nil, err
	}

	prices = make([]*money.Price, len(items))
	for i, v := range b.items {
		if v != nil {
			prices[i] = new(b.priceOf(i, stored))
		}
	}

	return prices, nil
}
