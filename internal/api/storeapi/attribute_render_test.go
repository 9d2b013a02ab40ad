package storeapi

import (
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/schema"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
)

// Attributes are rendered by functions that append JSON to a buffer, because their lists are long. The result must
// equal the marshalled type of package spec, byte for byte.

func TestAttributeRenderer_matchesMarshalledSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dates := catalogtest.DrawDates(t)
		shop := store.Store{ID: catalogtest.DrawID[store.Store](t), Locale: "en"}
		a := catalog.Attribute{
			ID: catalogtest.DrawID[catalog.Attribute](t), Name: catalogtest.DrawText(t),
			ExternalID: catalogtest.DrawOptional(t, catalogtest.DrawExternalID),
			Filterable: rapid.Bool().Draw(t, "filterable"),
			FieldType:  catalog.Select, CreatedAt: catalogtest.DrawTime(t), UpdatedAt: catalogtest.DrawTime(t),
		}
		if rapid.Bool().Draw(t, "is range") {
			a.FieldType, a.RangeType = catalog.Range, rapid.SampledFrom([]catalog.RangeType{catalog.Float,
				catalog.Integer}).Draw(t, "range type")
		}

		values := catalogtest.DrawList(t, catalogtest.DrawValue)
		for _, kind := range []catalog.Kind{catalog.Option, catalog.Feature} {
			d := attributeRenderer{attributeHandlers: attributeHandlers{kind: kind}, store: shop,
				language: shop.Language(), dates: dates}
			b := append(d.appendHead(nil, a), `,"values":[`...)
			for i, v := range values {
				if i > 0 {
					b = append(b, ',')
				}
				b = d.appendValue(b, a.FieldType == catalog.Range, v)
			}

			catalogtest.CheckJSON(t, string(append(b, "]}"...)), attributeShape(&d, a, values))
			catalogtest.CheckJSON(t, string(append(d.appendHead(nil, a), '}')), attributeShape(&d, a, nil))
		}
	})
}

func attributeShape(d *attributeRenderer, a catalog.Attribute, values []catalog.Value) any {
	created := schema.NewDate(a.CreatedAt, d.dates)
	updated := schema.NewDate(a.UpdatedAt, d.dates)
	if d.kind == catalog.Option {
		return spec.VariantOption{
			ID: schema.ID(a.ID), StoreID: schema.ID(d.store.ID), ExternalID: valueOrEmpty(a.ExternalID), Name: a.Name,
			CreatedAt: created, UpdatedAt: updated,
			Values: valueShapes(values, func(v catalog.Value) spec.OptionValue {
				return spec.OptionValue{ID: schema.ID(v.ID), ExternalID: valueOrEmpty(v.ExternalID), Name: v.Name}
			}),
		}
	}

	feature := spec.Feature{
		ID: schema.ID(a.ID), ExternalID: valueOrEmpty(a.ExternalID), Name: a.Name, Filterable: a.Filterable,
		CreatedAt: created, UpdatedAt: updated,
		FieldType: spec.FieldType{ID: string(a.FieldType), Name: d.language.Label("field_type." + string(a.FieldType))},
		Values: valueShapes(values, func(v catalog.Value) spec.FeatureValue {
			return spec.FeatureValue{
				ID: schema.ID(v.ID), ExternalID: valueOrEmpty(v.ExternalID), Name: v.Name,
				RangeValue: rangeShape(a.FieldType, v),
				CreatedAt:  schema.NewDate(v.CreatedAt, d.dates), UpdatedAt: schema.NewDate(v.UpdatedAt, d.dates),
			}
		}),
	}
	if a.RangeType != "" {
		feature.RangeType = schema.NotNull(spec.RangeType{ID: string(a.RangeType),
			Name: d.language.Label("range_type." + string(a.RangeType))})
	}

	return feature
}

// valueShapes applies shape to each element. It returns nil for nil, so that the member is omitted.
func valueShapes[T, Shape any](list []T, shape func(T) Shape) []Shape {
	if list == nil {
		return nil
	}
	mapped := make([]Shape, len(list))
	for i, v := range list {
		mapped[i] = shape(v)
	}
	return mapped
}

func rangeShape(fieldType catalog.FieldType, v catalog.Value) schema.Nullable[schema.Decimal] {
	number, ok := money.ParseDecimal(v.Name)
	if fieldType != catalog.Range || !ok {
		return schema.Nullable[schema.Decimal]{}
	}
	return schema.NotNull(schema.Decimal(number.String()))
}
