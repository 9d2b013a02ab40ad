package exchange

import (
	"strings"
	"testing"

	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/store"
)

// mapUpload chooses the columns of the file of a run, and returns its dry run.
func (s *fixture) mapUpload(run Run, m table.Mapping) (Run, error) {
	s.Helper()
	file, err := s.Pushes.UploadColumns(s.Context(), s.Store.ID, run.ID, table.DetectHeader)
	if err != nil {
		return Run{}, err
	}
	err = s.TryWrite(func(tx store.Tx) (err error) {
		run, err = s.Pushes.MapUpload(s.Context(), tx, file, m, id.New[access.Operator]())
		return err
	})
	return run, err
}

// A file whose columns are not known is not read before somebody says what they are. The next one with the same columns
// is read at once, in either format.
func TestMapUpload_isRemembered(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()

		asked := s.upload(Products, "Артикул;Товар;Цена\nA-1;Стол;1 234,50 ₽\nA-2;Стул;много\n")
		if !asked.AwaitsColumns() || !asked.Mappable(s.now()) || asked.Applicable(s.now()) || asked.Received != 0 {
			s.Fatalf("the run is %+v", asked)
		}
		if _, err := s.applyUpload(asked); codeOf(err) == "<nil>" {
			s.Error("it is applied")
		}

		file, err := s.Pushes.UploadColumns(s.Context(), s.Store.ID, asked.ID, table.DetectHeader)
		if err != nil || len(file.Columns) != 3 || file.Columns[2].Values[0] != "1 234,50 ₽" {
			s.Fatalf("the columns are %v, %v", file.Columns, err)
		}
		if _, err := s.mapUpload(asked, table.Mapping{Columns: []string{"sku", "name", "price"}}); codeOf(err) !=
			"missing_column" {
			s.Errorf("without an id: %v", err)
		}

		m := table.Mapping{Columns: []string{"sku", "name", "price"},
			Added: []table.AddedColumn{{Column: "id", From: 1}}}
		mapped, err := s.mapUpload(asked, m)
		if err != nil || mapped.ID != asked.ID {
			s.Fatal(mapped.ID, err)
		}
		dry := s.waitForRun(mapped.ID)
		if got := s.countsText(dry); !strings.HasPrefix(got, "2: +1 ~0 =0 !1") || dry.AwaitsColumns() {
			s.Fatalf("the dry run is %s, %+v", got, dry.Problem)
		}

		queued, err := s.applyUpload(dry)
		if err != nil {
			s.Fatal(err)
		}
		if run := s.waitForRun(queued.ID); s.countsText(run) != s.countsText(dry) {
			s.Errorf("applied: %s", s.countsText(run))
		}
		if n := s.Count("variants WHERE store_id = $1 AND price = 12345000", s.Store.ID); n != 1 {
			s.Errorf("%d variants have the price", n)
		}

		again := s.upload(Products, newWorkbook(s, []string{"артикул", " Товар", "ЦЕНА"}, []string{"A-1", "Стол", "7"}))
		if got := s.countsText(again); again.Format != item.XLSX || !strings.HasPrefix(got, "1: +0 ~1 =0 !0") {
			s.Errorf("the next file: %s, %+v", got, again.Problem)
		}
	})
}

// The columns of a checked file can be chosen again: another run checks it, and can apply it.
func TestMapUpload_checksFileAgain(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()

		first := s.upload(Products, "id,name,title\n1,a,b\n")
		second, err := s.mapUpload(first, table.Mapping{Columns: []string{"id", "", "name"}})
		if err != nil || second.ID == first.ID {
			s.Fatal(second.ID, err)
		}
		dry := s.waitForRun(second.ID)
		if got := s.countsText(dry); !strings.HasPrefix(got, "1: +1 ~0 =0 !0") {
			s.Fatalf("the dry run is %s", got)
		}

		if _, err := s.applyUpload(first); codeOf(err) != "no_file" {
			s.Errorf("the first run is applied: %v", err)
		}
		if _, err := s.mapUpload(first, table.Mapping{Columns: []string{"id", "", "name"}}); codeOf(err) != "no_file" {
			s.Errorf("the first run is mapped again: %v", err)
		}
		queued, err := s.applyUpload(dry)
		if err != nil {
			s.Fatal(err)
		}
		s.waitForRun(queued.ID)
		if n := s.Count("products WHERE store_id = $1 AND name = 'b'", s.Store.ID); n != 1 {
			s.Errorf("%d products have the name", n)
		}
		s.Eventually("the file is deleted", func() bool {
			return s.Count("exchange_pieces") == 0 && s.Count("exchange_runs WHERE spooled_bytes > 0") == 0
		})
	})
}

