package productcache

import (
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
)

// Products and variants are rendered by functions that append JSON to a buffer, because their lists are long. The
// result must equal the marshalled type of package spec, byte for byte.

func TestProductRenderer_matchesMarshalledSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := catalogtest.Product{Product: catalog.Product{
			ID: catalogtest.DrawID[catalog.Product](t), Name: catalogtest.DrawText(t),
			ExternalID:  catalogtest.DrawOptional(t, catalogtest.DrawExternalID),
			Description: catalogtest.DrawText(t),
			Unit:        catalogtest.DrawUnit(t),
			VATRate:     catalogtest.DrawOptionalNumber[money.Percent](t, 100_00),
			Weight:      catalogtest.DrawOptionalNumber[money.Grams](t, 999_999_999_999),
			PriceFrom:   catalogtest.DrawOptional(t, catalogtest.DrawMoney),
			PriceTo:     catalogtest.DrawOptional(t, catalogtest.DrawMoney),
			Available:   catalogtest.DrawOptional(t, catalogtest.DrawQuantity),
			ArchivedAt:  catalogtest.DrawOptional(t, catalogtest.DrawTime),
			CreatedAt:   catalogtest.DrawTime(t), UpdatedAt: catalogtest.DrawTime(t),
			Images:   catalogtest.DrawList(t, catalogtest.DrawImage),
			Variants: catalogtest.DrawList(t, catalogtest.DrawVariant),
			Modifiers: rapid.SampledFrom([]string{catalog.NoModifiers,
				`[{"name":"Wrap","max":null,"own":1.50,"items":[{"id":7,"price":0.5}]}]`}).Draw(t, "modifiers"),
		}}

		p.Categories = catalogtest.DrawList(t, func(t *rapid.T) view.CategoryName {
			return view.CategoryName{ID: catalogtest.DrawID[catalog.Category](t), Name: catalogtest.DrawText(t)}
		})
		p.Features = catalogtest.DrawList(t, catalogtest.DrawAttributeValue)
		base := "https://shop.example"
		with := func(part string) bool { return rapid.Bool().Draw(t, part) }
		d := productRenderer{dates: catalogtest.DrawDates(t), storeID: catalogtest.DrawID[store.Store](t),
			imageBaseURL: base,
			parts: view.Parts{Categories: with("categories"), Features: with("features"), Images: with("images"),
				Modifiers: with("modifiers"), Variants: with("variants")},
			archived:   rapid.Bool().Draw(t, "archived"),
			remainders: rapid.Bool().Draw(t, "remainders")}
		catalogtest.CheckJSON(t, renderProduct(t, &d, p), productShape(&d, &p))
	})
}

func productShape(d *productRenderer, p *catalogtest.Product) spec.Product {
	shape := spec.Product{
		ID: schema.ID(p.ID), ExternalID: schema.OrNull(p.ExternalID), Name: p.Name, Description: p.Description,
		Unit: unitShape(p.Unit), VATRate: numberOrNull(p.VATRate), Weight: numberOrNull(p.Weight),
		Price:      spec.PriceSpan{From: moneyShape(p.PriceFrom), To: moneyShape(p.PriceTo)},
		Available:  quantityShape(p.Available),
		ArchivedAt: schema.DateOrNull(p.ArchivedAt, d.dates), CreatedAt: schema.NewDate(p.CreatedAt, d.dates),
		UpdatedAt: schema.NewDate(p.UpdatedAt, d.dates),
	}
	if d.parts.Categories {
		shape.Categories = mapShapes(p.Categories,
			func(c view.CategoryName) spec.CategoryRef {
				return spec.CategoryRef{ID: schema.ID(c.ID), Name: c.Name}
			})
		shape.CanonicalCategoryID = new(schema.Nullable[schema.ID])
		for _, c := range p.Categories {
			*shape.CanonicalCategoryID = schema.NotNull(schema.ID(c.ID))
		}
	}

	if d.parts.Features {
		shape.Features = mapShapes(p.Features, func(c catalog.AttributeValue) spec.ProductFeature {
			value := spec.ProductFeatureValue{ID: schema.ID(c.Value.ID), Name: c.Value.Name,
				RangeValue: numberShape(c.FieldType, c.Value)}
			return spec.ProductFeature{ID: schema.ID(c.AttributeID), Name: c.Name, Value: value}
		})
	}

	if d.parts.Images {
		shape.Images = imageShapes(d, p.Images)
	}

	if d.parts.Modifiers {
		shape.Modifiers = spec.Modifiers(modifier.WithIDs(p.Modifiers))
	}

	if d.parts.Variants {
		shape.Variants = mapShapes(p.Variants, func(v catalog.Variant) spec.Variant { return variantShape(d, v) })
	}

	return shape
}

