package storetest

import (
	"errors"
	"testing"
	"time"

	"vitrine/internal/shop/store"
)

func TestEach_scopesTransactionsToTheStore(t *testing.T) {
	Each(t, func(f *Fixture) {
		other := f.WithStore(f.NewStore(store.Edit{Name: new("North Shop")}))
		f.Write(func(tx store.Tx) error {
			_, err := tx.Exec(f.Context(), "UPDATE stores SET name = 'East Shop' WHERE id = $1")
			return err
		})
		failure := errors.New("rolled back")
		err := other.TryWrite(func(tx store.Tx) error {
			if _, err := tx.Exec(f.Context(), "UPDATE stores SET name = 'West Shop' WHERE id = $1"); err != nil {
				return err
			}
			return failure
		})
		if !errors.Is(err, failure) {
			f.Errorf("TryWrite returned %v, want %v", err, failure)
		}

		if got := f.Texts("SELECT name FROM stores ORDER BY name"); len(got) != 2 || got[0] != "East Shop" ||
			got[1] != "North Shop" {
			f.Errorf("the stores are %q, want East Shop and North Shop", got)
		}

		if n := f.Count("stores WHERE name = $1", "East Shop"); n != 1 {
			f.Errorf("%d stores are called East Shop, want 1", n)
		}
	})
}

func TestClock_movesByTheTestOnly(t *testing.T) {
	c := NewClock(StartTime)
	c.Advance(time.Hour)
	if got, want := c.Now(), StartTime.Add(time.Hour); !got.Equal(want) {
		t.Errorf("the clock shows %s after an hour, want %s", got, want)
	}
	c.FollowRealTime()
	before := time.Now()
	c.Advance(time.Hour)
	if got := c.Now().Add(-time.Hour); got.Before(before) || got.After(time.Now()) {
		t.Errorf("the clock is not an hour ahead of the real time: %s", got)
	}
	c.Set(StartTime)
	if got := c.Now(); !got.Equal(StartTime) {
		t.Errorf("the clock shows %s, want %s", got, StartTime)
	}
}