// A title above the table is detected, and somebody can choose another line; the next file remembers it, even if its
// title is longer. Problems have the line and the column of the file.
func TestMapUpload_readsTheHeadingsBelowATitle(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()

		asked := s.upload(Products, "Price list of Lamps Ltd\n\nValid from;\nArticle;Title;Cost\n"+
			"L-1;Lamp;9,50\nL-2;Lamp 2;x\n")
		if !asked.AwaitsColumns() {
			s.Fatalf("the run is %+v", asked)
		}
		file, err := s.Pushes.UploadColumns(s.Context(), s.Store.ID, asked.ID, table.DetectHeader)
		if err != nil || file.Skip != 2 || file.First[2].Number != 4 || file.Columns[0].Name != "Article" {
			s.Fatalf("the columns are %+v, %v", file.Sampled, err)
		}
		other, err := s.Pushes.UploadColumns(s.Context(), s.Store.ID, asked.ID, 3)
		if err != nil || other.Columns[1].Name != "Lamp" {
			s.Errorf("the columns of the line below are %+v, %v", other.Sampled, err)
		}
		if _, err := s.Pushes.UploadColumns(s.Context(), s.Store.ID, asked.ID, 50); codeOf(err) != "no_header" {
			s.Errorf("a line that is not there: %v", err)
		}

		mapped, err := s.mapUpload(asked, table.Mapping{Columns: []string{"id", "name", "price"}})
		if err != nil {
			s.Fatal(err)
		}
		dry := s.waitForRun(mapped.ID)
		if got := s.countsText(dry); !strings.HasPrefix(got, "2: +1 ~0 =0 !1") {
			s.Errorf("the dry run is %s", got)
		}
		s.Read(func(tx store.Tx) error {
			notes, err := notesAfter(s.Context(), tx, dry.Key, Error, 0, 10)
			if err == nil && (len(notes) != 1 || notes[0].Line != 6 || notes[0].Field != "Cost") {
				s.Errorf("the errors are %+v", notes)
			}
			return err
		})

		again := s.upload(Products, newWorkbook(s, []string{"Lamps Ltd"}, []string{"Tel.", "1"}, []string{"Offer"},
			[]string{"Article", "Title", "Cost"}, []string{"L-3", "Lamp 3", "7"}))
		if got := s.countsText(again); !strings.HasPrefix(got, "1: +1 ~0 =0 !0") {
			s.Errorf("the next file: %s, %+v", got, again.Problem)
		}
	})
}

