package exchange

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"vitrine/internal/shop/store"
)

// wrongItems returns items without a name, each with a text of so many bytes.
func wrongItems(n, size int) string {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"id": "p%d", "description": "%s"}`, i, strings.Repeat("x", size)))
	}
	return payload(items...)
}

// kept returns what is counted of the store, and what its failed items and changes take.
func (s *fixture) kept() (counted, stored int64) {
	s.Helper()
	counted = s.queryInt("SELECT COALESCE(SUM(bytes), 0) FROM exchange_kept WHERE store_id = $1", s.Store.ID)
	stored = s.queryInt("SELECT COALESCE(SUM(LENGTH(sent)), 0) FROM exchange_rejects WHERE store_id = $1", s.Store.ID) +
		s.queryInt("SELECT COALESCE(SUM(LENGTH(changes)), 0) FROM exchange_changes WHERE store_id = $1", s.Store.ID)
	if ofRuns := s.queryInt("SELECT COALESCE(SUM(kept_bytes), 0) FROM exchange_runs WHERE store_id = $1",
		s.Store.ID); ofRuns != counted {
		s.Errorf("%d bytes are counted of the store, %d of its runs", counted, ofRuns)
	}
	return counted, stored
}

// Failed items were stored as they were sent: 1.3 MB of compressed items took 281 MB for 30 days.
func TestS_M5_failedItemsAreStoredPacked(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run := s.push(Products, wrongItems(10, 1<<20))
		if counted, stored := s.kept(); stored > 100<<10 || counted < stored || counted > stored+10*rejectRowBytes {
			s.Errorf("10 MiB take %d bytes, %d are counted", stored, counted)
		}

		for i, sent := range s.rejects(run) {
			if want := fmt.Sprintf(`{"id": "p%d", "description": "`, i); !strings.HasPrefix(sent, want) ||
				len(sent) < 1<<20 {
				s.Errorf("item %d has %d bytes and begins with %.40q", i, len(sent), sent)
			}
		}

		if n := len(s.rejects(run)); n != 10 {
			s.Errorf("%d failed items can be read, want 10", n)
		}

		// Those of earlier versions are not packed.
		s.Write(func(tx store.Tx) error {
			_, err := tx.Unscoped().Exec(s.Context(),
				"INSERT INTO exchange_rejects (store_id, run_key, item, sent) VALUES ($1, $2, 99, $3)",
				s.Store.ID, run.Key, []byte(`{"id": "old"}`))
			return err
		})
		if list := s.rejects(run); list[len(list)-1] != `{"id": "old"}` {
			s.Errorf("an item of an earlier version is %q", list[len(list)-1])
		}
	})
}

func TestS_M5_failedItemsOfAStoreHaveALimit(t *testing.T) {
	for name, options := range map[string][]paramOption{"small": nil, "dry run": {dryRun}, "atomic": {atomic}} {
		t.Run(name, func(t *testing.T) {
			eachEngine(t, func(s *fixture) {
				s.limitSpool(8 * 4000) // of which 4,000 bytes are for this
				run, _ := s.tryPush(Products, wrongItems(100, 10), options...)
				if run.Failed != 100 || run.Errors < 100 {
					s.Errorf("%d items failed with %d errors", run.Failed, run.Errors)
				}

				counted, stored := s.kept()
				if n := len(s.rejects(run)); counted > 4000 || stored == 0 || n == 0 || n >= 100 {
					s.Errorf("%d bytes are counted, %d failed items are kept", counted, n)
				}

				// A push of several transactions, as on a busy machine, warns in each of them.
				notes := s.notesText(run)
				first := fmt.Sprintf("; %d - :rejects_not_kept", len(s.rejects(run)))
				if n := strings.Count(notes, ":rejects_not_kept"); n == 0 || run.Warnings != int64(n) ||
					n == 1 && !strings.HasSuffix(notes, first) {
					s.Errorf("%d warnings, the notes are %q, want %s", run.Warnings, notes, first)
				}

				// Other stores are not affected.
				s.createStore()
				if run, _ := s.tryPush(Products, wrongItems(2, 10), options...); len(s.rejects(run)) != 2 {
					s.Errorf("another store keeps %d failed items, want 2", len(s.rejects(run)))
				}
			})
		})
	}
}

func TestS_M5_changesOfDryRunsHaveALimit(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.limitSpool(8 * 4000)
		var items []string
		for i := range 100 {
			items = append(items, fmt.Sprintf(`{"id": "p%d", "name": "Product %d"}`, i, i))
		}

		run := s.push(Products, payload(items...), dryRun)
		changes := s.Count("exchange_changes WHERE store_id = $1 AND run_key = $2", s.Store.ID, run.Key)
		if counted, _ := s.kept(); counted > 4000 || changes == 0 || changes >= 100 || run.Created != 100 {
			s.Errorf("%d bytes are counted, the changes of %d items are kept, %d are counted as created", counted,
				changes, run.Created)
		}

		if want := fmt.Sprintf("%d - :changes_not_kept", changes); s.notesText(run) != want {
			s.Errorf("the notes are %q, want %s", s.notesText(run), want)
		}
	})
}

func TestS_M5_whatIsDeletedWithItsRunIsNotCounted(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, wrongItems(100, 1000))
		s.Clock.Advance(30 * time.Minute)
		kept := s.push(Stocks, payload(`{"id": 1}`))
		s.Clock.Advance(45 * time.Minute)
		if err := s.Runs.prune(s.Context()); err != nil {
			s.Fatal(err)
		}
		counted, _ := s.kept()
		if want := s.queryInt("SELECT kept_bytes FROM exchange_runs WHERE key = $1", kept.Key); counted != want ||
			want == 0 {
			s.Errorf("%d bytes are counted, want %d", counted, want)
		}
	})
}

// Two nodes that deleted the same runs at the same time both took them off what is counted.
func TestDeleteRuns_ofTwoNodesAreCountedOnce(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		old := s.push(Products, wrongItems(20, 100))
		s.push(Products, wrongItems(20, 100))
		refs := []RunRef{{s.Store.ID, old.Key}}
		began, ended := make(chan struct{}), make(chan error)

		another := func() {
			once := false
			ended <- s.write(s.Context(), func(q querier) error {
				if !once {
					once = true
					close(began)
				}
				return deleteRuns(s.Context(), q, refs)
			})
		}

		first := true

		err := s.write(s.Context(), func(q querier) error {
			if err := deleteRuns(s.Context(), q, refs); err != nil || !first {
				return err
			}

			first = false
			go another()

			select {
			case <-began: // it waits for this transaction
				time.Sleep(100 * time.Millisecond)
			case <-time.After(200 * time.Millisecond): // SQLite has one writer
			}

			return nil
		})
		if err != nil {
			s.Error(err)
		}

		if err := <-ended; err != nil {
			s.Error(err)
		}
		if counted, _ := s.kept(); counted == 0 { // kept compares it with the runs that are left
			s.Error("nothing is counted of the other run")
		}
	})
}
