package item

import (
	"testing"

	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
)

// Items with the same content have the same digest, no matter how their JSON is written. Items whose contents differ
// have different digests.
func TestDigestProduct_dependsOnContentOnly(t *testing.T) {
	digestFor := func(text string) catalog.Digest {
		f := &itemReader{Reader: wire.NewItem([]byte(text)), ignored: &Ignored{}}
		p := readProduct(f)
		if err := f.End(); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return p.Digest
	}
	same := [][2]string{
		{`{"id": 7, "name": "A"}`, ` { "name":"A", "id":"7", "unknown": 1} `},
		{`{"id": 7, "variants": [{"id": 1, "price": 1.50}]}`, `{"id": 7, "variants": [{"price": 15e-1, "id": "1"}]}`},
		{`{"id": 7, "images": ["http://a.example/x"]}`, `{"id": 7, "images_mode": "add", "images": [{"url": "http://a.example/x"}]}`},
	}
	for _, pair := range same {
		if digestFor(pair[0]) != digestFor(pair[1]) {
			t.Errorf("%s and %s have different digests", pair[0], pair[1])
		}
	}
	different := []string{
		`{"id": 7}`, `{"id": 8}`, `{"id": 7, "name": "A"}`, `{"id": 7, "description": "A"}`, `{"id": 7, "description": ""}`, `{"id": 7, "modifiers": [{"name": "A"}]}`,
		`{"id": 7, "categories": []}`, `{"id": 7, "categories": ["a", "b"]}`, `{"id": 7, "categories": ["ab"]}`,
		`{"id": 7, "features": []}`, `{"id": 7, "features": [{"id": "a", "value_id": "b"}]}`, `{"id": 7, "features": [{"id": "b", "value_id": "a"}]}`,
		`{"id": 7, "images": []}`, `{"id": 7, "images": ["a"]}`, `{"id": 7, "images": [{"id": "a"}]}`, `{"id": 7, "images_mode": "replace", "images": ["a"]}`, `{"id": 7, "images_mode": "remove"}`,
		`{"id": 7, "single_variant": true}`, `{"id": 7, "variants": []}`, `{"id": 7, "variants": [{"id": 1}]}`, `{"id": 7, "variants": [{"id": 1, "name": "A"}]}`,
		`{"id": 7, "variants": [{"id": 1, "sku": "A"}]}`, `{"id": 7, "variants": [{"id": 1, "price": 1}]}`, `{"id": 7, "variants": [{"id": 1, "price": 1.0001}]}`,
		`{"id": 7, "variants": [{"id": 1, "options": []}]}`, `{"id": 7, "variants": [{"id": 1, "options": [{"id": "a", "value_id": "b"}]}]}`,
		`{"id": 7, "variants": [{"id": 1, "remainders": []}]}`, `{"id": 7, "variants": [{"id": 1, "remainders": [{"stock_id": 1, "quantity": 1}]}]}`,
		`{"id": 7, "variants": [{"id": 1, "remainders": [{"stock_id": 1, "quantity": 0.001}]}]}`, `{"id": 7, "variants": [{"id": 1}, {"id": 2}]}`,
	}
	seen := map[catalog.Digest]string{}
	for _, text := range different {
		d := digestFor(text)
		if other, taken := seen[d]; taken {
			t.Errorf("%s and %s have the same digest", text, other)
		}
		seen[d] = text
	}
}
