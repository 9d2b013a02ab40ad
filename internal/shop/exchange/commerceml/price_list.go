package commerceml

import (
	"cmp"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// Each price type becomes a price list, with its id, its name and its currency. The prices of an offer are the prices
// of its variant in these lists, by the quantities of МинКоличество.

// maxListPrices limits the prices of an offer in price lists. It is the limit of an item of the gate.
const maxListPrices = 1000

// listPrice is a price of an offer in a price list.
type listPrice struct {
	list     string
	step     priceStep
	price    offerPrice
	currency string // an ISO 4217 code, or empty if it is not known
}

func (p listPrice) currencyOfList() catalog.ListCurrency {
	return catalog.ListCurrency{List: p.list, Currency: p.currency}
}

// listPrices are the prices of an offer in price lists.
type listPrices struct {
	list []listPrice
	// complete says that the offer has all prices of a type, if it has some: 1C lists none that was withdrawn. It is
	// false if one was left out.
	complete bool
}

// stepsOf returns the quantities from which on the prices in a list apply.
func (p listPrices) stepsOf(list string) (steps []money.Quantity) {
	for _, one := range p.list {
		if one.list == list {
			steps = append(steps, one.step.quantity)
		}
	}
	return steps
}

// priceList is a price type that is a price list.
type priceList struct {
	name     string
	currency string // an ISO 4217 code; empty for the currency of the store
}

// priceLists returns the price types that are price lists, by id. One whose currency is not known is none. A store has
// at most pricelist.MaxLists: the types that came last are lists, those of this file before all others, since types
// that 1C has no more are still remembered.
func (c *converter) priceLists() map[string]priceList {
	if c.lists != nil || !c.options.PriceLists {
		return c.lists
	}

	types := slices.Clone(c.memory.types())
	slices.SortStableFunc(types, func(a, b PriceType) int { return cmp.Compare(b.Seen, a.Seen) })

	c.lists = map[string]priceList{}
	for _, t := range types {
		if len(c.lists) == pricelist.MaxLists {
			break
		}
		list := priceList{name: firstOf(t.Name, t.ID), currency: currencyCode(t.Currency)}
		if _, broken := store.CheckCurrency(list.currency); list.currency == "" || broken == nil {
			c.lists[t.ID] = list
		}
	}
	return c.lists
}

// emitPriceLists passes on the price lists of a file's price types. It warns of those that are none. A type that never
// came with a currency has the store's, also after that has changed: so the item always names the currency.
func (c *converter) emitPriceLists(types []PriceType) error {
	c.lists = nil
	if !c.options.PriceLists {
		return nil
	}

	for _, t := range types {
		list, kept := c.priceLists()[t.ID]
		switch {
		case kept:
		case c.options.knows(t.Currency):
			c.warnNext("price", "too_many_price_lists", "A store has at most %d price lists, so the prices of the "+
				"type %.100s are not kept.", pricelist.MaxLists, firstOf(t.Name, t.ID))
			continue
		default:
			c.warnNext("price", "unknown_currency", "The currency %.20s of the price type %.100s is not known, so its "+
				"prices are not kept.", t.Currency, firstOf(t.Name, t.ID))
			continue
		}

		c.line = quote(append(c.line[:0], `{"id":`...), t.ID)
		c.line = quote(append(c.line, `,"name":`...), list.name)
		if currency := firstOf(list.currency, c.options.Currency); currency != "" {
			c.line = quote(append(c.line, `,"currency":`...), currency)
		}
		c.line = append(c.line, '}')
		if err := c.emit(Item{Entity: PriceLists}); err != nil {
			return err
		}
	}

	return nil
}

// knows reports whether the name of a currency, as 1C writes it, is known. An empty one stands for the store's.
func (o *Options) knows(currency string) bool {
	_, broken := store.CheckCurrency(currencyCode(currency))
	return currency == "" || broken == nil
}

// listPrices returns the prices of an offer in price lists. Of several prices of a type for one quantity the last one
// counts, with a warning, which for the base type stands for that of price, too.
func (c *converter) listPrices(e *element, warnings *[]fault.Field) listPrices {
	list := e.child("Цены")
	if list == nil || len(c.priceLists()) == 0 {
		return listPrices{}
	}

	prices := listPrices{complete: true}

	for _, p := range list.children {
		id := cutID(p.textOf("ИдТипаЦены"))
		of, known := c.priceLists()[id]
		if p.name != "Цена" || !known || p.child("ЦенаЗаЕдиницу") == nil {
			continue
		}

		found, ok := c.listPrice(e, p, id, of, warnings)
		if !ok {
			prices.complete = false
			continue
		}

		at := slices.IndexFunc(prices.list, func(q listPrice) bool {
			return q.list == found.list && q.step.quantity == found.step.quantity
		})
		switch {
		case at >= 0:
			c.replaceListPrice(e, &prices.list[at], found, warnings)
		case len(prices.list) == maxListPrices:
			warn(warnings, "prices", "too_many", "The offer %s has more than %d prices; the others were left out.",
				offerLabel(e), maxListPrices)
			prices.complete = false
			return prices
		default:
			prices.list = append(prices.list, found)
		}
	}

	return prices
}

// replaceListPrice replaces the price of a step by the next one of the same step. One without a quantity never replaces
// one with a quantity.
func (c *converter) replaceListPrice(e *element, last *listPrice, next listPrice, warnings *[]fault.Field) {
	isBase := next.list == c.basePriceType().ID // its warnings of steps come from price
	switch {
	case next.step.isZero && !last.step.isZero:
		if !isBase {
			warnOfZeroStep(e, string(next.price), warnings)
		}
		return
	case last.step.isZero && !next.step.isZero:
		if !isBase {
			warnOfZeroStep(e, string(last.price), warnings)
		}
	case last.price != next.price:
		warn(warnings, "prices", "several_prices", "The offer %s has several prices of the type %.100s; the last one "+
			"was taken.", offerLabel(e), c.priceLists()[next.list].name)
	}

	*last = next
}

// listPrice reads an element Цена of a price type that is a list. It returns false, with a warning, for one that cannot
// be in the list.
func (c *converter) listPrice(
	e, p *element, id string, of priceList, warnings *[]fault.Field,
) (found listPrice, ok bool) {
	isBase := id == c.basePriceType().ID // its warnings come from price
	text := p.textOf("ЦенаЗаЕдиницу")
	currency := currencyCode(p.textOf("Валюта"))
	own := firstOf(of.currency, c.options.Currency)
	if currency != "" && own != "" && currency != own {
		if !isBase {
			warn(warnings, "prices", "foreign_currency", "The price %.40s of the type %.100s of the offer %s was left "+
				"out: it is in %.20s, and the type has %s.", text, of.name, offerLabel(e), currency, own)
		}
		return found, false
	}

	price, ok := c.parsePrice(text)
	if !ok {
		if !isBase {
			warn(warnings, "prices", "invalid_price", "The price %.40s of the type %.100s of the offer %s was left "+
				"out: it is not a number from 0 on with at most %d digits before the point.", text, of.name,
				offerLabel(e), money.MoneyDigits)
		}
		return found, false
	}

	step, ok := stepOf(p)
	if !ok {
		if !isBase {
			warnOfStep(e, p, warnings)
		}
		return found, false
	}

	return listPrice{list: id, step: step, price: price, currency: own}, true
}

// priceStep is the quantity of goods from which on a price applies: МинКоличество.
type priceStep struct {
	quantity money.Quantity
	// isZero says that the price came with 0. It then applies to any quantity, like a price without МинКоличество, as
	// long as the offer has no other price for 1.
	isZero bool
}

// stepOf reads МинКоличество of a price. It returns false for one that is no quantity: what such a price applies to is
// not known, so it must not stand for 1.
func stepOf(p *element) (step priceStep, ok bool) {
	text := p.textOf("МинКоличество")
	if text == "" {
		return priceStep{quantity: catalog.DefaultFromQuantity}, true
	}

	n, ok := parseDecimal(text)
	if !ok {
		return step, false
	}
	if n.Sign() == 0 {
		return priceStep{quantity: catalog.DefaultFromQuantity, isZero: true}, true
	}

	quantity, broken := money.ParseQuantity(formatDecimal(n, money.QuantityDecimals))
	if broken != nil || catalog.CheckFromQuantity(quantity) != nil {
		return step, false
	}
	return priceStep{quantity: quantity}, true
}

// warnOfStep warns of a price whose МинКоличество is no quantity.
func warnOfStep(e, p *element, warnings *[]fault.Field) {
	warn(warnings, "prices", "invalid_quantity", "The price %.40s of the offer %s was left out: its least quantity "+
		"%.40s is not a number of more than 0 with at most %d digits before the point.", p.textOf("ЦенаЗаЕдиницу"),
		offerLabel(e), p.textOf("МинКоличество"), money.QuantityDigits)
}

// warnOfZeroStep warns of a price whose МинКоличество is 0, while the offer has another price for 1.
func warnOfZeroStep(e *element, price string, warnings *[]fault.Field) {
	warn(warnings, "prices", "invalid_quantity", "The price %.40s of the offer %s was left out: its least quantity is "+
		"0, and the offer has another price for 1.", price, offerLabel(e))
}

// appendListPrice appends the members of a price in a price list.
func appendListPrice(b []byte, p listPrice) []byte {
	b = quote(append(b, `"price_list_id":`...), p.list)
	b = append(append(b, `,"from_quantity":`...), p.step.quantity.Text()...)
	return append(append(b, `,"price":`...), p.price...)
}

// appendListPrices appends the member prices of a variant, unless there are none.
func appendListPrices(b []byte, prices []listPrice) []byte {
	for i, p := range prices {
		separator := `,{`
		if i == 0 {
			separator = `,"prices":[{`
		}
		b = append(appendListPrice(append(b, separator...), p), '}')
	}
	if len(prices) > 0 {
		b = append(b, ']')
	}
	return b
}
