package event_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// eventRows returns the store's events, each as "sequence type payload time".
func eventRows(f *storetest.Fixture) (list []string) {
	f.Helper()
	f.Read(func(tx store.Tx) error {
		list = nil
		const sql = "SELECT sequence, type, payload, created_at FROM events WHERE store_id = $1 ORDER BY sequence"
		return database.QueryEach(f.Context(), tx.Unscoped(), sql, []any{tx.StoreID()}, func(rows database.Rows) error {
			var sequence, created int64
			var eventType string
			var payload []byte
			err := rows.Scan(&sequence, &eventType, &payload, &created)
			list = append(list, fmt.Sprintf("%d %s %s %s", sequence, eventType, payload,
				time.UnixMicro(created).UTC().Format(time.RFC3339Nano)))
			return err
		})
	})
	return list
}

// An event is stored if and only if its transaction commits, and sequences have no gaps under concurrent emits.
func TestEmit_numbersCommittedEventsWithoutGaps(t *testing.T) {
	storetest.Each(t, func(f *storetest.Fixture) {
		s := event.New(event.Deps{Now: f.Clock.Now})
		other := f.WithStore(f.NewStore(store.Edit{}))
		emit := func(f *storetest.Fixture, payload string, end error) error {
			return f.TryWrite(func(tx store.Tx) error {
				if err := s.Emit(f.Context(), tx, event.OrderSubmitted, []byte(payload)); err != nil {
					return err
				}
				return end
			})
		}

		errRollback := errors.New("rollback")
		if err := emit(f, `{}`, errRollback); !errors.Is(err, errRollback) {
			f.Fatal(err)
		}
		if err := emit(f, `{"n": 1.0}`, nil); err != nil {
			f.Fatal(err)
		}
		if err := emit(other, `{}`, nil); err != nil {
			f.Fatal(err)
		}

		const at = "2026-11-14T12:00:05.987654Z"
		for in, want := range map[*storetest.Fixture]string{f: `{"n": 1.0}`, other: `{}`} {
			if got := eventRows(in); len(got) != 1 || got[0] != "1 order.submitted "+want+" "+at {
				f.Errorf("events are %q, want %s", got, want)
			}
		}

		var wait sync.WaitGroup
		const emitters = 8
		failed := make([]error, emitters)
		for i := range emitters {
			wait.Go(func() {
				for n := range 5 {
					end := errRollback
					if n%2 == 0 {
						end = nil
					}
					if err := emit(f, `{}`, end); !errors.Is(err, end) {
						failed[i] = err
					}
				}
			})
		}

		wait.Wait()
		if err := errors.Join(failed...); err != nil {
			f.Fatal(err)
		}

		var want []string
		for i := range emitters * 3 {
			want = append(want, fmt.Sprintf("%d order.submitted {} %s", i+2, at))
		}

		if got := eventRows(f)[1:]; !slices.Equal(got, want) {
			f.Errorf("events are %q", got)
		}
	})
}
