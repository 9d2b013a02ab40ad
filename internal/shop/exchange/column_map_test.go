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
	file, err := s.Pushes.UploadColumns(s.Context(), s.Store.ID, run.ID)
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

		file, err := s.Pushes.UploadColumns(s.Context(), s.Store.ID, asked.ID)
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
