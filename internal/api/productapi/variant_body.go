package productapi

import (
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/rule"
)

// ReadVariant reads the body of a request that creates or edits a single variant. The path identifies the variant,
// so an id in the body is ignored.
func ReadVariant(r *wire.Reader) (v catalog.VariantEdit) {
	r.Object(func(name string) { readVariantMember(r, name, &v) })
	return v
}

// readListedVariant reads one element of a product's variants. An element without an id adds a variant.
func readListedVariant(r *wire.Reader) (v catalog.VariantEdit) {
	r.Object(func(name string) {
		if name != "id" {
			readVariantMember(r, name, &v)
			return
		}
		i, ok := wire.ID[catalog.Variant](r)
		if v.ID = i; ok && i.IsZero() {
			r.Failf("unknown_variant", "This is not the id of a variant. Leave the id out to add a new variant.")
		}
	})
	return v
}

func readVariantMember(r *wire.Reader, name string, v *catalog.VariantEdit) {
	switch name {
	case "external_id":
		v.ExternalID = rule.ReadExternalIDOrNull(r)
	case "options":
		v.Options = wire.List(r, func(r *wire.Reader) catalog.ValueRef { return readValueRef(r, catalog.Option) })
	case "remainders":
		v.Remainders = wire.List(r, readRemainderEdit)
	case "images":
		v.Images = wire.List(r, ReadRef[imagefile.Image])
	case "price_lists":
		v.Prices = wire.List(r, readListPriceEdit)
	default:
		catalog.VariantScalars.ReadEdit(r, name, v)
	}
}

// readRemainderEdit reads {stock_id, quantity}. It ignores the read-only member reserved.
func readRemainderEdit(r *wire.Reader) (m catalog.RemainderEdit) {
	r.ObjectWith(func(name string) {
		switch name {
		case "stock_id":
			m.Stock, _ = wire.ID[catalog.Stock](r)
		case "quantity":
			m.Quantity, _ = money.ReadQuantity(r)
		}
	}, wire.Required{Member: "stock_id", Message: "The id of a stock is needed here."},
		wire.Required{Member: "quantity", Message: "The quantity that the stock has is needed here."})
	return m
}

// readListPriceEdit reads {price_list_id, from_quantity?, price}. A price of null removes it from the list.
func readListPriceEdit(r *wire.Reader) catalog.ListPriceEdit {
	p := catalog.ListPriceEdit{FromQuantity: catalog.DefaultFromQuantity}
	r.ObjectWith(func(name string) {
		switch name {
		case "price_list_id":
			p.List, _ = wire.ID[catalog.PriceList](r)
		case "from_quantity":
			if !r.Null() {
				p.FromQuantity, _ = catalog.ReadFromQuantity(r)
			}
		case "price":
			p.Price, _ = money.ReadPrice(r)
		}
	}, wire.Required{Member: "price_list_id", Message: "The id of a price list is needed here."},
		wire.Required{Member: "price", Message: "The price is needed here; null removes it from the list."})
	return p
}
