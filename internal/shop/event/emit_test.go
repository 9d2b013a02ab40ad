package event_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

var noon = time.Date(2026, 11, 14, 12, 0, 5, 123456789, time.UTC)

// eventRows returns the store's events, each as "sequence type payload time".
func eventRows(t *testing.T, db *database.DB, storeID store.ID) (list []string) {
	t.Helper()
	err := db.Read(t.Context(), func(q database.Querier) error {
		list = nil
		const sql = "SELECT sequence, type, payload, created_at FROM events WHERE store_id = $1 ORDER BY sequence"
		return database.QueryEach(t.Context(), q, sql, []any{storeID}, func(rows database.Rows) error {
			var sequence, created int64
			var eventType string
			var payload []byte
			err := rows.Scan(&sequence, &eventType, &payload, &created)
			list = append(list, fmt.Sprintf("%d %s %s %s", sequence, eventType, payload,
				time.UnixMicro(created).UTC().Format(time.RFC3339Nano)))
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func newStore(t *testing.T, db *database.DB) (one store.Store) {
	t.Helper()
	stores := store.New(store.Deps{DB: db, Now: time.Now})
	err := db.Write(t.Context(), func(q database.Querier) (err error) {
		one, err = stores.Create(t.Context(), q, store.Edit{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// An event commits with its transaction or not at all, and sequences have no gaps under concurrent emits.
func TestEmit_numbersCommittedEventsWithoutGaps(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := event.New(event.Deps{Now: func() time.Time { return noon }})
		storeID, other := newStore(t, db).ID, newStore(t, db).ID
		emit := func(ctx context.Context, storeID store.ID, payload string, end error) error {
			return db.Write(ctx, func(q database.Querier) error {
				if err := s.Emit(ctx, store.In(q, storeID), event.OrderSubmitted, []byte(payload)); err != nil {
					return err
				}
				return end
			})
		}
		errRollback := errors.New("rollback")
		if err := emit(t.Context(), storeID, `{}`, errRollback); !errors.Is(err, errRollback) {
			t.Fatal(err)
		}
		if err := emit(t.Context(), storeID, `{"n": 1.0}`, nil); err != nil {
			t.Fatal(err)
		}
		if err := emit(t.Context(), other, `{}`, nil); err != nil {
			t.Fatal(err)
		}
		for storeID, want := range map[store.ID]string{storeID: `1 order.submitted {"n": 1.0} 2026-11-14T12:00:05.123456Z`, other: `1 order.submitted {} 2026-11-14T12:00:05.123456Z`} {
			if got := eventRows(t, db, storeID); len(got) != 1 || got[0] != want {
				t.Errorf("events are %q, want %q", got, want)
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
					if err := emit(t.Context(), storeID, `{}`, end); !errors.Is(err, end) {
						failed[i] = err
					}
				}
			})
		}
		wait.Wait()
		if err := errors.Join(failed...); err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := range emitters * 3 {
			want = append(want, fmt.Sprintf(`%d order.submitted {} 2026-11-14T12:00:05.123456Z`, i+2))
		}
		if got := eventRows(t, db, storeID)[1:]; !slices.Equal(got, want) {
			t.Errorf("events are %q", got)
		}
	})
}
