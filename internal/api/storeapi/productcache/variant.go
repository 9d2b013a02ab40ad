package productcache

import (
	"context"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// VariantRenderer renders variants as the routes of variants show them, with their archived_at.
type VariantRenderer struct {
	Dates      *locale.Dates
	Remainders bool              // whether variants show what each stock has
	Reader     pricelist.Reader  // whose prices they show
	prices     *pricelist.Prices // nil for a reader without price lists who sees no steps
}

// NewVariantRenderer returns a renderer for the reader of the request. The argument steps says whether variants show
// their prices by quantity.
func NewVariantRenderer(r *httpapi.Request, steps bool) *VariantRenderer {
	return &VariantRenderer{Dates: r.Dates(), Remainders: ShowsRemainders(r), Reader: PriceReader(r, steps)}
}

// ReadPrices reads the prices of the variants that the reader gets, if they are not those of the variants themselves.
func (d *VariantRenderer) ReadPrices(ctx context.Context, tx store.Tx, variants ...catalog.Variant) (err error) {
	if d.Reader.Chain.IsBase() && !d.Reader.Steps {
		return nil
	}
	keys := make([]int64, len(variants))
	for i := range variants {
		keys[i] = variants[i].Key
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

	if d.Reader.Steps {
		b = AppendPrices(b, steps, d.prices.Old(v.Key, v.Price))
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
