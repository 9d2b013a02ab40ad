package item

import "vitrine/internal/shop/catalog"

// Price returns the item type of prices.
func Price() Type[catalog.PricePush] {
	return Type[catalog.PricePush]{
		maxBytes: maxItemBytes,
		decode:   readPrice,
		identify: func(p catalog.PricePush) (id, subject string) {
			return p.Variant, variantSubject(p.Product, p.Variant)
		},
	}
}

// readPrice reads {variant_id, product_id?, price}. The variant of a product that was pushed with single_variant has no
// id of its own: its variant_id is the id of the product.
func readPrice(f *fields) catalog.PricePush {
	var p catalog.PricePush
	var named, priced bool
	ok := f.object(func(name string) bool {
		switch name {
		case "variant_id":
			named = true
			p.Variant, _ = f.ExternalID()
		case "product_id":
			p.Product = readProductID(f)
		case "price":
			priced = true
			p.Price, _ = catalog.ReadPrice(f.Reader)
		default:
			return false
		}
		return true
	})
	if ok && !named {
		failMissingVariantID(f)
	}
	if ok && !priced {
		f.FailAt("price", "required", "The price of the variant is needed here.")
	}
	return p
}

// readProductID reads the optional product_id of an item about a variant. It returns nil for null.
func readProductID(f *fields) *string {
	if f.Null() {
		return nil
	}
	return readReferenceID(f)
}

// failMissingVariantID adds the error of an item that lacks variant_id.
func failMissingVariantID(f *fields) {
	f.FailAt("variant_id", "required",
		"The id that your system knows the variant by is needed here; "+
			"for a product that was pushed with single_variant, the id of the product.")
}

// variantSubject returns the Subject of an item about a variant. The separator \x00 occurs in no id.
func variantSubject(product *string, variant string) string {
	if product == nil {
		return "\x00" + variant
	}
	return *product + "\x00" + variant
}
