package item

import (
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
)

// Price returns the item type of prices.
func Price() Type[catalog.PricePush] {
	members := []string{"variant_id", "product_id", "price", "price_list_id", "from_quantity"}
	return Type[catalog.PricePush]{"prices", maxItemBytes, members, readPricePush}
}

// Remainder returns the item type of remainders.
func Remainder() Type[catalog.RemainderPush] {
	members := []string{"variant_id", "product_id", "stock_id", "quantity"}
	return Type[catalog.RemainderPush]{"remainders", maxItemBytes, members, readRemainderPush}
}

// readPricePush reads {variant_id, product_id?, price, price_list_id?, from_quantity?}.
func readPricePush(f *itemReader) catalog.PricePush {
	var p catalog.PricePush
	var read listPriceReader
	ok := f.variantItem(&p.Variant, &p.Product, func(name string) bool { return read.member(f, name) })

	priced := read.finish()
	p.List, p.Price, p.FromQuantity = priced.List, priced.Price, priced.FromQuantity
	if p.List == "" {
		p.FromQuantity = 0
		if read.counted {
			f.FailAt("from_quantity", "required", "from_quantity is for prices in price lists: send price_list_id, "+
				"too, or leave it out.")
		}
	}

	f.require(ok, read.priced, "price", "The price of the variant is needed here.")
	p.Creates = f.mapped
	p.EmptyStock = f.meta.EmptyStock
	p.Currency = f.meta.currencyOf(p.List)
	p.Complete, p.Listed = f.meta.CompletePrices, f.meta.ListedSteps
	f.subject = PriceSubject(&p)
	return p
}

// PriceSubject returns the subject of a price.
func PriceSubject(p *catalog.PricePush) string {
	subject := variantSubject(p.Variant, p.Product)
	if p.List != "" {
		subject += "\x00" + p.List + "\x00" + p.FromQuantity.Text()
	}
	return subject
}

// listPriceReader reads the members of a price that may be in a price list.
type listPriceReader struct {
	catalog.PricedPush
	priced, listed, counted bool // the members that were read
}

// member reads price, price_list_id or from_quantity. It returns false for any other member. null stands for no list,
// and for the default quantity.
func (p *listPriceReader) member(f *itemReader, name string) bool {
	switch name {
	case "price":
		p.priced = true
		p.Price, _ = money.ReadPrice(f.Reader)
	case "price_list_id":
		if !f.Null() {
			p.listed = true
			p.List, _ = rule.ReadExternalID(f.Reader)
		}
	case "from_quantity":
		if !f.Null() {
			p.counted = true
			p.FromQuantity, _ = catalog.ReadFromQuantity(f.Reader)
		}
	default:
		return false
	}

	return true
}

// finish returns the price with the default quantity if it has none.
func (p *listPriceReader) finish() catalog.PricedPush {
	if !p.counted {
		p.FromQuantity = catalog.DefaultFromQuantity
	}
	return p.PricedPush
}

// readRemainderPush reads {variant_id, product_id?, stock_id, quantity}. It skips reserved, which is read-only.
func readRemainderPush(f *itemReader) catalog.RemainderPush {
	var p catalog.RemainderPush
	var stocked, counted bool

	ok := f.variantItem(&p.Variant, &p.Product, func(name string) bool {
		switch name {
		case "stock_id":
			stocked = true
			p.Stock, _ = rule.ReadExternalID(f.Reader)
		case "quantity":
			counted = true
			p.Quantity, _ = money.ReadQuantity(f.Reader)
		default:
			return name == "reserved"
		}

		return true
	})

	f.requireStock(ok, stocked, counted)
	p.Creates, p.Free = f.mapped, f.meta.freeStock()
	p.Complete, p.Listed = f.meta.CompleteStock, f.meta.ListedStocks
	f.subject = RemainderSubject(&p)

	return p
}

// RemainderSubject returns the subject of a remainder.
func RemainderSubject(p *catalog.RemainderPush) string {
	return variantSubject(p.Variant, p.Product) + "\x00" + p.Stock
}

// variantSubject returns the beginning of the subject of an item that is identified by a variant. The separator \x00
// occurs in no id.
func variantSubject(variant string, product *string) string {
	if product == nil {
		return "\x00" + variant
	}
	return *product + "\x00" + variant
}

// variantItem reads an item that is identified by variant_id and an optional product_id, and reports whether it found
// an object. fn reads the other members. The variant of a product that was pushed with single_variant has no id of its
// own: its variant_id is the id of the product.
func (f *itemReader) variantItem(variant *string, product **string, fn func(name string) bool) bool {
	named := false

	ok := f.object(func(name string) bool {
		switch name {
		case "variant_id":
			named = true
			*variant, _ = rule.ReadExternalID(f.Reader)
		case "product_id":
			if !f.Null() {
				*product = wire.OrNil(rule.ReadExternalID(f.Reader))
			}
		default:
			return fn(name)
		}

		return true
	})

	f.require(ok, named, "variant_id", "The id that your system knows the variant by is needed here; "+
		"for a product that was pushed with single_variant, the id of the product.")
	f.id = *variant

	return ok
}

func (f *itemReader) requireStock(read, stock, quantity bool) {
	f.require(read, stock, "stock_id", "The id that your system knows the stock by is needed here.")
	f.require(read, quantity, "quantity", "The quantity that the stock has is needed here.")
}