// A line of a supplier's file updates the variant with its SKU, and no other variant of that product. A line with an
// unknown SKU creates a product. A line whose SKU several variants have fails.
func TestMapUpload_findsVariantsBySKU(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()
		s.push(Products, payload(`{"id": 1, "name": "Shirt", "variants": [{"id": "s", "sku": "TEE-S", "price": 5}, `+
			`{"id": "m", "sku": "TEE-M", "price": 6}, {"id": "l", "sku": "TEE-L", "price": 7}]}`,
			`{"id": 2, "name": "Cap", "single_variant": true, "variant_sku": "CAP", "variant_price": 8}`,
			`{"id": 3, "name": "A", "single_variant": true, "variant_sku": "SAME", "variant_price": 1}`,
			`{"id": 4, "name": "B", "single_variant": true, "variant_sku": "SAME", "variant_price": 1}`))
		s.Write(func(tx store.Tx) error { // as if they were made here
			_, err := tx.Exec(s.Context(), `UPDATE products SET external_id = NULL WHERE store_id = $1`)
			if err != nil {
				return err
			}
			_, err = tx.Exec(s.Context(), `UPDATE variants SET external_id = NULL WHERE store_id = $1`)
			return err
		})

		asked := s.upload(Products, "Article;Cost;Title\nTEE-M;60;Shirt\nCAP;80;Cap\nNEW;9;New\n"+
			"TEE-S;50;Shirt\nSAME;2;A\n")
		mapped, err := s.mapUpload(asked, table.Mapping{Columns: []string{"sku", "price", "name"}, MatchSKUs: true,
			Added: []table.AddedColumn{{Column: "id", From: 1}}})
		if err != nil {
			s.Fatal(err)
		}
		dry := s.waitForRun(mapped.ID)
		if got := s.countsText(dry); got != "5: +1 ~3 =0 !1 ?0" {
			s.Errorf("the dry run is %s %s", got, s.notesText(dry))
		}
		if n := s.Count("products WHERE store_id = $1 AND external_id IS NOT NULL", s.Store.ID); n != 0 {
			s.Errorf("the dry run has given %d products an id", n)
		}
		queued, err := s.applyUpload(dry)
		if err != nil {
			s.Fatal(err)
		}
		run := s.waitForRun(queued.ID)
		if got := s.countsText(run); got != "5: +1 ~3 =0 !1 ?0" {
			s.Errorf("the run is %s %s", got, s.notesText(run))
		}

		for sku, price := range map[string]int64{"TEE-S": 50, "TEE-M": 60, "TEE-L": 7, "CAP": 80, "NEW": 9} {
			if n := s.Count("variants WHERE store_id = $1 AND sku = $2 AND price = $3 AND archived_at IS NULL",
				s.Store.ID, sku, price*10_000); n != 1 {
				s.Errorf("%d variants %s cost %d", n, sku, price)
			}
		}
		if n := s.Count("products WHERE store_id = $1", s.Store.ID); n != 5 {
			s.Errorf("there are %d products", n)
		}

		again := s.upload(Products, "Article;Cost;Title\nTEE-M;60;Shirt\nCAP;80;Cap\nTEE-S;50;\n")
		if got := s.countsText(again); got != "3: +0 ~0 =3 !0 ?0" {
			s.Errorf("the next file: %s %s", got, s.notesText(again))
		}
	})
}

// Tables of prices and remainders name variants by SKU, too.
func TestMapUpload_findsPricesAndRemaindersBySKU(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()
		s.push(Stocks, payload(`{"id": "main", "name": "Main"}`))
		s.push(Products, payload(`{"id": 1, "name": "Shirt", "variants": [{"id": "s", "sku": "TEE-S", "price": 5}, `+
			`{"id": "m", "sku": "TEE-M", "price": 6}]}`,
			`{"id": 2, "name": "Cap", "single_variant": true, "variant_sku": "CAP", "variant_price": 8}`))

		for entity, m := range map[string]table.Mapping{
			Prices: {Columns: []string{"variant_id", "price"}, MatchSKUs: true},
			Remainders: {Columns: []string{"variant_id", "quantity"}, MatchSKUs: true,
				Added: []table.AddedColumn{{Column: "stock_id", Value: "main"}}},
		} {
			mapped, err := s.mapUpload(s.upload(entity, "Article;Number\nTEE-M;60\nCAP;80\nNONE;1\n"), m)
			if err != nil {
				s.Fatal(err)
			}
			queued, err := s.applyUpload(s.waitForRun(mapped.ID))
			if err != nil {
				s.Fatal(err)
			}
			run := s.waitForRun(queued.ID)
			if got := s.countsText(run); !strings.HasPrefix(got, "3: ") || !strings.Contains(got, "!1") {
				s.Errorf("%s: the run is %s %s", entity, got, s.notesText(run))
			}
		}
		for sku, price := range map[string]int64{"TEE-S": 5, "TEE-M": 60, "CAP": 80} {
			if n := s.Count("variants WHERE store_id = $1 AND sku = $2 AND price = $3", s.Store.ID, sku,
				price*10_000); n != 1 {
				s.Errorf("%d variants %s cost %d", n, sku, price)
			}
		}
	})
}
