package commerceml

import (
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
)

// Consecutive offers of one good become one item. maxGroupOffers and maxGroupBytes limit it; further offers become
// another item.
const (
	maxGroupOffers = 1000
	maxGroupBytes  = 1 << 20
)

// offers reads ПакетПредложений. Offers of one good that stand together become one item.
func (c *converter) offers(r *reader, start startTag) error {
	if err := c.quantities.find(&c.options, c.memory); err != nil {
		return err
	}

	c.packet = newPacketReader(start, true)
	before := c.summary.Offers

	_, err := r.each(func(start startTag) error {
		if isHead, err := c.packet.read(r, start); isHead || err != nil {
			return err
		}

		switch start.name {
		case "ТипыЦен":
			return c.priceTypes(r)
		case "Склады":
			return c.warehouses(r)
		case "Предложения":
		default:
			c.notKept.addOfPacket(start.name)
			return r.skip()
		}

		c.packet.begin()
		return r.eachElement("Предложение", c.offer)
	})
	if err != nil {
		return err
	}

	c.packet.end(c, c.summary.Offers-before)
	return c.group.flush(c)
}

// offerGroup is the item of some offers of one good.
type offerGroup struct {
	product  string
	name     string
	variants []byte
	count    int
	warnings []fault.Field
	// stocked says that a variant has remainders, complete that the lists of remainders are complete. priced and
	// completePrices say the same of prices in price lists.
	stocked, complete      bool
	priced, completePrices bool
	// currencies are those of the prices in price lists.
	currencies []catalog.ListCurrency
}

// addPrices adds what the item says of the prices of an offer.
func (g *offerGroup) addPrices(prices listPrices) {
	if len(prices.list) == 0 {
		return
	}
	g.priced = true
	g.completePrices = prices.complete
	for _, p := range prices.list {
		if of := p.currencyOfList(); of.Currency != "" && !slices.Contains(g.currencies, of) {
			g.currencies = append(g.currencies, of)
		}
	}
}

// takes reports whether an offer with this stock and these prices may be in the item: its lists of remainders are all
// complete, or none is, and so are its prices.
func (g *offerGroup) takes(stock offerStock, prices listPrices) bool {
	return (!g.stocked || len(stock.list) == 0 || g.complete == stock.complete) &&
		(!g.priced || len(prices.list) == 0 || g.completePrices == prices.complete)
}

// flush passes the item on.
func (g *offerGroup) flush(c *converter) error {
	if g.count == 0 {
		return nil
	}
	c.line = quote(append(c.line[:0], `{"id":`...), g.product)
	if g.name != "" {
		c.line = quote(append(c.line, `,"name":`...), g.name)
	}
	c.line = append(append(append(c.line, `,"variants":[`...), g.variants...), `]}`...)
	item := Item{Entity: Products, Part: Offers, Warnings: g.warnings, CompleteStock: g.complete,
		CompletePrices: g.completePrices, Currencies: g.currencies, EmptyStock: c.emptyStock()}
	*g = offerGroup{variants: g.variants[:0]}
	return c.emit(item)
}

// offerID returns the ids of an offer and its good.
func offerID(e *element) (id, product string) {
	id = firstOf(e.textOf("Ид"), e.textOf("ИдентификаторТовара"), e.textOf("ИдТовара"))
	if characteristic := e.textOf("ИдХарактеристики"); characteristic != "" && !strings.Contains(id, "#") {
		id += "#" + characteristic
	}
	id = strings.TrimSuffix(id, "#")
	product, _, _ = strings.Cut(id, "#")
	return cutID(id), cutID(product)
}

// offer maps Предложение.
func (c *converter) offer(e *element) error {
	return c.variant(e, func(warnings *[]fault.Field) offerStock { return c.stockOf(e, warnings) })
}

