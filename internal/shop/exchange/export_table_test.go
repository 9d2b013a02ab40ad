package exchange

import (
	"encoding/csv"
	"errors"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

// exportTable returns the products as a CSV file, and gives ids to what lacks them.
func (s *fixture) exportTable() string {
	s.Helper()
	params := ExportParams{Entity: Products, ImageBaseURL: "https://shop.example"}
	var file strings.Builder
	write := func() (err error) {
		file.Reset()
		w := csv.NewWriter(&file)
		w.Comma = ';'
		s.Read(func(tx store.Tx) error {
			_, err = s.Exports.ExportTable(s.Context(), tx, params, false, func(cells []xlsx.Cell) error {
				record := make([]string, len(cells))
				for i, cell := range cells {
					record[i] = table.Guard(cell.Text)
				}
				return w.Write(record)
			})
			return nil
		})
		w.Flush()
		return err
	}

	err := write()
	if errors.Is(err, ErrNeedsIDs) {
		if file.Len() > 0 {
			s.Errorf("the table was begun: %s", file.String())
		}
		if err := s.Exports.AssignTableIDs(s.Context(), s.Store.ID, store.Actor{}); err != nil {
			s.Fatal(err)
		}
		err = write()
	}
	if err != nil {
		s.Fatal(err)
	}
	return file.String()
}

// wantTableUnchanged checks that pushing the table of the products changes nothing.
func (s *fixture) wantTableUnchanged(of string) {
	s.Helper()
	file := s.exportTable()
	run := s.push(Products, file, func(p *Params) { p.Format = item.CSV })
	if run.Unchanged != run.Received {
		s.Errorf("%s: pushing the table back: %s %s\n%s", of, s.countsText(run), s.notesText(run), file)
	}
}

// A table of products has every member that a table can have, and changes nothing when it is uploaded again.
func TestExportTable_ofEveryMemberChangesNothing(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Categories, payload(`{"id": "top", "name": "Top"}`, `{"id": "sale", "name": "Sale"}`))
		s.push(Features, payload(`{"id": "fabric", "name": "Fabric", "values": [{"id": "wool", "name": "Wool"}, `+
			`{"id": "silk", "name": "Silk"}]}`))
		s.push(VariantOptions, payload(`{"id": "size", "name": "Size", "values": [{"id": "s", "name": "S"}, `+
			`{"id": "m", "name": "M"}]}`))
		s.push(PriceLists, payload(`{"id": "trade", "name": "Trade"}`))
		s.push(Products, payload(`{"id": "=1", "name": "-Shirt", "description": "One; \"two\"\nand three", `+
			`"unit": {"code": "796", "name": "pcs"}, "vat_rate": 7.5, "weight": 0.25, "slug": "a-shirt", `+
			`"seo": {"title": "@Shirt", "noindex": true}, "categories": ["top", "sale"], `+
			`"canonical_category": "sale", "features": [{"id": "fabric", "value_id": "wool"}, `+
			`{"id": "fabric", "value_id": "silk"}], "variants": [`+
			`{"id": "1-s", "name": "Small", "sku": "'=S", "price": 19.9, "weight": 1.5, "barcodes": ["46", "47"], `+
			`"remainders": [{"stock_id": "main", "quantity": 3.5}], "options": [{"id": "size", "value_id": "s"}], `+
			`"prices": [{"price_list_id": "trade", "price": 15}, `+
			`{"price_list_id": "trade", "price": 12, "from_quantity": 10}]}, `+
			`{"id": "1-m", "price": null, "options": [{"id": "size", "value_id": "m"}]}]}`,
			`{"id": "2", "name": "Cap", "single_variant": true, "variant_sku": "+7", "variant_price": 0, `+
				`"variant_remainders": [{"stock_id": "main", "quantity": 0}]}`,
			`{"id": "3", "name": "Without variants"}`))

		file := s.exportTable()
		header, lines, _ := strings.Cut(file, "\n")
		names, _ := table.Columns(Products)
		for _, name := range names {
			// Images are in TestProducts_areDownloadedAndUploadedAgain, since nothing downloads them here.
			left := name == "version" || strings.Contains(name, "images")
			if !left && !slices.Contains(strings.Split(header, ";"), name) {
				s.Errorf("the table lacks the column %s: %s", name, header)
			}
		}
		for _, text := range []string{"feature:fabric", "option:size", "remainder:main", "price:trade",
			"price:trade@10", "'=1;'-Shirt", "''=S", "sale|top"} {
			if !strings.Contains(header+"\n"+lines, text) {
				s.Errorf("the table lacks %s:\n%s", text, file)
			}
		}
		s.wantTableUnchanged("every member")
	})
}

// A line without the id of a variant is the only variant of its product.
func TestTable_theOnlyVariantNeedsNoID(t *testing.T) {
	csv := func(p *Params) { p.Format = item.CSV }
	eachEngine(t, func(s *fixture) {
		s.wantCounts("2: +2 ~0 =0 !0 ?0", Products,
			"id;name;variant_id;sku;price\n1;Cap;;CAP;5\n2;Tea;2-1;TEA;6\n", csv)
		if n := s.Count("variants WHERE store_id = $1 AND external_id IS NULL AND sku = 'CAP'", s.Store.ID); n != 1 {
			s.Errorf("%d variants have no id", n)
		}

		run := s.push(Products, "id;name;variant_id;sku;price\n1;Cap;;CAP;5\n1;Cap;;CAP-2;6\n2;Tea;;T;1\n2;;2-2;U;1\n"+
			"3;New;;N;free\n", csv)
		if got := s.countsText(run); got != "3: +0 ~0 =0 !3 ?0" {
			s.Errorf("two variants, of which one has no id: %s %s", got, s.notesText(run))
		}
	})
}

// A product with a list that a table cannot have stops the export, and says which.
func TestExportTable_refusesIDsWithASeparator(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Categories, payload(`{"id": "a|b", "name": "A"}`))
		s.push(Products, payload(`{"id": 1, "name": "Cap", "categories": ["a|b"]}`))
		s.Read(func(tx store.Tx) error {
			_, err := s.Exports.ExportTable(s.Context(), tx, ExportParams{Entity: Products}, false,
				func([]xlsx.Cell) error { return nil })
			if codeOf(err) != "not_in_tables" {
				s.Errorf("the error is %v", err)
			}
			return nil
		})
	})
}
