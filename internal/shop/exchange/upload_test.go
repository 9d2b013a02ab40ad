package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
)

// upload uploads a file and waits for the end of its dry run.
func (s *fixture) upload(entity, file string) Run {
	s.Helper()
	run, err := s.Pushes.Upload(s.Context(), s.Store.ID, UploadedFile{Entity: entity, Name: "file",
		By: id.New[access.Operator](), Body: strings.NewReader(file)})
	if err != nil {
		s.Fatal(err)
	}
	return s.waitForRun(run.ID)
}

// waitForRun waits until a run is finished.
func (s *fixture) waitForRun(runID RunID) (run Run) {
	s.Helper()
	s.Eventually("the run is finished", func() bool {
		s.Read(func(tx store.Tx) (err error) {
			run, err = s.Runs.FindAny(s.Context(), tx, runID)
			return err
		})
		return run.FinishedAt != nil
	})
	return run
}

func (s *fixture) applyUpload(dry Run) (run Run, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		run, err = s.Pushes.QueueUpload(s.Context(), tx, dry.ID, id.New[access.Operator]())
		return err
	})
	return run, err
}

func codeOf(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

// A file changes nothing until it is applied, once, with the outcome that its dry run has shown. Then it is deleted.
func TestUpload_appliesTheCheckedFile(t *testing.T) {
	for name, file := range map[string]string{
		"CSV": "id,name,price\n1,Tee,10\n2,Cap,ten\n3,Hat,30\n",
		"JSON": `[{"id":1,"name":"Tee","single_variant":true,"variant_price":10},{"id":2,"name":""},{"id":3,` +
			`"name":"Hat"}]`,
		"NDJSON": `{"id":1,"name":"Tee"}` + "\n" + `{"id":2,"name":""}` + "\n" + `{"id":3,"name":"Hat"}`,
	} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(s *fixture) {
				defer s.Start(s.Queue.Run)()

				dry := s.upload(Products, file)
				if got := s.countsText(dry); !dry.DryRun || dry.Status != Completed ||
					!strings.HasPrefix(got, "3: +2 ~0 =0 !1") {
					s.Fatalf("the dry run is %s with %q", dry.Status, got)
				}

				if n := s.Count("products WHERE store_id = $1", s.Store.ID); n != 0 {
					s.Fatalf("the dry run left %d products", n)
				}
				if !dry.Applicable(s.now()) {
					s.Fatal("the file cannot be applied")
				}

				queued, err := s.applyUpload(dry)
				if err != nil {
					s.Fatal(err)
				}

				run := s.waitForRun(queued.ID)
				if got, want := s.countsText(run), s.countsText(dry); got != want || run.DryRun {
					s.Errorf("the counts are %q, those of the dry run %q", got, want)
				}
				if n := s.Count("products WHERE store_id = $1", s.Store.ID); n != 2 {
					s.Errorf("there are %d products, want 2", n)
				}
				if _, err := s.applyUpload(dry); codeOf(err) != "already_applied" && codeOf(err) != "no_file" {
					s.Errorf("applying it again: %v", err)
				}

				s.Eventually("the file is deleted", func() bool {
					return s.Count("exchange_pieces") == 0 && s.Count("exchange_runs WHERE spooled_bytes > 0") == 0
				})
				s.Read(func(tx store.Tx) error {
					before, _, err := s.Runs.UploadRuns(s.Context(), tx, run)
					if before == nil || before.ID != dry.ID {
						s.Errorf("the dry run of the file is %v", before)
					}
					return err
				})
			})
		})
	}
}

// A file that was not applied is deleted after its time, or when it is discarded.
func TestUpload_deletesUnusedFile(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()

		expired := s.upload(Stocks, "id,name\n1,Main\n")
		discarded := s.upload(Stocks, "id,name\n2,Shop\n")
		s.Write(func(tx store.Tx) error {
			_, err := s.Pushes.DiscardUpload(s.Context(), tx, discarded.ID)
			return err
		})

		if err := s.Bodies.deleteFinished(s.Context()); err != nil {
			s.Fatal(err)
		}
		if n := s.Count("exchange_pieces"); n != 1 {
			s.Errorf("%d chunks are left, want that of the other file", n)
		}
		if _, err := s.applyUpload(discarded); codeOf(err) != "no_file" {
			s.Errorf("applying the discarded file: %v", err)
		}

		s.Clock.Advance(uploadRetention + time.Minute)
		if _, err := s.applyUpload(expired); codeOf(err) != "file_expired" {
			s.Errorf("applying the expired file: %v", err)
		}
		if err := s.Bodies.deleteFinished(s.Context()); err != nil {
			s.Fatal(err)
		}
		if n := s.Count("exchange_pieces"); n != 0 {
			s.Errorf("%d chunks are left", n)
		}
	})
}