// variant maps an offer, or a good with a characteristic, to a variant with this stock. One that has only prices and
// quantities is mapped to the quick gates.
func (c *converter) variant(e *element, stockOf func(warnings *[]fault.Field) offerStock) error {
	if err := c.quantities.find(&c.options, c.memory); err != nil {
		return err
	}

	c.summary.Offers++
	id, product := offerID(e)
	var warnings []fault.Field
	if isDeleted(e) {
		return c.withdraw(id, product)
	}
	if err := c.listed(product, id); err != nil {
		return err
	}

	if e.name != "Товар" { // its own mapping counts a good
		c.countNotKeptOfOffer(e)
	}

	price := c.price(e, product, &warnings)
	prices := c.listPrices(e, &warnings)
	stock := stockOf(&warnings)
	barcodes, hasBarcodes := barcodesOf(e, &warnings)
	if e.child("Наименование") == nil && e.child("ХарактеристикиТовара") == nil && e.child("Артикул") == nil &&
		e.child("ЗначенияСвойств") == nil && barcodes == "" && (e.name == "Товар" || e.textOf("Картинка") == "") {
		return c.quickItems(id, product, price, prices, stock, warnings)
	}

	g := &c.group
	if g.count > 0 && (g.product != product || g.count >= maxGroupOffers || len(g.variants) > maxGroupBytes ||
		!g.takes(stock, prices)) {
		if err := g.flush(c); err != nil {
			return err
		}
	}

	name := foldSpaces(e.textOf("Наименование"))
	if g.product = product; g.name == "" {
		if g.name = shorten(name); id != product {
			g.name = shorten(cutNote(name))
		}
	}

	if g.count++; g.count > 1 {
		g.variants = append(g.variants, ',')
	}

	b := quote(append(g.variants, `{"id":`...), id)
	if id != product && name != "" {
		b = quote(append(b, `,"name":`...), shorten(name))
	}

	if sku := foldSpaces(e.textOf("Артикул")); sku != "" {
		b = quote(append(b, `,"sku":`...), shorten(sku))
	}

	if price != "" {
		b = append(append(b, `,"price":`...), price...)
	}

	if hasBarcodes {
		b = barcodes.AppendJSON(append(b, `,"barcodes":`...))
	}

	b = appendListPrices(b, prices.list)
	g.addPrices(prices)
	b, err := c.characteristics(b, e, &warnings)
	if err != nil {
		return err
	}

	if e.name != "Товар" { // those of a good are the product's
		if b, err = c.appendPictures(b, e, &warnings); err != nil {
			return err
		}
	}

	if len(stock.list) > 0 {
		g.stocked = true
		g.complete = stock.complete
		b = append(b, `,"remainders":[`...)
		for i, s := range stock.list {
			if i > 0 {
				b = append(b, ',')
			}
			b = quote(append(b, `{"stock_id":`...), s.id)
			b = append(append(append(b, `,"quantity":`...), s.name...), '}')
		}

		b = append(b, ']')
	}

	g.variants = append(b, '}')
	g.warnings = append(g.warnings, warnings[:min(len(warnings), max(0, maxWarnings-len(g.warnings)))]...)
	return nil
}

// withdraw maps an offer that is marked for deletion: its variant is archived.
func (c *converter) withdraw(id, product string) error {
	c.line = quote(append(c.line[:0], `{"id":`...), product)
	c.line = append(quote(append(c.line, `,"variants":[{"id":`...), id), `}]}`...)
	return c.emit(Item{Entity: Products, Part: Withdrawn})
}

