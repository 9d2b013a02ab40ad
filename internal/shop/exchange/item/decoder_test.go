package item

import (
	"bytes"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
)

// FuzzDecoder decodes arbitrary bodies. Each item must be emitted once and in order, with the bytes that were sent, and
// must have either an id or errors. NDJSON must not be refused as a whole, unless it is not UTF-8 from the first bytes,
// and Decode must not return an internal error.
func FuzzDecoder(f *testing.F) {
	decoders := []decodeFunc{
		decodeShort(Product()), decodeShort(Option()), decodeShort(Feature()), decodeShort(Category()),
		decodeShort(Stock()),
		decodeShort(Price()), decodeShort(Remainder()),
	}
	for i := range decoders {
		for _, items := range sampleItems() {
			payload := `{"payload": [` + strings.Join(items, ",") + `]}`
			f.Add(uint8(i), false, []byte(payload))
			f.Add(uint8(i), true, []byte(payload+"\n{\n"+items[0]+"\r\n\n"+items[0]))
		}
	}

	f.Add(uint8(0), false, []byte(`{"payload": [{"id": 1, "images": ["x", {"id": 1}], "images_mode": "replace", `+
		`"modifiers": [{"name": "x"}]}, null], "x": 1}`))
	f.Add(uint8(5), true, []byte(`{"variant_id": 1, "price": 1e2}`+"\n"+
		`{"variant_id": 1, "stock_id": 1, "quantity": 1}`))

	f.Fuzz(func(t *testing.T, which uint8, asLines bool, body []byte) {
		next := int64(0)
		decode := decoders[int(which)%len(decoders)]

		check := func(it *Item) {
			if it.Index != next || !bytes.Contains(body, it.Raw) {
				t.Errorf("item %d has the index %d: %q", next, it.Index, it.Raw)
			}

			next++
			if len(it.Errors) == 0 && (it.ID == "" || it.Subject == "") {
				t.Errorf("item %q has neither errors nor an id", it.Raw)
			}

			for _, w := range it.Errors {
				if w.Code == "" || w.Message == "" {
					t.Errorf("item %q has an incomplete error: %+v", it.Raw, w)
				}
			}
		}

		format := JSON
		if asLines {
			format = NDJSON
		}

		lenient := asLines && wire.DetectEncoding(body) == ""
		if err := decode(format, body, check); err != nil && (lenient || fault.KindOf(err) == fault.Internal) {
			t.Errorf("%s %q: %v", format, body, err)
		}
	})
}

// decodeFunc decodes a body and calls emit with each item.
type decodeFunc func(format Format, body []byte, emit func(*Item)) error

// decodeShort returns a decodeFunc for items of a type. It limits items to 300 bytes, so that some inputs are too long.
func decodeShort[T any](of Type[T]) decodeFunc {
	of.maxBytes = 300
	return func(format Format, body []byte, emit func(*Item)) error {
		d := &Decoder[T]{Type: of, Ignored: &Ignored{}}
		for it, err := range d.Decode(format, bytes.NewReader(body)) {
			if err != nil {
				return err
			}
			emit(&it.Item)
		}
		return nil
	}
}

// sampleItems returns the items of a small catalogue, by entity.
func sampleItems() map[string][]string {
	values := `[{"id": "v0", "name": "Value 0"}, {"id": "v1", "name": "Value 1"}]`

	return map[string][]string{
		options: {`{"id": "o0", "name": "Option 0", "values": ` + values + `}`,
			`{"id": "o1", "name": "Option 1", "values": ` + values + `}`},
		features: {`{"id": "f0", "name": "Feature 0", "values": ` + values + `}`,
			`{"id": "f1", "name": "Feature 1", "removed_values": ["v2"]}`},
		categories: {`{"id": "c0", "name": "Category 0", "parent_id": null}`,
			`{"id": "c1", "name": "Category 1", "parent_id": "c0"}`},
		stocks: {`{"id": "s0", "name": "Stock 0"}`, `{"id": "s1", "name": "Stock 1"}`},
		products: {
			`{"id": 0, "name": "Product 0", "variants": [{"id": 0, "sku": "0-0", "price": 71, ` +
				`"options": [{"id": "o0", "value_id": "v0"}], ` +
				`"remainders": [{"stock_id": "s1", "quantity": 12}]}], "features": [{"id": "f0", "value_id": "v1"}], ` +
				`"categories": ["c1"]}`,
			`{"id": 1, "name": "Product 1", "variants": [{"id": 0, "sku": "1-0", "price": 20, ` +
				`"options": [{"id": "o0", "value_id": "v0"}, {"id": "o1", "value_id": "v1"}]}, ` +
				`{"id": 1, "sku": "1-1", "price": 35, "options": [{"id": "o0", "value_id": "v1"}], ` +
				`"remainders": [{"stock_id": "s0", "quantity": 3}]}]}`,
		},
		remainders: {`{"variant_id": 0, "product_id": 0, "stock_id": "s1", "quantity": 11}`},
		prices:     {`{"variant_id": 0, "product_id": 0, "price": 70.5}`},
	}
}
