package catalogtest

import (
	"time"

	"pgregory.net/rapid"

	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/money"
)

// CheckJSON fails the test unless got is the JSON of shape.
func CheckJSON(t *rapid.T, got string, shape any) {
	t.Helper()
	if want := string(wire.AppendJSON(nil, shape)); got != want {
		t.Fatalf("the renderer writes\n%s\nand the spec type marshals to\n%s", got, want)
	}
}

// DrawDates draws the language, the timezone and the current time of a response.
func DrawDates(t *rapid.T) *locale.Dates {
	language, err := locale.Parse(rapid.SampledFrom(locale.SupportedTags()).Draw(t, "language"))
	if err != nil {
		t.Fatal(err)
	}
	zone, err := locale.Zone(rapid.SampledFrom([]string{"UTC", "Europe/Berlin", "Asia/Kathmandu"}).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	return locale.NewDates(language, zone, DrawTime(t))
}

// DrawID draws an id.
func DrawID[Resource any](t *rapid.T) (i id.Of[Resource]) {
	copy(i[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "id"))
	return i
}

// DrawText draws texts with characters that JSON escapes, and bytes that are not UTF-8.
func DrawText(t *rapid.T) string {
	return rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("a\"\\/<>&\n\x00\x1f\u2028é😀")), 0, 8, -1),
		rapid.Just("\xff\xc3"), rapid.Just("1,50")).Draw(t, "text")
}

// DrawExternalID draws an external id. It has a prefix, so it is never empty.
func DrawExternalID(t *rapid.T) string { return "1C-" + DrawText(t) }

// DrawTime draws a time in whole seconds.
func DrawTime(t *rapid.T) time.Time { return time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "time"), 0) }

// DrawMoney draws an amount that is not negative.
func DrawMoney(t *rapid.T) money.Money {
	return money.Money(rapid.Int64Range(0, 1e16-1).Draw(t, "money"))
}

// DrawQuantity draws a quantity, which may be negative.
func DrawQuantity(t *rapid.T) money.Quantity {
	return money.Quantity(rapid.Int64Range(-1e12, 1e12).Draw(t, "quantity"))
}

// DrawValue draws a value of an option or a feature.
func DrawValue(t *rapid.T) catalog.Value {
	return catalog.Value{ID: DrawID[catalog.Value](t), ExternalID: DrawOptional(t, DrawExternalID), Name: DrawText(t),
		CreatedAt: DrawTime(t), UpdatedAt: DrawTime(t)}
}

// DrawAttributeValue draws a value that a product or a variant has, with its attribute.
func DrawAttributeValue(t *rapid.T) catalog.AttributeValue {
	fieldType := rapid.SampledFrom([]catalog.FieldType{catalog.Select, catalog.Range}).Draw(t, "field type")
	return catalog.AttributeValue{AttributeID: DrawID[catalog.Attribute](t), Name: DrawText(t), FieldType: fieldType,
		Value: DrawValue(t)}
}

// DrawImage draws an image of a product.
func DrawImage(t *rapid.T) catalog.Image {
	format := rapid.SampledFrom([]string{"jpeg", "png", "webp", "gif"}).Draw(t, "format")
	return catalog.Image{ID: DrawID[imagefile.Image](t), Image: imagefile.Image{Format: format},
		Width: rapid.Int64().Draw(t, "width"), Height: rapid.Int64().Draw(t, "height"),
		Alt: DrawOptional(t, DrawText), Color: rapid.SampledFrom([]string{"", "#3a6ea5"}).Draw(t, "color")}
}

// DrawVariant draws a variant with options and remainders.
func DrawVariant(t *rapid.T) catalog.Variant {
	return catalog.Variant{
		ID: DrawID[catalog.Variant](t), ExternalID: DrawOptional(t, DrawExternalID), Name: DrawText(t),
		SKU: DrawText(t), Price: DrawPrice(t),
		Barcodes:  rapid.SampledFrom([]catalog.Barcodes{"", "4600000000017", `A "1"|2|3`}).Draw(t, "barcodes"),
		Available: DrawOptional(t, DrawQuantity), ArchivedAt: DrawOptional(t, DrawTime),
		Options: DrawList(t, DrawAttributeValue), Images: DrawList(t, DrawImage),
		Remainders: DrawList(t, func(t *rapid.T) catalog.Remainder {
			return catalog.Remainder{StockID: DrawID[catalog.Stock](t), Quantity: DrawQuantity(t),
				Reserved: DrawQuantity(t)}
		}),
	}
}

// DrawPrice draws a price, or none.
func DrawPrice(t *rapid.T) money.Price {
	if !rapid.Bool().Draw(t, "for sale") {
		return money.Price{}
	}
	return money.NewPrice(DrawMoney(t))
}

// DrawUnit draws a unit, or none.
func DrawUnit(t *rapid.T) catalog.Unit {
	if !rapid.Bool().Draw(t, "has a unit") {
		return catalog.Unit{}
	}
	return catalog.Unit{Code: rapid.SampledFrom([]string{"", "796", "0166"}).Draw(t, "code"),
		Name: rapid.SampledFrom([]string{"pcs", "м²", `"`}).Draw(t, "unit")}
}

// DrawOptionalNumber draws a number from 0 to limit, or none.
func DrawOptionalNumber[T money.Fixed](t *rapid.T, limit int64) money.Optional[T] {
	if !rapid.Bool().Draw(t, "is there") {
		return money.Optional[T]{}
	}
	return money.NewOptional(T(rapid.Int64Range(0, limit).Draw(t, "number")))
}

// DrawOptional draws a value, or nil.
func DrawOptional[T any](t *rapid.T, draw func(*rapid.T) T) *T {
	if !rapid.Bool().Draw(t, "is there") {
		return nil
	}
	return new(draw(t))
}

// DrawList draws up to three elements. The list is never nil.
func DrawList[T any](t *rapid.T, draw func(*rapid.T) T) []T {
	list := []T{}
	for range rapid.IntRange(0, 3).Draw(t, "length") {
		list = append(list, draw(t))
	}
	return list
}
