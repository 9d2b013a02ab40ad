package storeapi

import (
	"context"
	"time"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// variantBatch is the approximate number of variants that are in memory at a time. A typical page has fewer variants,
// so it needs only one query for each table.
const variantBatch = 20_000

// modifierBatch is the number of products whose modifiers are in memory at a time. The modifiers of a product have at
// most 256 KiB, so they take at most 16 MiB.
const modifierBatch = 64

// productRenderer renders products as JSON, with the requested extras.
type productRenderer struct {
	productHandlers
	ctx          context.Context
	tx           store.Tx
	dates        *locale.Dates
	imageBaseURL string // escaped for a JSON string
	with         httpapi.Extras
	// archived says that archived variants are included and that each variant has the member archived_at.
	archived bool
	// remainders says that each variant has the member remainders.
	remainders bool
	// dateSpans are the spans of the dates in the response buffer. They are valid until the buffer is spilled to a
	// file.
	dateSpans []dateSpan
}

func (h productHandlers) newRenderer(
	ctx context.Context, tx store.Tx, r *httpapi.Request, with httpapi.Extras,
) *productRenderer {
	d := &productRenderer{productHandlers: h, ctx: ctx, tx: tx, dates: r.Dates(), with: with,
		remainders: showsRemainders(r)}
	if with["images"] {
		quoted := wire.AppendString(nil, h.imageBaseURL(r))
		d.imageBaseURL = string(quoted[1 : len(quoted)-1])
	}
	return d
}

// showsRemainders reports whether the response shows what each stock has of a variant. Competitors could read it, so
// only secret keys see it, unless the store shows it to everybody.
func showsRemainders(r *httpapi.Request) bool {
	return r.Principal.Kind == access.SecretKey || r.Principal.Store.PublicRemainders
}

// writeList writes a page of products as a JSON array.
func (d *productRenderer) writeList(out *httpapi.Response, found []catalog.Product) error {
	out.B = append(out.B, '[')
	for i := 0; i < len(found); {
		batch := d.nextBatch(found[i:])
		if err := d.fillExtras(batch); err != nil {
			return err
		}
		for j := range batch {
			out.BeginItem(i)
			if err := d.writeProduct(out, &batch[j]); err != nil {
				return err
			}
			i++
		}
		clear(batch)
	}
	out.B = append(out.B, ']')
	return nil
}

// nextBatch returns the first products of the list found. Their extras are loaded together. It returns as many as
// variantBatch and modifierBatch allow, but at least one.
func (d *productRenderer) nextBatch(found []catalog.Product) []catalog.Product {
	if d.with["modifiers"] {
		found = found[:min(len(found), modifierBatch)]
	}
	if !d.with["variants"] {
		return found
	}
	n := int64(0)
	for i := range found {
		if n += found[i].VariantCount; n > variantBatch && i > 0 {
			return found[:i]
		}
	}
	return found
}

// writeOne loads the extras of one product and writes it.
func (d *productRenderer) writeOne(out *httpapi.Response, p catalog.Product) error {
	single := []catalog.Product{p}
	if err := d.fillExtras(single); err != nil {
		return err
	}
	return d.writeProduct(out, &single[0])
}

// fillExtras loads the requested extras of the products.
func (d *productRenderer) fillExtras(found []catalog.Product) error {
	for _, extra := range []struct {
		name string
		fill func(context.Context, store.Tx, []catalog.Product) error
	}{
		{"categories", d.catalog.Products.FillCategories}, {"features", d.catalog.Products.FillFeatures},
		{"images", d.catalog.Products.FillImages},
		{"modifiers", d.catalog.Products.FillModifiers}, {"variants", d.fillVariants},
	} {
		if !d.with[extra.name] {
			continue
		}
		if err := extra.fill(d.ctx, d.tx, found); err != nil {
			return err
		}
	}
	return nil
}

func (d *productRenderer) fillVariants(ctx context.Context, tx store.Tx, found []catalog.Product) error {
	which := catalog.Live
	if d.archived {
		which = catalog.AnyArchived
	}
	return d.catalog.Products.FillVariants(ctx, tx, found, which)
}

func (d *productRenderer) writeProduct(out *httpapi.Response, p *catalog.Product) error {
	out.B = d.appendHead(out.B, p)
	if d.with["categories"] {
		out.B = append(out.B, `,"categories":[`...)
		for i := range p.Categories {
			out.BeginItem(i)
			out.B = appendCategoryRef(out.B, &p.Categories[i])
		}
		out.B = append(out.B, ']')
	}
	if d.with["features"] {
		out.B = append(out.B, `,"features":[`...)
		for i := range p.Features {
			out.BeginItem(i)
			out.B = appendFeature(out.B, &p.Features[i])
		}
		out.B = append(out.B, ']')
	}
	if d.with["images"] {
		out.B = append(out.B, `,"images":[`...)
		for i := range p.Images {
			out.BeginItem(i)
			out.B = appendImage(out.B, d.imageBaseURL, d.tx.StoreID(), &p.Images[i])
		}
		out.B = append(out.B, ']')
	}
	if d.with["modifiers"] {
		out.B = append(out.B, `,"modifiers":`...)
		out.B = append(out.B, p.Modifiers...)
	}
	if d.with["variants"] {
		out.B = append(out.B, `,"variants":[`...)
		for i := range p.Variants {
			out.BeginItem(i)
			out.B = d.appendVariant(out.B, &p.Variants[i])
			if err := out.Spill(); err != nil {
				return err
			}
		}
		out.B = append(out.B, ']')
	}
	out.B = append(out.B, '}')
	return out.Spill()
}

func appendCategoryRef(b []byte, c *catalog.Category) []byte {
	b = append(b, `{"id":"`...)
	b = c.ID.Append(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, c.Name)
	return append(b, '}')
}

// appendCacheableDate appends a date and records its span for the page cache.
func (d *productRenderer) appendCacheableDate(b []byte, date time.Time) []byte {
	from := len(b)
	b = d.dates.AppendJSON(b, date)
	d.dateSpans = append(d.dateSpans, dateSpan{from, len(b), date})
	return b
}

// appendHead appends a product without its extras and without the closing brace.
func (d *productRenderer) appendHead(b []byte, p *catalog.Product) []byte {
	b = append(b, `{"id":"`...)
	b = p.ID.Append(b)
	b = append(b, `","external_id":`...)
	b = appendStringOrNull(b, p.ExternalID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, p.Name)
	b = append(b, `,"description":`...)
	b = wire.AppendString(b, p.Description)
	b = append(b, `,"price":{"from":`...)
	b = appendMoney(b, p.PriceFrom)
	b = append(b, `,"to":`...)
	b = appendMoney(b, p.PriceTo)
	b = append(b, `},"available":`...)
	b = appendQuantity(b, p.Available)
	b = append(b, `,"archived_at":`...)
	b = appendDateOrNull(b, d.dates, p.ArchivedAt)
	b = append(b, `,"created_at":`...)
	b = d.appendCacheableDate(b, p.CreatedAt)
	b = append(b, `,"updated_at":`...)
	return d.appendCacheableDate(b, p.UpdatedAt)
}

func (d *productRenderer) appendVariant(b []byte, v *catalog.Variant) []byte {
	b = append(b, `{"id":"`...)
	b = v.ID.Append(b)
	b = append(b, `","external_id":`...)
	b = appendStringOrNull(b, v.ExternalID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, v.Name)
	b = append(b, `,"sku":`...)
	b = wire.AppendString(b, v.SKU)
	b = append(b, `,"price":`...)
	b = appendMoney(b, &v.Price)
	b = append(b, `,"available":`...)
	b = appendQuantity(b, v.Available)
	b = append(b, `,"options":[`...)
	for i := range v.Options {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendAttributeValue(b, &v.Options[i])
		b = append(b, "}}"...)
	}
	b = append(b, ']')
	if d.remainders {
		b = append(b, `,"remainders":[`...)
		for i := range v.Remainders {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendRemainder(b, &v.Remainders[i])
		}
		b = append(b, ']')
	}
	if d.archived {
		b = append(b, `,"archived_at":`...)
		b = appendDateOrNull(b, d.dates, v.ArchivedAt)
	}
	return append(b, '}')
}

func appendRemainder(b []byte, m *catalog.Remainder) []byte {
	b = append(b, `{"stock_id":"`...)
	b = m.StockID.Append(b)
	b = append(b, `","quantity":`...)
	b = appendQuantity(b, &m.Quantity)
	b = append(b, `,"reserved":`...)
	b = appendQuantity(b, &m.Reserved)
	return append(b, '}')
}

func appendFeature(b []byte, c *catalog.AttributeValue) []byte {
	b = appendAttributeValue(b, c)
	b = append(b, `,"range_value":`...)
	b = append(b, rangeValue(c.FieldType == catalog.Range, c.Value)...)
	return append(b, "}}"...)
}

// appendAttributeValue appends an attribute and its value without the two closing braces.
func appendAttributeValue(b []byte, c *catalog.AttributeValue) []byte {
	b = append(b, `{"id":"`...)
	b = c.AttributeID.Append(b)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, c.Name)
	b = append(b, `,"value":{"id":"`...)
	b = c.Value.ID.Append(b)
	b = append(b, `","name":`...)
	return wire.AppendString(b, c.Value.Name)
}

func appendMoney(b []byte, m *catalog.Money) []byte {
	if m == nil {
		return append(b, "null"...)
	}
	return wire.AppendFixed(b, int64(*m), catalog.MoneyDecimals)
}

func appendQuantity(b []byte, n *catalog.Quantity) []byte {
	if n == nil {
		return append(b, "null"...)
	}
	return wire.AppendFixed(b, int64(*n), catalog.QuantityDecimals)
}

func appendDateOrNull(b []byte, dates *locale.Dates, t *time.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	return dates.AppendJSON(b, *t)
}

func appendStringOrNull(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return wire.AppendString(b, *s)
}
