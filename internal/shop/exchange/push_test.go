package exchange

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"vitrine/internal/shop/store"

	"github.com/google/go-cmp/cmp"
)

const lampItem = `{"id": 1, "name": "Lamp", ` +
	`"variants": [{"id": 10, "sku": "L", "price": 9.9, "remainders": [{"stock_id": "main", "quantity": 3}]}]}`

func TestPush_countsOutcomesOfItems(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		body := payload(lampItem, `{"id": "2", "name": "Chair"}`)
		s.wantCounts("2: +2 ~0 =0 !0 ?0", Products, body)
		s.wantCounts("2: +0 ~0 =2 !0 ?0", Products, body)
		before := s.CatalogState()
		run := s.wantCounts("4: +0 ~1 =1 !2 ?0", Products,
			payload(`{"id": 3}`, `{ "name": "Chair", "id": 2 }`,
				`{"id": 1, "name": "Lamp", "variants": [{"id": 10, "price": "9,90"}]}`,
				`{"id": 1, "description": "bright"}`))
		s.wantNotes(run, "0 3 name:required; 2 1 variants[0].price:wrong_type")
		if diff := cmp.Diff([]string{`{"id": 3}`,
			`{"id": 1, "name": "Lamp", "variants": [{"id": 10, "price": "9,90"}]}`}, s.rejects(run)); diff != "" {
			s.Errorf("rejects differ from the failed items:\n%s", diff)
		}

		if diff := cmp.Diff(strings.Replace(before, "Lamp  ", "Lamp bright ", 1), s.CatalogState()); diff != "" {
			s.Errorf("the state differs from that after the valid items:\n%s", diff)
		}
	})
}

// The last of several items with the same id wins. All but the first get a warning, whether the items are in one batch
// or in several.
func TestPush_lastItemWithSameIDWins(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run := s.wantCounts("3: +1 ~1 =1 !0 ?2", Products, payload(`{"id": 1, "name": "A"}`, `{"id": "1", "name": "B"}`,
			`{"id": 1, "name": "B"}`))
		s.wantNotes(run, "1 1 id:duplicate_id; 2 1 id:duplicate_id")
		items := []string{`{"id": 1, "name": "First"}`}
		for i := range batchItems {
			items = append(items, fmt.Sprintf(`{"id": "n%d", "name": "N"}`, i))
		}

		items = append(items, `{"id": 1, "name": "Last"}`)
		run = s.wantCounts(fmt.Sprintf("%d: +%d ~2 =0 !0 ?1", len(items), batchItems), Products, payload(items...))
		s.wantNotes(run, fmt.Sprintf("%d 1 id:duplicate_id", len(items)-1))

		if !strings.Contains(s.CatalogState(), "product 1 Last ") {
			s.Error("product 1 does not have the name of the last item")
		}

		run = s.wantCounts(fmt.Sprintf("%d: +%d ~1 =0 !0 ?1", batchItems+2, batchItems+1), Products,
			strings.ReplaceAll(payload(append(items[1:len(items)-1], `{"id": "d", "name": "1"}`,
				`{"id": "d", "name": "2"}`)...), `"id": "n`, `"id": "m`), dryRun)
		s.wantNotes(run, fmt.Sprintf("%d d id:duplicate_id", batchItems+1))
	})
}

func TestPush_appliesItemsBeforeSyntaxError(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run, err := s.tryPush(Products, `{"payload": [`+lampItem+`, {"id": 2, "name": "Chair"`)
		s.wantFault(run, err, "malformed_json")
		if got := s.countsText(run); got != "1: +1 ~0 =0 !0 ?0" {
			s.Errorf("the counts are %q", got)
		}
		run, err = s.tryPush(Products, `{"items": []}`)
		s.wantFault(run, err, "validation_failed")
		run = s.wantCounts("4: +2 ~0 =0 !2 ?0", Products, "\n"+`{"id": 5, "name": "E"}`+"\r\n\n"+`{"id": 6, "name": `+
			"\n"+`{"id": 7, "name": "G"}`+"\n"+`7`, ndjson)
		s.wantNotes(run, "1 - :malformed_json; 3 - :wrong_type")
		if diff := cmp.Diff([]string{`{"id": 6, "name":`, `7`}, s.rejects(run)); diff != "" {
			s.Errorf("rejects differ from the failed items:\n%s", diff)
		}
	})
}

