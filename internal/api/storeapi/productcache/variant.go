package productcache

import (
	"context"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// VariantRenderer renders variants as the routes of variants show them, with their archived_at.
type VariantRenderer struct {
	Dates      *locale.Dates
	Remainders bool              // whether variants show what each stock has
	Reader     pricelist.Reader  // whose prices they show
	prices     *pricelist.Prices // nil for a reader without price lists who sees no steps
	PriceLists bool              // whether they show their prices in all price lists
	allPrices  map[int64][]view.PriceInList
	// imageBaseURL is escaped for a JSON string.
	imageBaseURL string
	storeID      store.ID
}

// NewVariantRenderer returns a renderer for the reader of the request. The argument with says which prices variants
// show: prices, price_lists. publicURL is Deps.PublicURL.
func NewVariantRenderer(r *httpapi.Request, with httpapi.Extras, publicURL string) *VariantRenderer {
	return &VariantRenderer{Dates: r.Dates(), Remainders: ShowsRemainders(r), Reader: PriceReader(r, with["prices"]),
		PriceLists: with["price_lists"], imageBaseURL: quotedBaseURL(r, publicURL), storeID: r.Principal.Store.ID}
}

// ETag returns the entity tag of a response with variants of a product of this version.
func (d *VariantRenderer) ETag(r *httpapi.Request, version int64) string {
	return etagOf(r, version, view.Parts{Prices: d.Reader.Steps, PriceLists: d.PriceLists})
}

// ReadPrices reads the prices of the variants that the reader gets, if they are not those of the variants themselves.
// It also reads the prices in all price lists, if they are shown.
func (d *VariantRenderer) ReadPrices(ctx context.Context, tx store.Tx, variants ...catalog.Variant) (err error) {
	keys := make([]int64, len(variants))
	for i := range variants {
		keys[i] = variants[i].Key
	}

	if d.PriceLists {
		if d.allPrices, err = view.PricesInLists(ctx, tx, keys); err != nil {
			return err
		}
	}
	if d.Reader.Chain.IsBase() && !d.Reader.Steps {
		return nil
	}
	d.prices, err = pricelist.OfVariants(ctx, tx, keys, d.Reader)
	return err
}

// Append appends a variant.
func (d *VariantRenderer) Append(b []byte, v *catalog.Variant) []byte {
	var steps []pricing.Step
	if d.prices != nil {
		prices := d.prices.Of(v.Key, v.Price)
		priced := *v
		priced.Price, _ = prices.At(pricing.One)
		v = &priced
		steps = prices.Steps()
	}

	b = appendVariantHead(b, v)
	for i := range v.Options {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendOption(b, &v.Options[i])
	}

	b = append(b, ']')
	if d.Remainders {
		b = append(b, `,"remainders":[`...)
		b = appendRemainders(b, v.Remainders)
		b = append(b, ']')
	}

	b = appendImages(b, d.imageBaseURL, d.storeID, v.Images)
	if d.Reader.Steps {
		b = AppendPrices(b, steps, d.prices.Old(v.Key, v.Price))
	}
	if d.PriceLists {
		b = AppendPriceLists(b, d.allPrices[v.Key])
	}

	b = append(b, `,"archived_at":`...)
	b = appendDateOrNull(b, d.Dates, v.ArchivedAt)
	return append(b, '}')
}

func appendOption(b []byte, c *catalog.AttributeValue) []byte {
	b = appendAttributeHead(b, c.AttributeID, c.Name)
	b = appendValue(b, c.Value.ID, c.Value.Name)
	return append(b, "}}"...)
}
