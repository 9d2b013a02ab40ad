package commerceml

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/money"
)

// offerPrice is what an offer says about the base price of its variant, as JSON: a number, null, or "" if it says
// nothing.
type offerPrice string

const noPrice offerPrice = "null"

// priceStatistics counts what the offers of a file have, for the warnings about the file.
type priceStatistics struct {
	// offers is the number of offers with prices.
	offers int64
	// lacking is the number of those that have no price of the base type, others what types they have instead, by name.
	lacking int64
	others  map[string]int64
	// types are the ids of the types of prices while no type is known, unclear the number of offers whose prices are
	// left as they are because these are several.
	types   []string
	unclear int64
	// good is an example of a good with prices, lackingGood of one without the base type.
	good, lackingGood string
}

// price returns the base price of an offer. It has the type that the store has chosen, and the store's currency. Of
// several prices of the type, the price for the smallest quantity is taken, and of several for this quantity the last
// one. If no type is known, and the file has prices of several, none of them is a base price.
func (c *converter) price(e *element, product string, warnings *[]fault.Field) offerPrice {
	list := e.child("Цены")
	if list == nil {
		return ""
	}

	r := priceReader{c: c, offer: e, base: c.basePriceType(), warnings: warnings}
	if r.base.ID == "" && c.prices.hasSeveralTypes(list) {
		c.prices.unclear++
		c.prices.good = firstOf(c.prices.good, product)
		return ""
	}

	var others []string
	hasBase := false
	for _, p := range list.children {
		if p.name != "Цена" || p.child("ЦенаЗаЕдиницу") == nil {
			continue
		}

		if of := cutID(p.textOf("ИдТипаЦены")); of != "" && r.base.ID != "" && of != r.base.ID {
			if !slices.Contains(others, of) && len(others) < maxListed {
				others = append(others, of)
			}
			continue
		}

		hasBase = true
		r.add(p)
	}

	for _, id := range others {
		if _, kept := c.priceLists()[id]; !kept {
			c.notKept.add("Цена: " + c.memory.priceTypeName(id))
		}
	}

	if hasBase || len(others) > 0 {
		c.prices.count(c.memory, product, hasBase, others)
	}

	if _, isList := c.priceLists()[r.base.ID]; r.several && !isList { // otherwise listPrices warns
		warn(warnings, "price", "several_prices", "The offer %s has several prices of the type %.100s; the last one, "+
			"%.40s, was taken.", offerLabel(e), r.base.Name, r.text)
	}

	return r.price
}

// basePriceType returns the type of the base prices of this file. If the store has chosen one that is not known, it has
// only an id. If there are no types at all, it is empty, and the prices of an only type are base prices.
func (c *converter) basePriceType() PriceType {
	if c.base == nil {
		base, known := c.memory.BasePriceType(c.options.PriceType, c.options.Currency)
		if !known {
			base.ID = c.options.PriceType
		}
		c.base = &base
	}
	return *c.base
}

// offerLabel returns the name and the id of an offer, for messages.
func offerLabel(e *element) string {
	id, _ := offerID(e)
	name := foldSpaces(firstOf(e.textOf("Наименование"), e.textOf("Артикул")))
	if name == "" {
		return fmt.Sprintf("%.100s", id)
	}
	return fmt.Sprintf("%.100s (%.100s)", name, id)
}

// hasSeveralTypes reports whether the prices of an offer and of those before it have several types.
func (s *priceStatistics) hasSeveralTypes(list *element) bool {
	for _, p := range list.children {
		of := cutID(p.textOf("ИдТипаЦены"))
		if p.name == "Цена" && of != "" && len(s.types) < maxListed && !slices.Contains(s.types, of) {
			s.types = append(s.types, of)
		}
	}
	return len(s.types) > 1
}