func imageShapes(d *productRenderer, images []catalog.Image) []spec.ProductImage {
	return mapShapes(images, func(im catalog.Image) spec.ProductImage {
		url := func(size imagefile.Size) string {
			return string(im.AppendPath([]byte(d.imageBaseURL), d.storeID, size))
		}
		return spec.ProductImage{ID: schema.ID(im.ID), URL: url(imagefile.Original), Width: im.Width,
			Height: im.Height, Thumbnails: spec.Thumbnails{Small: url(imagefile.Small), Medium: url(imagefile.Medium)},
			Srcset: spec.SrcsetOf(url(imagefile.Original), im.Width), Alt: schema.OrNull(im.Alt),
			Color: spec.ColorOf(im.Color)}
	})
}

func variantShape(d *productRenderer, v catalog.Variant) spec.Variant {
	shape := spec.Variant{
		ID: schema.ID(v.ID), ExternalID: schema.OrNull(v.ExternalID), Name: v.Name, SKU: v.SKU,
		Price:    schema.OrNull((*schema.Money)(v.Price.OrNil())),
		Barcodes: append([]string{}, v.Barcodes.List()...), Available: quantityShape(v.Available),
		Options: mapShapes(v.Options, func(c catalog.AttributeValue) spec.VariantOptionValue {
			return spec.VariantOptionValue{ID: schema.ID(c.AttributeID), Name: c.Name,
				Value: spec.OptionValue{ID: schema.ID(c.Value.ID), Name: c.Value.Name}}
		}),
	}
	if d.remainders {
		list := mapShapes(v.Remainders, func(m catalog.Remainder) spec.Remainder {
			return spec.Remainder{StockID: schema.ID(m.StockID), Quantity: quantityDecimal(m.Quantity),
				Reserved: quantityDecimal(m.Reserved)}
		})
		shape.Remainders = append([]spec.Remainder{}, list...)
	}

	if d.parts.Images {
		shape.Images = append([]spec.ProductImage{}, imageShapes(d, v.Images)...)
	}

	if d.archived {
		shape.ArchivedAt = new(schema.DateOrNull(v.ArchivedAt, d.dates))
	}

	return shape
}

// mapShapes applies shape to each element. It returns nil for nil, so that the member is omitted.
func mapShapes[T, Shape any](list []T, shape func(T) Shape) []Shape {
	if list == nil {
		return nil
	}
	mapped := make([]Shape, len(list))
	for i, v := range list {
		mapped[i] = shape(v)
	}
	return mapped
}

func unitShape(u catalog.Unit) schema.Nullable[spec.Unit] {
	if u == (catalog.Unit{}) {
		return schema.Nullable[spec.Unit]{}
	}
	return schema.NotNull(spec.Unit{Code: schema.NullIfZero(u.Code), Name: u.Name})
}

func numberOrNull[T money.Fixed](n money.Optional[T]) schema.Nullable[schema.Decimal] {
	return schema.NullIfZero(schema.Decimal(n.Text()))
}

func moneyShape(m *money.Money) schema.Nullable[schema.Money] {
	return schema.OrNull((*schema.Money)(m))
}

func quantityShape(n *money.Quantity) schema.Nullable[schema.Decimal] {
	if n == nil {
		return schema.Nullable[schema.Decimal]{}
	}
	return schema.NotNull(quantityDecimal(*n))
}

func quantityDecimal(n money.Quantity) schema.Decimal {
	return schema.Decimal(wire.AppendFixed(nil, int64(n), money.QuantityDecimals))
}

func numberShape(fieldType catalog.FieldType, v catalog.Value) schema.Nullable[schema.Decimal] {
	number, ok := money.ParseDecimal(v.Name)
	if fieldType != catalog.Range || !ok {
		return schema.Nullable[schema.Decimal]{}
	}
	return schema.NotNull(schema.Decimal(number.String()))
}
