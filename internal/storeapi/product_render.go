package storeapi

import (
	"context"

	"vitrine/internal/catalog"
	"vitrine/internal/database"
	"vitrine/internal/httpapi"
	"vitrine/internal/locale"
	"vitrine/internal/store"
	"vitrine/internal/wire"
)

// variantsAtOnce is about how many variants of a page are in memory at once; a usual page has fewer, and so one query a table.
const variantsAtOnce = 20_000

// productRender writes products as JSON, with or without their variants and features.
type productRender struct {
	products
	ctx                        context.Context
	q                          database.Querier
	storeID                    store.ID
	dates                      *locale.Dates
	withVariants, withFeatures bool
}

func (h products) render(ctx context.Context, q database.Querier, r *httpapi.Request, with httpapi.Extras) *productRender {
	return &productRender{products: h, ctx: ctx, q: q, storeID: r.Principal.Store.ID, dates: r.Dates(), withVariants: with["variants"], withFeatures: with["features"]}
}

// list writes a page of products.
func (d *productRender) list(out *httpapi.Answer, found []catalog.Product) error {
	out.B = append(out.B, '[')
	for i := 0; i < len(found); {
		part := d.part(found[i:])
		if err := d.fill(part); err != nil {
			return err
		}
		for j := range part {
			out.Item(i)
			if err := d.product(out, &part[j]); err != nil {
				return err
			}
			i++
		}
		clear(part)
	}
	out.B = append(out.B, ']')
	return nil
}

// part is how many of the products are read together: all of them, unless they have very many variants.
func (d *productRender) part(found []catalog.Product) []catalog.Product {
	if !d.withVariants {
		return found
	}
	n := int64(0)
	for i := range found {
		if n += found[i].VariantCount; n > variantsAtOnce && i > 0 {
			return found[:i]
		}
	}
	return found
}

// one writes a single product.
func (d *productRender) one(out *httpapi.Answer, p catalog.Product) error {
	single := []catalog.Product{p}
	if err := d.fill(single); err != nil {
		return err
	}
	return d.product(out, &single[0])
}

// fill reads what the request asked for beside the products themselves.
func (d *productRender) fill(found []catalog.Product) error {
	if d.withFeatures {
		if err := d.catalog.FillFeatures(d.ctx, d.q, d.storeID, found); err != nil {
			return err
		}
	}
	if d.withVariants {
		return d.catalog.FillVariants(d.ctx, d.q, d.storeID, found)
	}
	return nil
}

func (d *productRender) product(out *httpapi.Answer, p *catalog.Product) error {
	out.B = d.head(out.B, p)
	if d.withFeatures {
		out.B = append(out.B, `,"features":[`...)
		for i := range p.Features {
			out.Item(i)
			out.B = appendFeature(out.B, &p.Features[i])
		}
		out.B = append(out.B, ']')
	}
	if d.withVariants {
		out.B = append(out.B, `,"variants":[`...)
		for i := range p.Variants {
			out.Item(i)
			out.B = appendVariant(out.B, &p.Variants[i])
			if err := out.Spill(); err != nil {
				return err
			}
		}
		out.B = append(out.B, ']')
	}
	out.B = append(out.B, '}')
	return out.Spill()
}

// head writes a product up to where its lists would stand. Without remainders nobody keeps its stock, so available is null.
func (d *productRender) head(b []byte, p *catalog.Product) []byte {
	b = append(b, `{"id":"`...)
	b = p.ID.Append(b)
	b = append(b, `","external_id":`...)
	b = appendOptional(b, p.ExternalID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, p.Name)
	b = append(b, `,"description":`...)
	b = wire.AppendString(b, p.Description)
	b = append(b, `,"price":{"from":`...)
	b = appendMoney(b, p.PriceFrom)
	b = append(b, `,"to":`...)
	b = appendMoney(b, p.PriceTo)
	b = append(b, `},"available":null,"archived_at":`...)
	if p.ArchivedAt != nil {
		b = d.dates.AppendJSON(b, *p.ArchivedAt)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"created_at":`...)
	b = d.dates.AppendJSON(b, p.CreatedAt)
	b = append(b, `,"updated_at":`...)
	return d.dates.AppendJSON(b, p.UpdatedAt)
}

func appendVariant(b []byte, v *catalog.Variant) []byte {
	b = append(b, `{"id":"`...)
	b = v.ID.Append(b)
	b = append(b, `","external_id":`...)
	b = appendOptional(b, v.ExternalID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, v.Name)
	b = append(b, `,"sku":`...)
	b = wire.AppendString(b, v.SKU)
	b = append(b, `,"price":`...)
	b = appendMoney(b, &v.Price)
	b = append(b, `,"available":null,"options":[`...)
	for i := range v.Options {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendCarried(b, &v.Options[i])
		b = append(b, "}}"...)
	}
	return append(b, "]}"...)
}

func appendFeature(b []byte, c *catalog.Carried) []byte {
	b = appendCarried(b, c)
	b = append(b, `,"range_value":`...)
	b = append(b, rangeValue(c.FieldType == catalog.Range, c.Value)...)
	return append(b, "}}"...)
}

// appendCarried writes an attribute with its value and leaves both open.
func appendCarried(b []byte, c *catalog.Carried) []byte {
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

func appendOptional(b []byte, s *string) []byte {
	if s == nil {
		return append(b, "null"...)
	}
	return wire.AppendString(b, *s)
}