// A file that cannot be read at all fails, and its body is not kept.
func TestUpload_failsForBrokenFile(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()
		run := s.upload(Products, "id,\"na\"me\nTee,10\n")
		if run.Status != Failed || run.Problem == nil || run.Problem.Code != "broken_file" ||
			run.Applicable(s.now()) {
			s.Errorf("the run is %s with %v", run.Status, run.Problem)
		}
		s.Eventually("the file is deleted", func() bool { return s.Count("exchange_pieces") == 0 })
		_, err := s.Pushes.Upload(s.Context(), s.Store.ID, UploadedFile{Entity: "shoes", Name: "file",
			By: id.New[access.Operator](), Body: strings.NewReader("x")})
		if fault.KindOf(err) != fault.Invalid {
			s.Errorf("an unknown entity: %v", err)
		}
	})
}

func TestDetectFormat(t *testing.T) {
	for text, want := range map[string]item.Format{
		"\ufeff[{}]":                          item.JSON,
		`{"payload": [{"id": 1}]}`:            item.JSON,
		"{\n  \"payload\": [\n":               item.JSON,
		`{"at": 1, "payload": [{"id": 1}]}`:   item.JSON,
		"{\"id\": 1}\n{\"id\": 2}\n":          item.NDJSON,
		`{"id": 1}`:                           item.NDJSON,
		"id,name\n":                           item.CSV,
		"\ufeffid;name\n":                     item.CSV,
		`{"id": "` + strings.Repeat("x", 1e5): item.NDJSON,
	} {
		head := text[:min(len(text), formatHeadBytes)]

		if got := DetectFormat([]byte(head)); got != want {
			t.Errorf("%.40q is %s, want %s", text, got, want)
		}
	}
}

// Errors are grouped by code and field, whatever the position in a list, and the items of a group can be read.
func TestNoteGroups(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		var items []string
		for i := range 7 {
			items = append(items,
				fmt.Sprintf(`{"id": %d, "name": "P", "variants": [{"id": "a%[1]d", "price": 1}, {"id": "b%[1]d", `+
					`"price": "x"}]}`, i))
		}

		run := s.push(Products, payload(append(items, `{"id": "x", "name": ""}`)...))

		s.Read(func(tx store.Tx) error {
			groups, complete, err := s.Runs.NoteGroups(s.Context(), tx, run, Error)
			if err != nil {
				return err
			}

			if len(groups) != 2 || !complete || groups[0].Field != "variants[].price" || groups[0].Count != 7 ||
				len(groups[0].IDs) != noteGroupIDs || groups[1].Field != "name" || groups[1].Count != 1 {
				s.Errorf("the groups are %+v", groups)
			}

			filter := NoteFilter{groups[0].Code, groups[0].Field}
			first, next, err := s.Runs.NotesOf(s.Context(), tx, run, Error, filter, 0, 4)
			if err != nil {
				return err
			}

			rest, end, err := s.Runs.NotesOf(s.Context(), tx, run, Error, filter, next, 4)
			if len(first) != 4 || len(rest) != 3 || end != 0 || *rest[0].ID != "4" {
				s.Errorf("the pages have %d and %d notes, then %d", len(first), len(rest), end)
			}

			return err
		})

		s.push(Stocks, payload(`{"id": 1, "name": "Main"}`))

		s.Read(func(tx store.Tx) error {
			failed, _, err := s.Runs.ListFailed(s.Context(), tx, Period{}, 0, 10)
			if err != nil {
				return err
			}
			n, err := s.Runs.CountFailed(s.Context(), tx, s.now().Add(-time.Hour), s.now().Add(time.Hour))
			if len(failed) != 1 || failed[0].ID != run.ID || n != 1 {
				s.Errorf("failed runs: %v, counted %d", failed, n)
			}

			return err
		})
	})
}

// The failed lines of a table come back in its character set, with its separator and columns, their numbers and what is
// wrong with each, whether the line cannot be read or the shop refuses it. Corrected, they are uploaded again.
func TestUpload_givesFailedLinesBack(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()

		text, err := charmap.Windows1251.NewEncoder().String("id;Name;price;remainder:main\n1;Стол;10;\n" +
			"2;Стул;ten;1\n\n3;Шкаф;-5;1\n4;;1;1\n")
		if err != nil {
			s.Fatal(err)
		}

		dry := s.upload(Products, text)
		if !dry.HasTable() || dry.Layout.Charset != wire.Windows1251 || dry.Failed != 3 {
			s.Fatalf("%d items failed, the layout is %+v", dry.Failed, dry.Layout)
		}

		s.wantNotes(dry, "1 2 price:unreadable_line; 2 3 price:out_of_range; 3 4 name:required")
		if got := s.noteLines(dry); !slices.Equal(got, []int64{3, 5, 6}) {
			s.Errorf("the errors are about the lines %d", got)
		}

		failed := s.failedLines(dry)
		decoded, err := charmap.Windows1251.NewDecoder().String(failed)
		if err != nil {
			s.Fatal(err)
		}

		lines := strings.Split(decoded, "\r\n")
		for i, want := range []string{"line;error;id;Name;price;remainder:main", ";2;Стул;ten;1", ";3;Шкаф;-5;1",
			";4;;1;1", ""} {
			if i >= len(lines) || !strings.HasSuffix(lines[i], want) {
				s.Errorf("line %d is not %q: %q", i, want, lines)
			}
		}
		if !strings.HasPrefix(lines[1], `3;"price must be a number`) || !strings.HasPrefix(lines[3], "6;name: ") {
			s.Errorf("the lines are %q", lines)
		}

		correct := strings.NewReplacer(";ten;", ";20;", ";-5;", ";5;", ";4;;", ";4;D;")
		dry = s.upload(Products, correct.Replace(failed))
		if got := s.countsText(dry); !strings.HasPrefix(got, "3: +3 ~0 =0 !0") || len(dry.IgnoredFields) != 0 {
			s.Errorf("the corrected file has %q and the ignored fields %q", got, dry.IgnoredFields)
		}
	})
}