// count counts an offer with prices. others are the ids of the types that it has besides the base type.
func (s *priceStatistics) count(memory *Memory, product string, hasBase bool, others []string) {
	s.offers++
	s.good = firstOf(s.good, product)

	if hasBase {
		return
	}

	s.lacking++
	s.lackingGood = firstOf(s.lackingGood, product)

	if s.others == nil {
		s.others = map[string]int64{}
	}

	for _, id := range others {
		name := memory.priceTypeName(id)
		if _, listed := s.others[name]; listed || len(s.others) < maxListed {
			s.others[name]++
		}
	}
}

// priceReader reads the prices of the base type of one offer.
type priceReader struct {
	c        *converter
	offer    *element
	base     PriceType
	warnings *[]fault.Field

	price   offerPrice
	text    string    // of the price
	step    priceStep // the zero step before the first price
	several bool
}

// add takes the price of an element Цена, unless the offer has one for a smaller quantity.
func (r *priceReader) add(p *element) {
	text := p.textOf("ЦенаЗаЕдиницу")
	if !r.isOfStore(p, text) {
		return
	}

	price, ok := r.c.parsePrice(text)
	if !ok {
		warn(r.warnings, "price", "invalid_price", "The price %.40s of the offer %s was left out: it is not a number "+
			"from 0 on with at most %d digits before the point.", text, offerLabel(r.offer), money.MoneyDigits)
		return
	}

	step, ok := stepOf(p)
	if !ok {
		warnOfStep(r.offer, p, r.warnings)
		return
	}

	if factor := p.textOf("Коэффициент"); factor != "" && factor != "1" {
		if n, ok := parseDecimal(factor); !ok || n.Cmp(big.NewRat(1, 1)) != 0 {
			warn(r.warnings, "price", "coefficient_ignored",
				"The coefficient %.40s of the price %.40s of the offer %s was "+
					"ignored.", factor, text, offerLabel(r.offer))
		}
	}

	isSame := step.quantity == r.step.quantity
	switch {
	case r.step.quantity != 0 && step.quantity > r.step.quantity:
		return
	case isSame && step.isZero && !r.step.isZero:
		warnOfZeroStep(r.offer, text, r.warnings)
		return
	case isSame && r.step.isZero && !step.isZero:
		warnOfZeroStep(r.offer, r.text, r.warnings)
		isSame = false
	}

	r.several = isSame && (r.several || price != r.price)
	r.step = step
	r.price = price
	r.text = firstOf(text, "0")
}

// isOfStore reports whether a price is in the store's currency. Its currency is its own, else the currency of its type,
// else the store's.
func (r *priceReader) isOfStore(p *element, text string) bool {
	currency := firstOf(p.textOf("Валюта"), r.base.Currency)
	if r.c.options.isOfStore(currency) {
		return true
	}
	warn(r.warnings, "price", "foreign_currency",
		"The price %.40s of the offer %s was left out: it is in %.20s, and the "+
			"store has %s.", text, offerLabel(r.offer), currency, r.c.options.Currency)
	return false
}

// isOfStore reports whether the name of a currency, as 1C writes it, names the store's currency. So is an empty one.
func (o *Options) isOfStore(currency string) bool {
	return currency == "" || currency == o.Currency || o.Currency == "" || currencyCode(currency) == o.Currency
}

// parsePrice reads a price. 1C writes an empty one or 0 for a good that has none. It returns false for what is no
// price: the gate would refuse all offers of the good with it.
func (c *converter) parsePrice(text string) (offerPrice, bool) {
	if text == "" {
		return noPrice, true
	}

	price, ok := plainDecimal(text, money.MoneyDecimals)
	if !ok {
		n, ok := parseDecimal(text)
		if !ok || n.Sign() < 0 {
			return "", false
		}
		price = formatDecimal(n, money.MoneyDecimals)
	}

	if _, broken := money.ParsePrice(price); broken != nil {
		return "", false
	}
	if price != "0" || c.options.ZeroIsFree {
		return offerPrice(price), true
	}
	return noPrice, true
}

