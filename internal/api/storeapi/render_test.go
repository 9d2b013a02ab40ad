package storeapi

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
)

// Attributes, products and variants are rendered by functions that append JSON to a buffer, because their lists are
// long. The result must equal the marshalled type of package spec, byte for byte.

func TestAttributeRenderer_matchesMarshalledSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dates := drawDates(t)
		shop := store.Store{ID: drawID[store.Store](t), Locale: "en"}
		a := catalog.Attribute{
			ID: drawID[catalog.Attribute](t), ExternalID: drawOptional(t, drawExternalID), Name: drawText(t),
			Filterable: rapid.Bool().Draw(t, "filterable"),
			FieldType:  catalog.Select, CreatedAt: drawTime(t), UpdatedAt: drawTime(t),
		}
		if rapid.Bool().Draw(t, "is range") {
			a.FieldType, a.RangeType = catalog.Range, rapid.SampledFrom([]catalog.RangeType{catalog.Float,
				catalog.Integer}).Draw(t, "range type")
		}
		values := drawList(t, drawValue)
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
			checkShape(t, string(append(b, "]}"...)), attributeShape(&d, a, values))
			checkShape(t, string(append(d.appendHead(nil, a), '}')), attributeShape(&d, a, nil))
		}
	})
}

func attributeShape(d *attributeRenderer, a catalog.Attribute, values []catalog.Value) any {
	created, updated := schema.NewDate(a.CreatedAt, d.dates), schema.NewDate(a.UpdatedAt, d.dates)
	if d.kind == catalog.Option {
		return spec.VariantOption{
			ID: schema.ID(a.ID), StoreID: schema.ID(d.store.ID), ExternalID: valueOrEmpty(a.ExternalID), Name: a.Name,
			CreatedAt: created, UpdatedAt: updated,
			Values: mapShapes(values, func(v catalog.Value) spec.OptionValue {
				return spec.OptionValue{ID: schema.ID(v.ID), ExternalID: valueOrEmpty(v.ExternalID), Name: v.Name}
			}),
		}
	}
	feature := spec.Feature{
		ID: schema.ID(a.ID), ExternalID: valueOrEmpty(a.ExternalID), Name: a.Name, Filterable: a.Filterable,
		CreatedAt: created, UpdatedAt: updated,
		FieldType: spec.FieldType{ID: string(a.FieldType), Name: d.language.Label("field_type." + string(a.FieldType))},
		Values: mapShapes(values, func(v catalog.Value) spec.FeatureValue {
			return spec.FeatureValue{
				ID: schema.ID(v.ID), ExternalID: valueOrEmpty(v.ExternalID), Name: v.Name,
				RangeValue: numberShape(a.FieldType, v),
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

func TestProductRenderer_matchesMarshalledSpec(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := catalogtest.Product{Product: catalog.Product{
			ID: drawID[catalog.Product](t), ExternalID: drawOptional(t, drawExternalID), Name: drawText(t),
			Description: drawText(t),
			PriceFrom:   drawOptional(t, drawMoney), PriceTo: drawOptional(t, drawMoney),
			Available:  drawOptional(t, drawQuantity),
			ArchivedAt: drawOptional(t, drawTime), CreatedAt: drawTime(t), UpdatedAt: drawTime(t),
			Images: drawList(t, drawImage), Variants: drawList(t, drawVariant),
			Modifiers: rapid.SampledFrom([]string{catalog.NoModifiers,
				`[{"name":"Wrap","max":null,"own":1.50,"items":[{"id":7,"price":0.5}]}]`}).Draw(t, "modifiers"),
		}}
		p.Categories = drawList(t, func(t *rapid.T) view.CategoryName {
			return view.CategoryName{ID: drawID[catalog.Category](t), Name: drawText(t)}
		})
		p.Features = drawList(t, drawCarried)
		base := "https://shop.example"
		with := httpapi.Extras{}
		for _, extra := range spec.ProductExtras() {
			with[extra] = rapid.Bool().Draw(t, extra)
		}
		d := productRenderer{dates: drawDates(t), storeID: drawID[store.Store](t), imageBaseURL: base,
			parts: partsOf(with), archived: rapid.Bool().Draw(t, "archived"),
			remainders: rapid.Bool().Draw(t, "remainders")}
		checkShape(t, renderProduct(t, &d, p), productShape(&d, &p))
	})
}

func productShape(d *productRenderer, p *catalogtest.Product) spec.Product {
	shape := spec.Product{
		ID: schema.ID(p.ID), ExternalID: schema.OrNull(p.ExternalID), Name: p.Name, Description: p.Description,
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
	}
	if d.parts.Features {
		shape.Features = mapShapes(p.Features, func(c catalog.AttributeValue) spec.ProductFeature {
			value := spec.ProductFeatureValue{ID: schema.ID(c.Value.ID), Name: c.Value.Name,
				RangeValue: numberShape(c.FieldType, c.Value)}
			return spec.ProductFeature{ID: schema.ID(c.AttributeID), Name: c.Name, Value: value}
		})
	}
	if d.parts.Images {
		shape.Images = mapShapes(p.Images, func(im catalog.Image) spec.ProductImage {
			whole := imageOf(d.imageBaseURL, d.storeID, &im, d.dates)
			return spec.ProductImage{ID: whole.ID, URL: whole.URL, Width: whole.Width, Height: whole.Height,
				Thumbnails: whole.Thumbnails}
		})
	}
	if d.parts.Modifiers {
		shape.Modifiers = spec.Modifiers(p.Modifiers)
	}
	if d.parts.Variants {
		shape.Variants = mapShapes(p.Variants, func(v catalog.Variant) spec.Variant { return variantShape(d, v) })
	}
	return shape
}

func variantShape(d *productRenderer, v catalog.Variant) spec.Variant {
	shape := spec.Variant{
		ID: schema.ID(v.ID), ExternalID: schema.OrNull(v.ExternalID), Name: v.Name, SKU: v.SKU,
		Price: schema.OrNull((*schema.Money)(v.Price.OrNil())), Available: quantityShape(v.Available),
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
	if d.archived {
		shape.ArchivedAt = new(schema.DateOrNull(v.ArchivedAt, d.dates))
	}
	return shape
}

func checkShape(t *rapid.T, got string, shape any) {
	t.Helper()
	if want := string(wire.AppendJSON(nil, shape)); got != want {
		t.Fatalf("the renderer writes\n%s\nand the spec type marshals to\n%s", got, want)
	}
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

func drawDates(t *rapid.T) *locale.Dates {
	language, err := locale.Parse(rapid.SampledFrom(locale.SupportedTags()).Draw(t, "language"))
	if err != nil {
		t.Fatal(err)
	}
	zone, err := locale.Zone(rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "Asia/Kathmandu"}).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	return locale.NewDates(language, zone, drawTime(t))
}

func drawID[Resource any](t *rapid.T) (i id.Of[Resource]) {
	copy(i[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	return i
}

// drawText draws texts with characters that JSON escapes, and bytes that are not UTF-8.
func drawText(t *rapid.T) string {
	return rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("a\"\\/<>&\n\x00\x1f\u2028é😀")), 0, 8, -1),
		rapid.Just("\xff\xc3"), rapid.Just("1,50")).Draw(t, "text")
}

// drawExternalID draws an external id. It has a prefix, so it is never empty.
func drawExternalID(t *rapid.T) string { return "1C-" + drawText(t) }

func drawTime(t *rapid.T) time.Time { return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "time"), 0) }

func drawMoney(t *rapid.T) money.Money {
	return money.Money(rapid.Int64Range(0, 1e16-1).Draw(t, "money"))
}

func drawQuantity(t *rapid.T) money.Quantity {
	return money.Quantity(rapid.Int64Range(-1e12, 1e12).Draw(t, "quantity"))
}

func drawValue(t *rapid.T) catalog.Value {
	return catalog.Value{ID: drawID[catalog.Value](t), ExternalID: drawOptional(t, drawExternalID), Name: drawText(t),
		CreatedAt: drawTime(t), UpdatedAt: drawTime(t)}
}

func drawCarried(t *rapid.T) catalog.AttributeValue {
	fieldType := rapid.SampledFrom([]catalog.FieldType{catalog.Select, catalog.Range}).Draw(t, "field type")
	return catalog.AttributeValue{AttributeID: drawID[catalog.Attribute](t), Name: drawText(t), FieldType: fieldType,
		Value: drawValue(t)}
}

func drawImage(t *rapid.T) catalog.Image {
	format := rapid.SampledFrom([]string{"jpeg", "png", "webp", "gif"}).Draw(t, "format")
	return catalog.Image{ID: drawID[imagefile.Image](t), Image: imagefile.Image{Format: format},
		Width: rapid.Int64().Draw(t, "width"), Height: rapid.Int64().Draw(t, "height")}
}

func drawVariant(t *rapid.T) catalog.Variant {
	return catalog.Variant{
		ID: drawID[catalog.Variant](t), ExternalID: drawOptional(t, drawExternalID), Name: drawText(t),
		SKU: drawText(t), Price: drawPrice(t),
		Available: drawOptional(t, drawQuantity), ArchivedAt: drawOptional(t, drawTime),
		Options: drawList(t, drawCarried),
		Remainders: drawList(t, func(t *rapid.T) catalog.Remainder {
			return catalog.Remainder{StockID: drawID[catalog.Stock](t), Quantity: drawQuantity(t),
				Reserved: drawQuantity(t)}
		}),
	}
}

func drawPrice(t *rapid.T) money.Price {
	if !rapid.Bool().Draw(t, "for sale") {
		return money.Price{}
	}
	return money.NewPrice(drawMoney(t))
}

func drawOptional[T any](t *rapid.T, draw func(*rapid.T) T) *T {
	if !rapid.Bool().Draw(t, "is there") {
		return nil
	}
	return new(draw(t))
}

// drawList draws up to three elements. The list is never nil.
func drawList[T any](t *rapid.T, draw func(*rapid.T) T) []T {
	list := []T{}
	for range rapid.IntRange(0, 3).Draw(t, "length") {
		list = append(list, draw(t))
	}
	return list
}
