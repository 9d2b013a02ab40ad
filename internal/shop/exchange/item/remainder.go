package item

import "vitrine/internal/shop/catalog"

// Remainder returns the item type of remainders.
func Remainder() Type[catalog.RemainderPush] {
	return Type[catalog.RemainderPush]{
		maxBytes: maxItemBytes,
		decode:   readRemainder,
		identify: func(p catalog.RemainderPush) (id, subject string) {
			return p.Variant, variantSubject(p.Product, p.Variant) + "\x00" + p.Stock
		},
	}
}

// readRemainder reads {variant_id, product_id?, stock_id, quantity}. variant_id means the same as in a price. It skips
// reserved, a read-only member of the API's remainders.
func readRemainder(f *fields) catalog.RemainderPush {
	var p catalog.RemainderPush
	var named, stocked, counted bool
	ok := f.object(func(name string) bool {
		switch name {
		case "variant_id":
			named = true
			p.Variant, _ = f.ExternalID()
		case "product_id":
			p.Product = readProductID(f)
		case "stock_id":
			stocked = true
			p.Stock, _ = f.ExternalID()
		case "quantity":
			counted = true
			p.Quantity, _ = catalog.ReadQuantity(f.Reader)
		default:
			return name == "reserved"
		}
		return true
	})
	if ok && !named {
		failMissingVariantID(f)
	}
	if ok && !stocked {
		f.FailAt("stock_id", "required", "The id that your system knows the stock by is needed here.")
	}
	if ok && !counted {
		f.FailAt("quantity", "required", "The quantity that the stock has is needed here.")
	}
	return p
}