// warnOfPrices passes on the warnings about the prices of all offers of the file.
func (c *converter) warnOfPrices() error {
	s := &c.prices
	if s.offers == 0 && s.unclear == 0 {
		return nil
	}

	base := c.basePriceType()
	name := firstOf(base.Name, base.ID)

	var warnings []fault.Field
	if len(c.memory.types()) > 1 && c.options.PriceType == "" {
		warn(&warnings, "price", "price_type_not_chosen", "None of the price types of 1C (%s) is chosen in the "+
			"settings of the exchange; %.100s was taken.", c.memory.PriceTypeNames(), name)
	}

	if s.unclear > 0 {
		warn(&warnings, "price", "price_type_not_chosen",
			"The prices have several types (%s), and 1C has sent no list of "+
				"price types. The prices of %d offers were left as they are. Choose a type in the settings of the "+
				"exchange, "+
				"or let 1C send all.", joinNames(s.types), s.unclear)
	}

	if s.lacking > 0 {
		other := slices.SortedFunc(maps.Keys(s.others), func(a, b string) int {
			return cmp.Or(cmp.Compare(s.others[b], s.others[a]), strings.Compare(a, b))
		})
		if _, known := c.memory.BasePriceType(c.options.PriceType, c.options.Currency); known {
			warn(&warnings, "price", "price_type_missing",
				"%d offers lack the price type %.100s; they have %s. Their prices "+
					"were left as they are.", s.lacking, name, joinNames(other))
		} else {
			warn(&warnings, "price", "price_type_missing", "The chosen price type %.100s has not come from 1C. "+
				"%d offers have %s instead; their prices were left as they are.",
				name, s.lacking, joinNames(other))
		}
	}

	if len(warnings) == 0 {
		return nil
	}

	c.line = append(quote(append(c.line[:0], `{"id":`...), firstOf(s.lackingGood, s.good)), '}')
	return c.emit(Item{Entity: Products, Part: Seen, Warnings: warnings})
}

// maxNamed is the number of names that a message lists.
const maxNamed = 10

// joinNames returns a list of names for a message.
func joinNames(names []string) string {
	short := make([]string, 0, maxNamed+1)
	for i, name := range names {
		if i == maxNamed {
			short = append(short, "…")
			break
		}
		short = append(short, fmt.Sprintf("%.100s", name))
	}
	return strings.Join(short, ", ")
}

// BasePriceType returns the price type whose prices become the prices of variants. It is the one with the wanted id or
// name. If wanted is empty, it is the first for retail («розн»), if possible in the store's currency, else the first in
// this currency, else the first. It returns false if there is none.
func (m *Memory) BasePriceType(wanted, currency string) (PriceType, bool) {
	isRetail := func(t PriceType) bool { return strings.Contains(strings.ToLower(t.Name), "розн") }
	isOfStore := func(t PriceType) bool { return t.IsIn(currency) }
	rules := []func(PriceType) bool{
		func(t PriceType) bool { return isRetail(t) && isOfStore(t) },
		isRetail,
		isOfStore,
		func(PriceType) bool { return true },
	}

	if wanted != "" {
		rules = []func(PriceType) bool{
			func(t PriceType) bool { return strings.EqualFold(t.ID, strings.TrimSpace(wanted)) },
			func(t PriceType) bool { return normalize(t.Name) == normalize(wanted) },
		}
	}

	types := m.types()
	for _, rule := range rules {
		if i := slices.IndexFunc(types, rule); i >= 0 {
			return types[i], true
		}
	}

	return PriceType{}, false
}

// IsIn reports whether prices of the type are in a currency. Those of a type without a currency are in any.
func (t PriceType) IsIn(currency string) bool {
	options := Options{Currency: currency}
	return options.isOfStore(t.Currency)
}

// priceTypeName returns the name of a price type by its id, or the id if it is not known.
func (m *Memory) priceTypeName(id string) string {
	types := m.types()
	if i := slices.IndexFunc(types, func(t PriceType) bool { return t.ID == id }); i >= 0 {
		return firstOf(types[i].Name, id)
	}
	return id
}

// PriceTypeNames returns the names of the price types for a message.
func (m *Memory) PriceTypeNames() string {
	types := m.types()
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = firstOf(t.Name, t.ID)
	}
	return joinNames(names)
}
