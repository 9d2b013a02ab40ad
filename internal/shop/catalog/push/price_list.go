package push

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

// ApplyPriceLists creates and updates price lists as they were pushed. It has the same contract as ApplyProducts. A
// list that prices were pushed for before gets these prices.
func (s *Pushes) ApplyPriceLists(
	ctx context.Context, tx store.Tx, items []catalog.PriceListPush,
) (_ []Pushed, err error) {
	defer fault.AddContext(&err, "apply %d pushed price lists", len(items))
	if err := catalog.LockPushes(ctx, tx); err != nil {
		return nil, err
	}

	apply := func(items []catalog.PriceListPush) ([]Pushed, error) { return s.applyPriceLists(ctx, tx, items) }
	push := markedPush[catalog.PriceListPush]{tx: tx, entity: catalog.PriceListEntity, items: items, apply: apply,
		of: func(p *catalog.PriceListPush) markedItem { return markedItem{p.ID, p.Mark, p.Version} }}
	push.deleteOne = func(p *catalog.PriceListPush, o *Pushed) error {
		lists := pricelist.New(s.Core).Lists
		listID, version, err := priceListIDOf(ctx, tx, p.ID)
		if fault.KindOf(err) == fault.NotFound {
			return lists.DeleteAwaited(ctx, tx, p.ID)
		}
		if err != nil || o.leaveStale(p.Version, version) {
			return err
		}
		return lists.Delete(ctx, tx, listID, nil)
	}
	return push.run(ctx)
}

// applyPriceLists applies items without a mark.
func (s *Pushes) applyPriceLists(
	ctx context.Context, tx store.Tx, items []catalog.PriceListPush,
) ([]Pushed, error) {
	room, err := pricelist.LockRoom(ctx, tx)
	if err != nil {
		return nil, err
	}
	known, err := lockPushedLists(ctx, tx, items)
	if err != nil {
		return nil, err
	}

	outcomes := make([]Pushed, len(items))
	written := make(map[string]*Pushed, len(items))
	batch := database.NewBatch(database.UUID, database.Text, database.Text, database.Text, database.Text,
		database.Bytes, database.BigInt)
	raised := raisedVersions{}
	var last time.Time

	for i, item := range items {
		list, found := known[item.ID]
		awaitedIn := ""
		if list.awaited {
			awaitedIn = list.Currency
			list, found = pushedList{}, false
		}

		o := &outcomes[i]
		o.Key = list.Key
		if o.leaveStale(item.Version, list.version) {
			continue
		}

		is := list.PriceList
		if !found {
			is.Currency = room.Currency
		}
		edit := pricelist.ListEdit{Name: item.Name, Currency: item.Currency}
		broken := edit.Check(&is)
		if found && (len(broken) == 0 && is == list.PriceList || bytes.Equal(list.pushed, item.Digest[:])) {
			o.Outcome = Unchanged
			raised.add(list.Key, item.Version, list.version)
			continue
		}

		switch {
		case len(broken) > 0:
		case !found && room.Lists == 0:
			broken = append(broken, pricelist.TooMany().At("id"))
		case found && list.used && is.Currency != list.Currency:
			broken = append(broken, pricelist.InUse().At("currency"))
		}
		if len(broken) > 0 {
			o.fail(broken...)
			continue
		}

		o.Outcome = Updated
		if !found {
			o.Outcome = Created
			room.Lists--
			if awaitedIn != "" && awaitedIn != is.Currency {
				o.warn("currency", "currency_changed", "The prices that came before the price list %s are in %s, and "+
					"it has %s now. They keep their numbers.", is.Name, awaitedIn, is.Currency)
			}
		} else if is.Currency != list.Currency {
			o.warn("currency", "currency_changed", "The price list %s had the currency %s and has %s now. The prices "+
				"that it has keep their numbers.", is.Name, list.Currency, is.Currency)
		}

		last = write.LaterTime(last, list.UpdatedAt)
		batch.Add(id.New[catalog.PriceList](), item.ID, is.Name, locale.SearchText(is.Name), is.Currency,
			item.Digest[:], item.Version)
		written[item.ID] = o
	}

	if err := raised.saveOfPriceLists(ctx, tx); err != nil {
		return nil, err
	}

	return outcomes, savePriceLists(ctx, tx, batch, s.UpdateTimeAfter(last), written)
}

// pushedList is a price list as stored before the push, with the digest of its last push.
type pushedList struct {
	catalog.PriceList
	pushed  []byte
	version *int64 // of the item that was applied last, or nil
	used    bool   // by a group or by the setting of old prices
	// awaited says that only prices for the list were pushed. Its currency is theirs, or empty if it is not known.
	awaited bool
}

