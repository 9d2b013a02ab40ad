package exchange

import (
	"testing"
	"time"
	"vitrine/internal/shop/store"
)

func TestPrune_deletesOldRunsWithDependentRows(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(`{"id": 1, "name": "p"}`))
		product := s.queryInt("SELECT key FROM products WHERE store_id = $1", s.Store.ID)
		s.Retention = 30 * 24 * time.Hour

		insertAged := func(by time.Duration, over bool, count int64) Run {
			run := s.insertRun(func(r *Run) {
				r.CreatedAt = r.CreatedAt.Add(-by)
				if !over {
					r.Status = Running
					r.FinishedAt = nil
				}
			})
			var notes []RunNote
			for i := range count {
				notes = append(notes, RunNote{Number: i, Code: "x"})
			}

			s.Write(func(tx store.Tx) error {
				if err := insertRunNotes(s.Context(), tx, run.Key, Error, notes); err != nil {
					return err
				}

				if err := insertRunRejects(s.Context(), tx, run.Key,
					[]reject{{index: 1, sent: []byte("x")}}); err != nil {
					return err
				}

				if err := insertBodyChunk(s.Context(), tx, run.Key, 1, []byte("x")); err != nil {
					return err
				}

				return insertArchivedProducts(s.Context(), tx, run.Key, []int64{product}, s.now())
			})

			return run
		}

		old := insertAged(s.Retention+time.Minute, true, 2*pruneRowLimit+1)
		unfinished := insertAged(s.Retention+time.Minute, false, 3)
		young := insertAged(s.Retention-time.Minute, true, 3)

		if err := s.Runs.prune(s.Context()); err != nil {
			s.Fatal(err)
		}

		for _, c := range []struct {
			run  Run
			rows int64
		}{{old, 0}, {unfinished, 1}, {young, 1}} {
			if n := s.queryInt("SELECT COUNT(*) FROM exchange_runs WHERE key = $1", c.run.Key); n != c.rows {
				s.Errorf("%d rows of exchange_runs are left, want %d", n, c.rows)
			}

			for table, rows := range map[string]int64{"exchange_notes": 3, "exchange_rejects": 1, "exchange_pieces": 1,
				"exchange_archived": 1} {
				if n := s.queryInt("SELECT COUNT(*) FROM "+table+" WHERE run_key = $1", c.run.Key); n != rows*c.rows {
					s.Errorf("%d rows of %s are left, want %d", n, table, rows*c.rows)
				}
			}
		}

		s.Retention = 0 // keeps all runs

		if err := s.Runs.prune(s.Context()); err != nil ||
			s.queryInt("SELECT COUNT(*) FROM exchange_runs WHERE key = $1", young.Key) != 1 {
			s.Errorf("a retention of 0 deleted a run: %v", err)
		}
	})
}

func TestEndInterrupted_failsRunsOfStoppedNodes(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		running := func(silent time.Duration, change func(*Run)) Run {
			return s.insertRun(func(r *Run) {
				r.Status, r.FinishedAt, r.CreatedAt = Running, nil, r.CreatedAt.Add(-silent)
				if change != nil {
					change(r)
				}
			})
		}
		gone := running(heartbeatTimeout+time.Second, nil)
		recent := running(heartbeatTimeout-5*time.Second, nil)
		spooling := running(2*heartbeatTimeout, func(r *Run) {
			r.Status = Queued
			r.StartedAt = nil
		})
		background := running(2*heartbeatTimeout, func(r *Run) { r.Background = true })
		mine := running(2*heartbeatTimeout, nil)
		renewed := running(2*heartbeatTimeout, nil)
		s.Write(func(tx store.Tx) error {
			return insertBodyChunk(s.Context(), tx, spooling.Key, 1, []byte("x"))
		})
		remove := s.Runs.running.add(s.Store.ID, renewed.Key)

		if err := s.Runs.writeHeartbeats(s.Context()); err != nil {
			s.Fatal(err)
		}

		remove()
		defer s.Runs.running.add(s.Store.ID, mine.Key)()

		if err := s.Runs.endInterrupted(s.Context()); err != nil {
			s.Fatal(err)
		}

		for name, c := range map[string]struct {
			run   Run
			ended bool
		}{
			"gone": {gone, true}, "recent": {recent, false}, "half spooled": {spooling, true},
			"in the background": {background, false}, "mine": {mine, false}, "renewed": {renewed, false},
		} {
			got := s.find(c.run)
			if ended := got.Status == Failed && got.FinishedAt != nil && got.Problem != nil &&
				got.Problem.Code == "interrupted"; ended != c.ended || (!ended && got.Status != c.run.Status) {
				s.Errorf("%s: the run is %s, %v", name, got.Status, got.Problem)
			}
		}

		if s.queryInt("SELECT COUNT(*) FROM exchange_pieces WHERE run_key = $1", spooling.Key) != 0 {
			s.Error("the spooled body of the interrupted run was not deleted")
		}
	})
}