func TestPush_atomicIsAllOrNothing(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		before := s.CatalogState()
		run, err := s.tryPush(Products, payload(lampItem, `{"id": 2}`, `{"id": 3, "name": 3, "price": 1}`), atomic)
		s.wantFault(run, err, "push_rejected")
		s.wantNotes(run, "1 2 name:required")
		if got := s.countsText(run); got != "3: +0 ~0 =0 !1 ?0" {
			s.Errorf("the counts are %q", got)
		}
		if diff := cmp.Diff(before, s.CatalogState()); diff != "" {
			s.Errorf("a rejected push changed the state:\n%s", diff)
		}

		run = s.wantCounts("2: +2 ~0 =0 !0 ?0", Products, payload(lampItem, `{"id": 3, "name": 3, "price": 1}`), atomic)
		if diff := cmp.Diff([]string{"price"}, run.IgnoredFields); diff != "" {
			s.Errorf("ignored fields:\n%s", diff)
		}
	})
}

func TestPush_dryRunChangesNothing(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(lampItem))
		before := s.CatalogState()
		for _, options := range [][]paramOption{{dryRun}, {dryRun, atomic}} {
			run := s.wantCounts("4: +1 ~1 =2 !0 ?3", Products,
				payload(lampItem, `{"id": 1, "name": "Lamp 2", "categories": [5]}`, `{"id": 2, "name": "B"}`,
					`{"id": 2, "name": "B"}`), options...)
			s.wantNotes(run, "1 1 categories[0]:unknown_category; 1 1 id:duplicate_id; 3 2 id:duplicate_id")
			if diff := cmp.Diff(before, s.CatalogState()); diff != "" {
				s.Errorf("a dry run changed the state:\n%s", diff)
			}
		}
	})
}

// A push archives missing products only if the client requests it, and only up to the maximum share.
func TestPush_archivesMissingProducts(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		var all []string
		for i := range 10 {
			all = append(all, fmt.Sprintf(`{"id": %d, "name": "P"}`, i))
		}

		s.push(Products, payload(all...))
		s.push(Products, payload(all[:1]...))
		before := s.CatalogState()
		if strings.Contains(before, "archived") {
			s.Fatal("a push without archive_missing archived products")
		}

		run, err := s.tryPush(Products, payload(all[:7]...), archiveMissing)
		s.wantFault(run, err, "archive_refused")
		run, err = s.tryPush(Products, payload(append(all[:8:8], `{"name": "no id"}`)...), archiveMissing)
		s.wantFault(run, err, "archive_refused")

		if diff := cmp.Diff(before, s.CatalogState()); diff != "" {
			s.Fatalf("a push with archive_refused changed the state:\n%s", diff)
		}

		// The ninth item fails, but its product is not missing from the push.
		run = s.push(Products, payload(append(all[:8:8], `{"id": 8, "name": {}}`)...), archiveMissing)
		if run.Archived != 1 || strings.Count(s.CatalogState(), "archived") != 1 {
			s.Errorf("%d products were archived, want 1:\n%s", run.Archived, s.CatalogState())
		}

		run = s.push(Products, payload(all[:5]...), archiveMissing, maxShare(1), atomic)
		if run.Archived != 4 {
			s.Errorf("%d products were archived, want 4", run.Archived)
		}
	})
}

func TestPush_stopsWhenTokenIsRevoked(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		reader, writer := io.Pipe()
		type end struct {
			run Run
			err error
		}
		ended := make(chan end)
		go func() {
			run, err := s.Pushes.Push(s.Context(), s.Store.ID, s.params(Products, ndjson), reader)
			ended <- end{run, err}
		}()

		for i := range batchItems {
			fmt.Fprintf(writer, `{"id": %d, "name": "P"}`+"\n", i)
		}

		for run := (Run{}); run.Received < batchItems; {
			_ = s.TryRead(func(tx store.Tx) (err error) {
				runs, err := runsBefore(s.Context(), tx, s.credential, 1<<60, 1)
				if len(runs) > 0 { // the run is not inserted at once
					run = runs[0]
				}
				return err
			})
		}

		s.Write(func(tx store.Tx) error { return s.Access.RevokeKey(s.Context(), tx, s.credential) })
		go func() {
			fmt.Fprintln(writer, `{"id": "late", "name": "P"}`)
			_ = writer.Close()
		}()
		e := <-ended
		s.wantFault(e.run, e.err, "invalid_exchange_token")
		if e.run.Created != batchItems {
			s.Errorf("%d items were applied, want the %d before the revocation", e.run.Created, batchItems)
		}
	})
}