// noteLines returns the lines of the errors of a run.
func (s *fixture) noteLines(run Run) (lines []int64) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		lines = nil
		notes, err := notesAfter(s.Context(), tx, run.Key, Error, 0, 100)
		for _, n := range notes {
			lines = append(lines, n.Line)
		}
		return err
	})
	return lines
}

// failedLines returns the table of the failed lines of a run.
func (s *fixture) failedLines(run Run) string {
	s.Helper()
	var text []byte
	s.Read(func(tx store.Tx) error {
		text = nil
		return s.Runs.WriteFailedLines(s.Context(), tx, run, strings.Clone, func(part []byte) error {
			text = append(text, part...)
			return nil
		})
	})
	return string(text)
}

// newWorkbook returns an XLSX file with the rows.
func newWorkbook(t testing.TB, rows ...[]string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := xlsx.NewWriter(&b, "Prices")
	if err != nil {
		t.Fatal(err)
	}

	for _, row := range rows {
		cells := make([]xlsx.Cell, len(row))
		for i, cell := range row {
			cells[i] = xlsx.Auto(cell)
		}
		if err := w.Row(cells...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// An XLSX file is checked and applied like a CSV, and its failed rows come back as an XLSX file, with their numbers.
func TestUpload_takesWorkbook(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		defer s.Start(s.Queue.Run)()

		file := newWorkbook(s, []string{"id", "name", "price"}, []string{"1", "Tee", "10.5"}, nil,
			[]string{"2", "Cap", "-1"})
		dry := s.upload(Products, file)
		if got := s.countsText(dry); dry.Format != item.XLSX || !strings.HasPrefix(got, "2: +1 ~0 =0 !1") {
			s.Fatalf("the dry run is %s of %s", got, dry.Format)
		}

		var failed bytes.Buffer
		s.Read(func(tx store.Tx) error {
			return s.Runs.WriteFailedLines(s.Context(), tx, dry, strings.ToUpper, func(text []byte) error {
				failed.Write(text)
				return nil
			})
		})
		opened, err := xlsx.Open(bytes.NewReader(failed.Bytes()), int64(failed.Len()))
		if err != nil {
			s.Fatal(err)
		}
		for row, err := range opened.Rows("") {
			if err != nil {
				s.Fatal(err)
			}
			if row.Number == 2 && (row.Cells[0] != "4" || !strings.HasPrefix(row.Cells[1], "price: A PRICE") ||
				row.Cells[2] != "2") {
				s.Errorf("the failed row is %q", row.Cells)
			}
		}

		queued, err := s.applyUpload(dry)
		if err != nil {
			s.Fatal(err)
		}
		if run := s.waitForRun(queued.ID); s.countsText(run) != s.countsText(dry) {
			s.Errorf("applied: %s", s.countsText(run))
		}
		if n := s.Count("products WHERE store_id = $1", s.Store.ID); n != 1 {
			s.Errorf("there are %d products, want 1", n)
		}
	})
}

// What is no XLSX file, or has no such sheet, leaves no run behind.
func TestUpload_refusesBrokenWorkbook(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		good := newWorkbook(s, []string{"id"})
		for _, c := range []struct{ file, sheet, code string }{
			{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 old", "", "old_workbook"},
			{good[:len(good)/2], "", "broken_workbook"}, {good, "Other", "unknown_sheet"},
		} {
			_, err := s.Pushes.Upload(s.Context(), s.Store.ID, UploadedFile{Entity: Products, Name: "file.xlsx",
				Sheet: c.sheet, By: id.New[access.Operator](), Body: strings.NewReader(c.file)})
			if codeOf(err) != c.code {
				s.Errorf("%v, want %s", err, c.code)
			}
		}

		if n := s.Count("exchange_runs"); n != 0 {
			s.Errorf("there are %d runs", n)
		}
	})
}
