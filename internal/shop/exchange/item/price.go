package item

import (
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
)

// Price returns the item type of prices.
func Price() Type[catalog.PricePush] {
	return Type[catalog.PricePush]{"prices", maxItemBytes, []string{"variant_id", "product_id", "price"}, readPricePush}
}

// Remainder returns the item type of remainders.
func Remainder() Type[catalog.RemainderPush] {
	members := []string{"variant_id", "product_id", "stock_id", "quantity"}
	return Type[catalog.RemainderPush]{"remainders", maxItemBytes, members, readRemainderPush}
}

// readPricePush reads {variant_id, product_id?, price}.
func readPricePush(f *itemReader) catalog.PricePush {
	var p catalog.PricePush
	priced := false
	ok := f.variantItem(&p.Variant, &p.Product, func(name string) bool {
		if name != "price" {
			return false
		}
		priced = true
		p.Price, _ = money.ReadPrice(f.Reader)
		return true
	})
	f.require(ok, priced, "price", "The price of the variant is needed here.")
	p.Creates = f.mapped
	p.EmptyStock = f.meta.EmptyStock
	return p
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
	f.subject += "\x00" + p.Stock

	return p
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
	f.subject = "\x00" + *variant // the separator \x00 occurs in no id
	if *product != nil {
		f.subject = **product + f.subject
	}

	return ok
}

func (f *itemReader) requireStock(read, stock, quantity bool) {
	f.require(read, stock, "stock_id", "The id that your system knows the stock by is needed here.")
	f.require(read, quantity, "quantity", "The quantity that the stock has is needed here.")
}
