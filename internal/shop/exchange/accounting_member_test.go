package exchange

import (
	"strings"
	"testing"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/productfield"
)

const tea = `{"id": 1, "name": "Tea", "unit": {"code": "166", "name": "kg"}, "vat_rate": 10.5, "weight": 0.125,
	"single_variant": true, "variant_price": 7, "variant_barcodes": ["4600000000017", 24, "4600000000017"]}`

// Section 12, members: the gate takes unit, VAT rate, weight and barcodes. An export has them, and changes nothing when
// it is pushed to its own store, even after an edit.
func TestMembers_ofAccountingAreExportedAndPushedAgain(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.wantCounts("1: +1 ~0 =0 !0 ?0", Products, payload(tea))
		s.wantCounts("1: +0 ~0 =1 !0 ?0", Products, payload(tea))
		s.wantState(`unit {"code":"166","name":"kg"} vat 1050 weight 125`, "barcode 1/- 24",
			"barcode 1/- 4600000000017")

		text, _ := s.export(Products)
		for _, member := range []string{`"unit":{"code":"166","name":"kg"}`, `"vat_rate":10.5`, `"weight":0.125`,
			`"variant_barcodes":["4600000000017","24"]`} {
			if !strings.Contains(text, member) {
				s.Errorf("the export lacks %s: %s", member, text)
			}
		}

		s.edit("1", catalog.ProductEdit{Description: new("")})
		s.wantCounts("1: +0 ~0 =1 !0 ?0", Products, payload(text))

		s.wantCounts("1: +0 ~1 =0 !0 ?0", Products, payload(`{"id": 1, "unit": null, "vat_rate": null, "weight": null,
			"single_variant": true, "variant_barcodes": []}`))
		s.wantState("!unit", "!vat", "!weight", "!barcode")
	})
}

// Section 12, members: a table has them in columns. An empty cell of barcodes means none; null takes the others away.
func TestMembers_ofAccountingAreColumns(t *testing.T) {
	csv := func(p *Params) { p.Format = item.CSV }
	eachEngine(t, func(s *fixture) {
		const header = "id;name;unit_code;unit_name;vat_rate;weight;price;barcodes\n"
		s.wantCounts("1: +1 ~0 =0 !0 ?0", Products, header+"1;Tea;166;kg;10,5;0,125;7;4600000000017|24\n", csv)
		s.wantState(`unit {"code":"166","name":"kg"} vat 1050 weight 125`, "barcode 1/- 24",
			"barcode 1/- 4600000000017")

		s.wantCounts("1: +0 ~1 =0 !0 ?0", Products, header+"1;;;;;;;24\n", csv)
		s.wantState(`unit {"code":"166","name":"kg"} vat 1050 weight 125`, "barcode 1/- 24", "!4600000000017")

		s.wantCounts("1: +0 ~1 =0 !0 ?0", Products, header+"1;;;null;null;null;;\n", csv)
		s.wantState("!unit", "!vat", "!weight", "!barcode")
	})
}

// Section 12, members: each can be locked, and a token can be limited to barcodes.
func TestMembers_ofAccountingAreLockedAndOwned(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(tea))
		s.lock(productfield.Unit | productfield.VATRate | productfield.Weight | productfield.Barcodes)
		run := s.push(Products, payload(`{"id": 1, "unit": null, "vat_rate": 20, "weight": 1, "single_variant": true,
			"variant_barcodes": ["9"]}`))
		s.wantNotes(run, "0 1 unit:locked")
		s.wantState(`unit {"code":"166","name":"kg"} vat 1050 weight 125`, "barcode 1/- 24", "!barcode 1/- 9")

		s.lock(0)
		s.push(Products, payload(`{"id": 1, "name": "Not owned", "single_variant": true, "variant_price": 8,
			"variant_barcodes": ["9"]}`), s.newToken("barcodes"))
		s.wantState("product 1 Tea", "70000", "barcode 1/- 9", "!barcode 1/- 24")
	})
}

// Section 12, members: nonsense fails the item, names the member, and loses nothing else.
func TestMembers_ofAccountingFailTheirItemAlone(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run := s.push(Products, payload(`{"id": 1, "name": "A", "vat_rate": 200}`,
			`{"id": 2, "name": "B", "unit": {"code": "x", "name": "pcs"}}`,
			`{"id": 3, "name": "C", "single_variant": true, "variant_price": 1, "variant_barcodes": ["`+
				strings.Repeat("1", 10_000)+`"]}`,
			`{"id": 4, "name": "D", "weight": 2, "single_variant": true, "variant_price": 1}`))
		notes := s.notesText(run)
		for _, note := range []string{"vat_rate:out_of_range", "unit.code:invalid_unit_code",
			"variant_barcodes[0]:too_long"} {
			if !strings.Contains(notes, note) {
				s.Errorf("the notes lack %s: %s", note, notes)
			}
		}

		if run.Created != 1 || run.Failed != 3 {
			s.Errorf("the counts are %s", s.countsText(run))
		}
	})
}
