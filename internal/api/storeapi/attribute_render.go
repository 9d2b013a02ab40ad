package storeapi

import (
	"context"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/httpapi/openapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// shortList is the largest number of values of an attribute whose values are read in one query together with those of
// the other attributes of the page, and for options also cached.
const shortList = 1000

// attributeRender renders attributes as JSON, with or without their values.
type attributeRender struct {
	attributes
	ctx        context.Context
	tx         store.Tx
	store      store.Store
	language   locale.Locale
	dates      *locale.Dates
	withValues bool
}

func (h attributes) render(ctx context.Context, tx store.Tx, r *httpapi.Request, with httpapi.Extras) *attributeRender {
	return &attributeRender{attributes: h, ctx: ctx, tx: tx, store: r.Principal.Store, language: r.Principal.Store.Language(), dates: r.Dates(), withValues: with["values"]}
}

// list writes a page of attributes. One query reads the values of all attributes that have few; the values of each
// other attribute are streamed from a query of their own.
func (d *attributeRender) list(out *httpapi.Response, found []catalog.Attribute) error {
	short, err := d.shortLists(found)
	if err != nil {
		return err
	}
	out.B = append(out.B, '[')
	for i, a := range found {
		out.Item(i)
		if rendered, ok := short[a.Key]; ok {
			out.B = d.head(out.B, a)
			out.B = append(out.B, `,"values":`...)
			out.B = append(out.B, rendered...)
			out.B = append(out.B, '}')
			err = out.Spill()
		} else {
			err = d.one(out, a)
		}
		if err != nil {
			return err
		}
	}
	out.B = append(out.B, ']')
	return nil
}

// shortLists returns the rendered values of the attributes that have at most shortList of them, by attribute key. The
// rendered values of an option depend only on its version, so they are cached.
func (d *attributeRender) shortLists(found []catalog.Attribute) (map[int64][]byte, error) {
	if !d.withValues {
		return nil, nil
	}
	short := make(map[int64][]byte, len(found))
	ranges := make(map[int64]bool, len(found))
	var missing []int64
	for _, a := range found {
		ranges[a.Key] = a.FieldType == catalog.Range
		if a.ValueCount > shortList {
			continue
		}
		if rendered, ok := d.cached(a); ok {
			short[a.Key] = rendered
			continue
		}
		short[a.Key] = []byte{'['}
		missing = append(missing, a.Key)
	}
	err := d.catalog.Attributes.EachValueOf(d.ctx, d.tx, missing, func(key int64, v catalog.Value) error {
		b := short[key]
		if len(b) > 1 {
			b = append(b, ',')
		}
		short[key] = d.value(b, ranges[key], v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, key := range missing {
		short[key] = append(short[key], ']')
	}
	for _, a := range found {
		if rendered, ok := short[a.Key]; ok && d.kind == catalog.Option {
			d.options.put(fragmentKey{a.ID, a.Version}, rendered)
		}
	}
	return short, nil
}

func (d *attributeRender) cached(a catalog.Attribute) ([]byte, bool) {
	if d.kind != catalog.Option {
		return nil, false // values of features have dates, whose rendering depends on the current time
	}
	return d.options.get(fragmentKey{a.ID, a.Version})
}

// one writes an attribute and streams its values.
func (d *attributeRender) one(out *httpapi.Response, a catalog.Attribute) error {
	out.B = d.head(out.B, a)
	if d.withValues {
		out.B = append(out.B, `,"values":[`...)
		n := 0
		err := d.catalog.Attributes.EachValue(d.ctx, d.tx, a, d.into(out, a.FieldType == catalog.Range, &n))
		if err != nil {
			return err
		}
		out.B = append(out.B, ']')
	}
	out.B = append(out.B, '}')
	return nil
}

// page writes one page of values.
func (d *attributeRender) page(out *httpapi.Response, a catalog.Attribute, p httpapi.Page) error {
	out.B = append(out.B, '[')
	n := 0
	if err := d.catalog.Attributes.Values(d.ctx, d.tx, a, p.PerPage, p.Offset(), d.into(out, a.FieldType == catalog.Range, &n)); err != nil {
		return err
	}
	out.B = append(out.B, ']')
	return nil
}

// into returns a function that writes a value as the next element of a JSON array. n counts the elements.
func (d *attributeRender) into(out *httpapi.Response, isRange bool, n *int) func(catalog.Value) error {
	return func(v catalog.Value) error {
		out.Item(*n)
		*n++
		out.B = d.value(out.B, isRange, v)
		return out.Spill()
	}
}

// head appends an attribute without its values and without the closing brace.
func (d *attributeRender) head(b []byte, a catalog.Attribute) []byte {
	b = append(b, `{"id":"`...)
	b = a.ID.Append(b)
	b = append(b, '"')
	if d.kind == catalog.Option {
		b = append(b, `,"store_id":"`...)
		b = d.store.ID.Append(b)
		b = append(b, '"')
	}
	b = appendExternalID(b, a.ExternalID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, a.Name)
	if d.kind == catalog.Feature {
		b = append(b, `,"filterable":`...)
		b = strconv.AppendBool(b, a.Filterable)
		b = append(b, `,"field_type":`...)
		b = d.choice(b, "field_type", string(a.FieldType))
		b = append(b, `,"range_type":`...)
		b = d.choice(b, "range_type", string(a.RangeType))
	}
	b = append(b, `,"created_at":`...)
	b = d.dates.AppendJSON(b, a.CreatedAt)
	b = append(b, `,"updated_at":`...)
	return d.dates.AppendJSON(b, a.UpdatedAt)
}

// appendExternalID appends the member external_id, or nothing if externalID is nil.
func appendExternalID(b []byte, externalID *string) []byte {
	if externalID == nil {
		return b
	}
	b = append(b, `,"external_id":`...)
	return wire.AppendString(b, *externalID)
}

// choice appends a word of an enumeration with its name in the store's language, or null for an empty word.
func (d *attributeRender) choice(b []byte, group, word string) []byte {
	if word == "" {
		return append(b, "null"...)
	}
	b = append(b, `{"id":"`...)
	b = append(b, word...)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, d.language.Label(group+"."+word))
	return append(b, '}')
}

func (d *attributeRender) value(b []byte, isRange bool, v catalog.Value) []byte {
	b = append(b, `{"id":"`...)
	b = v.ID.Append(b)
	b = append(b, '"')
	b = appendExternalID(b, v.ExternalID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, v.Name)
	if d.kind == catalog.Feature {
		b = append(b, `,"range_value":`...)
		b = append(b, rangeValue(isRange, v)...)
		b = append(b, `,"created_at":`...)
		b = d.dates.AppendJSON(b, v.CreatedAt)
		b = append(b, `,"updated_at":`...)
		b = d.dates.AppendJSON(b, v.UpdatedAt)
	}
	return append(b, '}')
}

// rangeValue returns the number that the name of a range feature's value stands for, in JSON syntax and without
// rounding, or null for other values.
func rangeValue(isRange bool, v catalog.Value) string {
	if isRange {
		if d, ok := catalog.ParseDecimal(v.Name); ok {
			return d.String()
		}
	}
	return "null"
}

// impactOf returns the spec.OptionImpact or spec.FeatureImpact of an edit.
func impactOf(kind catalog.Kind, seen *catalog.Impact) any {
	var collisions []spec.Collision
	for _, c := range seen.Collisions {
		collision := spec.Collision{ProductID: openapi.ID(c.ProductID)}
		for _, v := range c.VariantIDs {
			collision.VariantIDs = append(collision.VariantIDs, openapi.ID(v))
		}
		collisions = append(collisions, collision)
	}
	if kind == catalog.Feature {
		impact := spec.FeatureImpact{ProductsTotal: seen.ProductsTotal, Collisions: collisions}
		for _, p := range seen.Products {
			impact.Products = append(impact.Products, spec.ImpactProduct{ID: openapi.ID(p.ID), Name: p.Name})
		}
		return impact
	}
	impact := spec.OptionImpact{VariantsTotal: seen.VariantsTotal, Collisions: collisions}
	for _, v := range seen.Variants {
		impact.Variants = append(impact.Variants, spec.ImpactVariant{ID: openapi.ID(v.ID), ProductID: openapi.ID(v.ProductID), SKU: v.SKU})
	}
	return impact
}
