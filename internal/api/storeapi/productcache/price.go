package productcache

import (
	"encoding/base64"
	"hash/fnv"
	"strings"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
)

// priceKey identifies whose prices cached products have: those of readers with the same chain of price lists, with the
// same list of old prices. It is empty for readers without price lists in a store without old prices.
type priceKey string

func newPriceKey(reader pricelist.Reader) priceKey {
	key := priceKey(reader.Chain)
	if reader.Old != nil {
		key += priceKey("/" + reader.Old.String())
	}
	return key
}

// PriceReader returns whose prices the response shows. The argument steps says whether it shows prices by quantity.
func PriceReader(r *httpapi.Request, steps bool) pricelist.Reader {
	return pricelist.Reader{Chain: r.Principal.Prices, Old: r.Principal.Store.OldPriceList, Steps: steps}
}

// etagOf returns the entity tag of a version of a product with these parts, or "": the version does not change if a
// price list is deleted, so a response with the prices of all lists has none.
func etagOf(r *httpapi.Request, version int64, parts view.Parts) string {
	if parts.PriceLists {
		return ""
	}
	return ETag(r, version, parts.Prices)
}

// ETag returns the entity tag of a version of a product, or of one of its variants. Readers with price lists get a tag
// of their own, since the version does not change with their group, and so do responses with prices by quantity.
func ETag(r *httpapi.Request, version int64, steps bool) string {
	tag := httpapi.ETag(version)
	if r.Principal.Prices.IsBase() && !steps {
		return tag
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(newPriceKey(PriceReader(r, steps))))
	if steps {
		_, _ = hash.Write([]byte("+"))
	}
	return strings.TrimSuffix(tag, `"`) + "-" + base64.RawURLEncoding.EncodeToString(hash.Sum(nil)) + `"`
}

// partsOfOne returns the parts that the response of a single product has with these extras.
func partsOfOne(with httpapi.Extras) view.Parts {
	parts := allParts
	parts.Prices = with["prices"]
	parts.PriceLists = with["price_lists"]
	parts.Breadcrumbs = with["breadcrumbs"]
	return parts
}

// AppendPriceLists appends the member price_lists of a variant, with a comma before it.
func AppendPriceLists(b []byte, prices []view.PriceInList) []byte {
	b = append(b, `,"price_lists":[`...)
	for i := range prices {
		p := &prices[i]
		b = beginItem(b, i)
		b = append(b, `{"price_list_id":"`...)
		b = append(b, p.List.String()...)
		b = append(b, `","from_quantity":`...)
		b = appendQuantity(b, &p.FromQuantity)
		b = append(b, `,"price":`...)
		b = appendMoney(b, &p.Price)
		b = append(b, '}')
	}
	return append(b, ']')
}

// AppendPrices appends the members prices and old_price of a variant, with a comma before each.
func AppendPrices(b []byte, steps []pricing.Step, old money.Price) []byte {
	b = append(b, `,"prices":[`...)
	for i, s := range steps {
		b = beginItem(b, i)
		b = append(b, `{"from_quantity":`...)
		b = appendQuantity(b, &s.From)
		b = append(b, `,"price":`...)
		b = appendMoney(b, &s.Price)
		b = append(b, '}')
	}
	b = append(b, `],"old_price":`...)
	return appendMoney(b, old.OrNil())
}
