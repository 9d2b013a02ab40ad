package exchange

import (
	"bytes"
	"testing"

	"vitrine/internal/kit/fault"
)

// FuzzElements reads anything as the items of a push: each comes once and in its order, as it was sent, and either can be told by its id or
// says what is wrong with it. Lines are never refused as a whole, and nothing is a failure of ours.
func FuzzElements(f *testing.F) {
	gates := []gate{productGate(nil), optionGate(nil), featureGate(nil), categoryGate(nil), stockGate(nil), priceGate(nil), remainderGate(nil)}
	for i := range gates {
		gates[i].most = 300 // so that some are too long
		for entity, items := range drawCatalogue(uint64(i), false) {
			f.Add(uint8(i), entity == Products, []byte(payload(items...)))
			f.Add(uint8(i), true, []byte(payload(items...)+"\n{\n"+items[0]+"\r\n\n"+items[0]))
		}
	}
	f.Add(uint8(0), false, []byte(`{"payload": [{"id": 1, "images": ["x", {"id": 1}], "images_mode": "replace", "modifiers": [{"name": "x"}]}, null], "x": 1}`))
	f.Add(uint8(5), true, []byte(`{"variant_id": 1, "price": 1e2}`+"\n"+`{"variant_id": 1, "stock_id": 1, "quantity": 1}`))
	f.Fuzz(func(t *testing.T, which uint8, asLines bool, body []byte) {
		next := int64(0)
		e := &elements{gate: gates[int(which)%len(gates)], ignored: &ignored{}, emit: func(it *item) error {
			if it.index != next || !bytes.Contains(body, it.raw) {
				t.Errorf("item %d comes as %d: %q", next, it.index, it.raw)
			}
			next++
			if len(it.wrong) == 0 && (it.id == "" || it.distinct == "") {
				t.Errorf("nothing is wrong with %q, which has no id", it.raw)
			}
			for _, w := range it.wrong {
				if w.Code == "" || w.Message == "" {
					t.Errorf("wrong with %q is %+v", it.raw, w)
				}
			}
			return nil
		}}
		format := JSON
		if asLines {
			format = NDJSON
		}
		if err := e.read(format, bytes.NewReader(body)); err != nil && (asLines || fault.KindOf(err) == fault.Internal) {
			t.Errorf("%s %q: %v", format, body, err)
		}
	})
}
