package exchange

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// Each run emits one event, no matter how and how often it was ended. A dry run emits none.
func TestEndRun_emitsOneEventPerRun(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		var want []string
		wantEvent := func(run Run, how string) { want = append(want, run.ID.String()+" "+how) }

		wantEvent(s.push(Stocks, payload(`{"id": 1, "name": "Main"}`)), "completed")
		broken, _ := s.tryPush(Stocks, `{"payload": [`)
		wantEvent(broken, "failed malformed_json")
		rejected, _ := s.tryPush(Stocks, payload(`{"id": 2, "name": "Shop"}`, `{"id": 3}`), atomic)
		wantEvent(rejected, "failed push_rejected")
		s.push(Stocks, payload(`{"id": 2, "name": "Shop"}`), atomic, dryRun)
		s.push(Stocks, payload(`{"id": 2, "name": "Shop"}`), dryRun)
		wantEvent(s.push(Stocks, payload(`{"id": 2, "name": "Shop"}`), atomic), "completed")
		wantEvent(s.pushInBackground(Stocks, payload(`{"id": 3, "name": "Cellar"}`)), "completed")

		exhausted := s.insertRun(func(r *Run) {
			r.Status = Running
			r.FinishedAt = nil
			r.Background = true
		})
		s.WriteUnscoped(func(q querier) error {
			task := &spoolTask{Payload: RunRef{s.Store.ID, exhausted.Key}}
			return s.Pushes.failJob(s.Context(), q, task, errors.New("permanent failure"))
		})
		wantEvent(exhausted, "failed internal")

		stale := s.insertRun(func(r *Run) {
			r.Status, r.FinishedAt, r.CreatedAt = Running, nil, r.CreatedAt.Add(-2*heartbeatTimeout)
		})

		for range 2 {
			if err := s.Runs.endInterrupted(s.Context()); err != nil {
				s.Fatal(err)
			}
		}

		wantEvent(stale, "failed interrupted")

		// The node that applies this push had not stopped; it was only slow. Now it finishes the run.
		if err := s.Pushes.newPushRun(s.Store.ID, &stale).finish(s.Context(), nil); err != nil {
			s.Fatal(err)
		}
		if got := s.find(stale).Status; got != Completed {
			s.Errorf("a run that its slow node finished is %s, want completed", got)
		}

		if got := s.completedEvents(); !slices.Equal(got, want) {
			s.Errorf("events:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// pushInBackground spools a push and runs the queue until it is applied.
func (s *fixture) pushInBackground(entity, body string) Run {
	s.Helper()
	run, err := s.Pushes.Spool(s.Context(), s.Store.ID, s.params(entity), strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	stop := s.Start(s.Queue.Run)
	s.Eventually("the run is finished", func() bool { return s.find(run).FinishedAt != nil })
	stop()
	return run
}

// completedEvents returns the events of the store, each as the id, the status and the problem code of its run.
func (s *fixture) completedEvents() (list []string) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list = nil
		sql := "SELECT type, payload FROM events WHERE store_id = $1 ORDER BY sequence"
		return database.QueryEach(s.Context(), tx.Unscoped(), sql, []any{s.Store.ID}, func(rows database.Rows) error {
			var eventType string
			var payload []byte
			if err := rows.Scan(&eventType, &payload); err != nil {
				return err
			}

			var run struct {
				ID, Status string
				Problem    *struct{ Code string }
				Finished   *struct{ Timestamp int64 } `json:"finished_at"`
			}
			if err := json.Unmarshal(payload, &run); err != nil {
				return err
			}

			if eventType != event.ExchangeCompleted || run.Finished == nil ||
				time.Since(time.Unix(run.Finished.Timestamp, 0)) > time.Hour {
				s.Errorf("unexpected event %s %s", eventType, payload)
			}

			words := []string{run.ID, run.Status}
			if run.Problem != nil {
				words = append(words, run.Problem.Code)
			}

			list = append(list, strings.Join(words, " "))
			return nil
		})
	})

	return list
}