// listRow is a price list that was found by its external id.
type listRow struct {
	key            int64
	id             catalog.PriceListID
	name, currency string
	// awaited says that the list was not pushed yet. Its name is not known then, and its currency is that of its
	// prices, or empty if they came without one.
	awaited bool
}

// isForeign reports whether prices in a currency do not belong into the list. An empty currency is not known.
func (r listRow) isForeign(currency string) bool {
	return currency != "" && r.currency != "" && currency != r.currency
}

// foreignPrices is the warning about prices that came in another currency than their list has.
func (r listRow) foreignPrices(field, currency string) fault.Field {
	return newField(field, "foreign_currency",
		"The prices in the price list %s were left out: they are in %s, and the list has %s.", r.name, currency,
		r.currency)
}

// namedLists are the price lists that pushed prices name, by their external ids.
type namedLists map[string]namedList

// namedList is what is known of a price list by its prices.
type namedList struct {
	// priced says that one of the prices is to be kept; otherwise all of them are null.
	priced bool
	// currency is that of the first price with a known one, or empty.
	currency string
}

func (n namedLists) add(externalID string, price money.Price, currency string) {
	is := n[externalID]
	is.priced = is.priced || price.IsSet()
	is.currency = cmp.Or(is.currency, currency)
	n[externalID] = is
}

// findOrAwaitLists returns the price lists with these external ids, and locks them against deletion until the
// transaction ends. A list that does not exist is awaited if it gets a price: it is created, but nobody sees it until
// it is pushed. If too many are awaited, the rest is missing in the result: see tooManyAwaited. The caller calls
// deleteEmptyAwaited once the prices are saved.
func (s *Pushes) findOrAwaitLists(
	ctx context.Context, tx store.Tx, named namedLists,
) (map[string]listRow, error) {
	found := map[string]listRow{}
	if len(named) == 0 {
		return found, nil
	}
	if err := findLists(ctx, tx, named, found); err != nil {
		return nil, err
	}

	var missing []string
	for _, e := range slices.Sorted(maps.Keys(named)) {
		_, broken := rule.ExternalID(e)
		if _, known := found[e]; !known && named[e].priced && broken == nil {
			missing = append(missing, e)
		}
	}
	if len(missing) == 0 {
		return found, nil
	}

	awaited, err := countAwaitedLists(ctx, tx)
	if err != nil {
		return nil, err
	}
	room := max(0, pricelist.MaxLists-awaited)
	return found, s.awaitLists(ctx, tx, missing[:min(int64(len(missing)), room)], named, found)
}

// tooManyAwaited is the error of a price whose list is unknown while too many others are awaited.
func tooManyAwaited(field, externalID string) fault.Field {
	return newField(field, "too_many_price_lists",
		"There is no price list with the id %s, and prices of %d lists that have not come yet are kept already. Push "+
			"the list first.", externalID, pricelist.MaxLists)
}

// awaitedList is the warning about a price whose list was not pushed yet.
func awaitedList(field, externalID string) fault.Field {
	return newField(field, "unknown_price_list", "There is no price list with the id %s yet. The price is kept, and "+
		"is in the list when that arrives.", externalID)
}

// dropForeignPrices takes prices out of the item that came in another currency than their lists have, with a warning of
// each list: the numbers would be amounts of the list's currency. The item comes again when the list has changed, so it
// leaves no digest by which it would be taken for repeated.
func (w *pushWrite) dropForeignPrices(refs *pushReferences) {
	foreign := map[string]bool{}
	for _, c := range w.push.Currencies {
		if list, found := refs.lists[c.List]; found && list.isForeign(c.Currency) {
			foreign[c.List] = true
			w.outcome.Warnings = append(w.outcome.Warnings, list.foreignPrices("variants", c.Currency))
		}
	}
	if len(foreign) == 0 || w.push.Variants == nil {
		return
	}

	copied := *w.push
	variants := slices.Clone(*copied.Variants)
	for i := range variants {
		if v := &variants[i]; v.Prices != nil {
			rest := slices.DeleteFunc(slices.Clone(*v.Prices),
				func(p catalog.PricedPush) bool { return foreign[p.List] })
			v.Prices = &rest
		}
	}

	copied.Variants = &variants
	w.push = &copied
	w.Pushed = (*catalog.PushMark)(pushMark(w.StoredMark).withoutOffers(w.push))
}
