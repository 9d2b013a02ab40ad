package storeapi

import (
	"context"
	"strconv"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/productcache"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// maxShortList is the number of values up to which the list of an attribute's values is short. One query reads all
// short lists of a page. The short lists of options are cached.
const maxShortList = 1000

// attributeRenderer renders attributes as JSON, with or without their values.
type attributeRenderer struct {
	attributeHandlers
	ctx        context.Context
	tx         store.Tx
	store      store.Store
	language   locale.Locale
	dates      *locale.Dates
	withValues bool
}

func (h attributeHandlers) newRenderer(
	ctx context.Context, tx store.Tx, r *httpapi.Request, with httpapi.Extras,
) *attributeRenderer {
	return &attributeRenderer{attributeHandlers: h, ctx: ctx, tx: tx, store: r.Principal.Store,
		language: r.Principal.Store.Language(), dates: r.Dates(), withValues: with["values"]}
}

// writeList writes a page of attributes. One query reads the values of all attributes with short lists. The values of
// each other attribute are streamed from a query of their own.
func (d *attributeRenderer) writeList(out *httpapi.Response, found []catalog.Attribute) error {
	short, err := d.renderShortLists(found)
	if err != nil {
		return err
	}

	out.B = append(out.B, '[')
	for i, a := range found {
		out.BeginItem(i)

		if rendered, ok := short[a.Key]; ok {
			out.B = d.appendHead(out.B, a)
			out.B = append(out.B, `,"values":`...)
			out.B = append(out.B, rendered...)
			out.B = append(out.B, '}')
			err = out.Spill()
		} else {
			err = d.writeOne(out, a)
		}

		if err != nil {
			return err
		}
	}

	out.B = append(out.B, ']')
	return nil
}

// renderShortLists returns the rendered values of the attributes that have at most maxShortList of them, by attribute
// key. The rendered values of an option depend only on its version, so they are cached.
func (d *attributeRenderer) renderShortLists(found []catalog.Attribute) (map[int64][]byte, error) {
	if !d.withValues {
		return nil, nil
	}

	short := make(map[int64][]byte, len(found))
	ranges := make(map[int64]bool, len(found))
	var missing []int64
	for _, a := range found {
		ranges[a.Key] = a.FieldType == catalog.Range
		if a.ValueCount > maxShortList {
			continue
		}

		if rendered, ok := d.cachedValues(a); ok {
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
		short[key] = d.appendValue(b, ranges[key], v)
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
			d.optionValues.Put(newValueCacheKey(d.tx.StoreID(), a), rendered)
		}
	}

	return short, nil
}

func (d *attributeRenderer) cachedValues(a catalog.Attribute) ([]byte, bool) {
	if d.kind != catalog.Option {
		return nil, false // values of features have dates, whose rendering depends on the current time
	}
	return d.optionValues.Get(newValueCacheKey(d.tx.StoreID(), a))
}

// writeOne writes an attribute and streams its values.
func (d *attributeRenderer) writeOne(out *httpapi.Response, a catalog.Attribute) error {
	out.B = d.appendHead(out.B, a)
	if d.withValues {
		out.B = append(out.B, `,"values":[`...)
		n := 0
		err := d.catalog.Attributes.EachValue(d.ctx, d.tx, a, d.appendValueTo(out, a.FieldType == catalog.Range, &n))
		if err != nil {
			return err
		}
		out.B = append(out.B, ']')
	}
	out.B = append(out.B, '}')
	return nil
}

// writePage writes one page of an attribute's values as a JSON array.
func (d *attributeRenderer) writePage(out *httpapi.Response, a catalog.Attribute, p httpapi.Page) error {
	out.B = append(out.B, '[')
	n := 0
	if err := d.catalog.Attributes.Values(d.ctx, d.tx, a, p.PerPage, p.Offset(),
		d.appendValueTo(out, a.FieldType == catalog.Range, &n)); err != nil {
		return err
	}
	out.B = append(out.B, ']')
	return nil
}

// appendValueTo returns a function that writes a value as the next element of a JSON array. n counts the elements.
func (d *attributeRenderer) appendValueTo(out *httpapi.Response, isRange bool, n *int) func(catalog.Value) error {
	return func(v catalog.Value) error {
		out.BeginItem(*n)
		*n++
		out.B = d.appendValue(out.B, isRange, v)
		return out.Spill()
	}
}

// appendHead appends an attribute without its values and without the closing brace.
func (d *attributeRenderer) appendHead(b []byte, a catalog.Attribute) []byte {
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
		b = d.appendEnumValue(b, "field_type", string(a.FieldType))
		b = append(b, `,"range_type":`...)
		b = d.appendEnumValue(b, "range_type", string(a.RangeType))
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

// appendEnumValue appends an object with an enum value and its name in the store's language, or null if the value is
// empty.
func (d *attributeRenderer) appendEnumValue(b []byte, group, value string) []byte {
	if value == "" {
		return append(b, "null"...)
	}
	b = append(b, `{"id":"`...)
	b = append(b, value...)
	b = append(b, `","name":`...)
	b = wire.AppendString(b, d.language.Label(group+"."+value))
	return append(b, '}')
}

func (d *attributeRenderer) appendValue(b []byte, isRange bool, v catalog.Value) []byte {
	b = append(b, `{"id":"`...)
	b = v.ID.Append(b)
	b = append(b, '"')
	b = appendExternalID(b, v.ExternalID)
	b = append(b, `,"name":`...)
	b = wire.AppendString(b, v.Name)
	if d.kind == catalog.Feature {
		b = append(b, `,"range_value":`...)
		b = append(b, productcache.RangeValue(isRange, v)...)
		b = append(b, `,"created_at":`...)
		b = d.dates.AppendJSON(b, v.CreatedAt)
		b = append(b, `,"updated_at":`...)
		b = d.dates.AppendJSON(b, v.UpdatedAt)
	}
	return append(b, '}')
}

// impactOf converts the impact of an edit to a spec.OptionImpact or a spec.FeatureImpact.
func impactOf(kind catalog.Kind, result *catalog.Impact) any {
	var collisions []spec.Collision
	for _, c := range result.Collisions {
		collision := spec.Collision{ProductID: schema.ID(c.ProductID)}
		for _, v := range c.VariantIDs {
			collision.VariantIDs = append(collision.VariantIDs, schema.ID(v))
		}
		collisions = append(collisions, collision)
	}

	if kind == catalog.Feature {
		impact := spec.FeatureImpact{ProductsTotal: result.ProductsTotal, Collisions: collisions}
		for _, p := range result.Products {
			impact.Products = append(impact.Products, spec.ImpactProduct{ID: schema.ID(p.ID), Name: p.Name})
		}
		return impact
	}

	impact := spec.OptionImpact{VariantsTotal: result.VariantsTotal, Collisions: collisions}
	for _, v := range result.Variants {
		impact.Variants = append(impact.Variants,
			spec.ImpactVariant{ID: schema.ID(v.ID), ProductID: schema.ID(v.ProductID), SKU: v.SKU})
	}

	return impact
}