// quickItems maps an offer to items of prices and remainders.
func (c *converter) quickItems(
	id, product string, price offerPrice, prices listPrices, stock offerStock, warnings []fault.Field,
) error {
	begin := func() {
		c.line = quote(append(c.line[:0], `{"variant_id":`...), id)
		c.line = quote(append(c.line, `,"product_id":`...), product)
	}
	if price != "" {
		begin()
		c.line = append(append(append(c.line, `,"price":`...), price...), '}')
		if err := c.emit(Item{Entity: Prices, Warnings: warnings, EmptyStock: c.emptyStock()}); err != nil {
			return err
		}
		warnings = nil
	}

	completed := map[string]bool{}
	for _, p := range prices.list {
		begin()
		c.line = append(appendListPrice(append(c.line, ','), p), '}')
		item := Item{Entity: Prices, Warnings: warnings, EmptyStock: c.emptyStock()}
		if of := p.currencyOfList(); of.Currency != "" {
			item.Currencies = []catalog.ListCurrency{of}
		}

		if prices.complete && !completed[p.list] {
			completed[p.list] = true
			item.CompletePrices, item.ListedSteps = true, prices.stepsOf(p.list)
		}

		if err := c.emit(item); err != nil {
			return err
		}
		warnings = nil
	}

	for i, s := range stock.list {
		begin()
		c.line = quote(append(c.line, `,"stock_id":`...), s.id)
		c.line = append(append(append(c.line, `,"quantity":`...), s.name...), '}')
		item := Item{Entity: Remainders, Warnings: warnings}

		if stock.complete && i == 0 {
			item.CompleteStock, item.ListedStocks = true, stock.names()
		}

		if err := c.emit(item); err != nil {
			return err
		}

		warnings = nil
	}

	if len(warnings) == 0 || product == "" {
		return nil
	}

	c.line = append(quote(append(c.line[:0], `{"id":`...), product), '}')
	return c.emit(Item{Entity: Products, Part: Seen, Warnings: warnings})
}

// offerOption is an option of an offer. short is its name without the text in brackets at its end.
type offerOption struct{ full, short, value string }

// characteristicsOf returns the characteristics of an offer, or its properties if it has none. It returns false if the
// offer says nothing about them.
func (c *converter) characteristicsOf(
	e *element, warnings *[]fault.Field,
) (all []offerOption, present bool, err error) {
	list := e.child("ХарактеристикиТовара")
	if list != nil {
		for _, ch := range list.children {
			full := foldSpaces(ch.textOf("Наименование"))
			value := foldSpaces(ch.textOf("Значение"))
			if ch.name == "ХарактеристикаТовара" && full != "" && value != "" {
				all = append(all, offerOption{full, cutNote(full), value})
			}
		}
	}

	if len(all) == 0 && e.name != "Товар" {
		all, err = c.offerProperties(e, warnings)
	}

	return all, list != nil || len(all) > 0, err
}

// characteristics appends the options of an offer. An option is known by the normalized name of its characteristic,
// without the text in brackets at its end. If two characteristics of the offer differ only by that text, they keep it.
func (c *converter) characteristics(b []byte, e *element, warnings *[]fault.Field) ([]byte, error) {
	all, present, err := c.characteristicsOf(e, warnings)
	if err != nil || !present {
		return b, err
	}

	times := map[string]int{}
	for _, ch := range all {
		times[normalize(ch.short)]++
	}

	b = append(b, `,"options":[`...)
	written := map[string]bool{}
	for _, ch := range all {
		name := ch.short
		if times[normalize(name)] > 1 {
			name = ch.full
		}

		option := normalize(name)
		value := normalize(ch.value)
		if written[option] {
			warn(warnings, "options", "duplicate_option",
				"The offer has the characteristic %.60s twice; the first value was taken.", name)
			continue
		}

		if len(written) >= maxReferences {
			warn(warnings, "options", "too_many", "An offer has at most %d characteristics; the others were left out.",
				maxReferences)
			break
		}

		if !fits(option) || !fits(value) {
			warn(warnings, "options", "too_long",
				"A characteristic with more than %d characters was left out: %.60s.", maxText, ch.value)
			continue
		}

		a, err := c.variants.attribute(option, name)
		if err != nil {
			return b, err
		}
		if err := c.variants.addValue(a, value, ch.value); err != nil {
			return b, err
		}

		if len(written) > 0 {
			b = append(b, ',')
		}

		written[option] = true
		b = quote(append(b, `{"id":`...), option)
		b = append(quote(append(b, `,"value_id":`...), value), '}')
	}

	return append(b, ']'), nil
}
