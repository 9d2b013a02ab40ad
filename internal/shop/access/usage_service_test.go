package access

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

// runUntilStopped calls Run with an ended context: it does its final flush only.
func (f *fixture) runUntilStopped() {
	f.t.Helper()
	ctx, stop := context.WithCancel(f.t.Context())
	stop()
	if err := f.Run(ctx); err != nil {
		f.t.Error(err)
	}
}

func TestRun_writesLastUseAtEndAndAtMostOncePerMinute(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		_, token := f.newKey(NewKey{Kind: SecretKey, Name: "Used"})
		f.newKey(NewKey{Kind: SecretKey, Name: "Unused"})
		start := f.clock.Now().Truncate(time.Microsecond)
		for _, step := range []struct{ pass, want time.Duration }{
			{0, 0}, {59 * time.Second, 0}, {time.Second, time.Minute}, {time.Hour, time.Hour + time.Minute},
		} {
			f.clock.advance(step.pass)
			for range 3 {
				if _, err := f.Authenticate(t.Context(), token); err != nil {
					t.Fatal(err)
				}
			}
			f.runUntilStopped()
			keys := f.keys()
			if got := keys[0].LastUsedAt; got == nil || got.Sub(start) != step.want {
				t.Errorf("last used %v, want %v after the start", got, step.want)
			}
			if keys[1].LastUsedAt != nil {
				t.Error("the unused key has a time of last use")
			}
		}
	})
}

func TestFlush_keepsNewerTimeOfAnotherNode(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		key, _ := f.newKey(NewKey{Kind: SecretKey, Name: "Key"})
		for _, after := range []time.Duration{time.Hour, time.Hour - time.Second, time.Hour + 59*time.Second} {
			f.usedKeys.record(key.ID, key.CreatedAt.Add(after), nil)
			if err := f.flush(t.Context()); err != nil {
				f.t.Fatal(err)
			}
			if got := f.keys()[0].LastUsedAt.Sub(key.CreatedAt); got != time.Hour {
				t.Errorf("last used after %v, want 1h", got)
			}
		}
	})
}

func TestFlush_writesMultipleBatches(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		const n = 450 // more than one statement takes on SQLite
		f.mustWrite(func(q database.Querier) error {
			for range n {
				if _, _, err := f.CreateKey(t.Context(), store.In(q, f.store.ID),
					NewKey{Kind: SecretKey, Name: "Key"}); err != nil {
					return err
				}
			}
			return nil
		})
		for i, key := range f.keys() {
			f.usedKeys.record(key.ID, f.clock.Now().Add(time.Duration(i)*time.Second), nil)
		}
		if err := f.flush(t.Context()); err != nil {
			f.t.Fatal(err)
		}
		start := f.clock.Now().Truncate(time.Microsecond)
		for i, key := range f.keys() {
			if key.LastUsedAt == nil || key.LastUsedAt.Sub(start) != time.Duration(i)*time.Second {
				t.Fatalf("key %d was last used at %v", i, key.LastUsedAt)
			}
		}
	})
}

func TestRun_deletesExpiredSessions(t *testing.T) {
	eachEngine(t, func(t *testing.T, f *fixture) {
		f.newOperator("anna@shop.example", "password")
		f.mustSignIn("anna@shop.example", "password")
		f.clock.advance(12 * time.Hour)
		live := f.mustSignIn("anna@shop.example", "password")

		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- f.Run(ctx) }()
		for deadline := time.Now().Add(10 * time.Second); f.sessionCount() > 1 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond) // there is no event to wait for: poll the table
		}
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if n := f.sessionCount(); n != 1 {
			t.Errorf("%d sessions left, want 1", n)
		}
		if _, err := f.Session(t.Context(), live); err != nil {
			t.Error(err)
		}
	})
}

func (f *fixture) sessionCount() (n int64) {
	f.t.Helper()
	err := f.db.Read(f.t.Context(), func(q database.Querier) error {
		return database.QueryRow(f.t.Context(), q, "SELECT COUNT(*) FROM operator_sessions", nil, &n)
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return n
}

func TestFlush_keepsTheUsesOfAFailedWrite(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			db, err := database.Open(t.Context(), database.Config{URL: databasetest.NewMigratedURL(t, engine)})
			if err != nil {
				t.Fatal(err)
			}
			f := newFixture(t, db, slog.New(slog.DiscardHandler))
			_, token := f.newKey(NewKey{Kind: SecretKey, Name: "Key"})
			p, err := f.Authenticate(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if err := f.flush(t.Context()); err == nil {
				t.Error("flush succeeded on a closed database")
			}
			if _, kept := f.usedKeys.drain()[p.CredentialID]; !kept {
				t.Error("the failed write lost the use")
			}
		})
	}
}
