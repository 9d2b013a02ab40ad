package access

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// runUntilStopped calls run with an ended context, so that it makes only its final flush.
func (f *fixture) runUntilStopped(run func(context.Context) error) {
	f.Helper()
	ctx, stop := context.WithCancel(f.Context())
	stop()
	if err := run(ctx); err != nil {
		f.Error(err)
	}
}

func TestRun_writesLastUseAtEndAndAtMostOncePerMinute(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		_, token := f.newKey(NewKey{Kind: SecretKey, Name: "Used"})
		f.newKey(NewKey{Kind: SecretKey, Name: "Unused"})
		start := f.Clock.Now().Truncate(time.Microsecond)
		for _, step := range []struct{ pass, want time.Duration }{
			{0, 0}, {59 * time.Second, 0}, {time.Second, time.Minute}, {time.Hour, time.Hour + time.Minute},
		} {
			f.Clock.Advance(step.pass)

			for range 3 {
				if _, err := f.Authenticate(f.Context(), token); err != nil {
					f.Fatal(err)
				}
			}

			f.runUntilStopped(f.Service.Run)
			keys := f.keys()
			if got := keys[0].LastUsedAt; got == nil || got.Sub(start) != step.want {
				f.Errorf("last used %v, want %v after the start", got, step.want)
			}
			if keys[1].LastUsedAt != nil {
				f.Error("the unused key has a time of last use")
			}
		}
	})
}

func TestFlush_keepsNewerTimeOfAnotherNode(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		key, _ := f.newKey(NewKey{Kind: SecretKey, Name: "Key"})
		for _, after := range []time.Duration{time.Hour, time.Hour - time.Second, time.Hour + 59*time.Second} {
			f.usedKeys.Record(key.ID, key.CreatedAt.Add(after), nil)
			if err := f.usedKeys.flush(f.Context()); err != nil {
				f.Fatal(err)
			}
			if got := f.keys()[0].LastUsedAt.Sub(key.CreatedAt); got != time.Hour {
				f.Errorf("last used after %v, want 1h", got)
			}
		}
	})
}

func TestFlush_writesMultipleBatches(t *testing.T) {
	eachEngine(t, func(f *fixture) {
		const n = 450 // more rows than one statement updates on SQLite

		f.Write(func(tx store.Tx) error {
			for range n {
				if _, _, err := f.CreateKey(f.Context(), tx,
					NewKey{Kind: SecretKey, Name: "Key"}); err != nil {
					return err
				}
			}
			return nil
		})
		for i, key := range f.keys() {
			f.usedKeys.Record(key.ID, f.Clock.Now().Add(time.Duration(i)*time.Second), nil)
		}

		if err := f.usedKeys.flush(f.Context()); err != nil {
			f.Fatal(err)
		}

		start := f.Clock.Now().Truncate(time.Microsecond)
		for i, key := range f.keys() {
			if key.LastUsedAt == nil || key.LastUsedAt.Sub(start) != time.Duration(i)*time.Second {
				f.Fatalf("key %d was last used at %v", i, key.LastUsedAt)
			}
		}
	})
}

func TestFlush_keepsTheUsesOfAFailedWrite(t *testing.T) {
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			db, err := database.Open(t.Context(), database.Config{URL: databasetest.NewMigratedURL(t, engine)})
			if err != nil {
				t.Fatal(err)
			}

			f := newFixture(storetest.New(t, db), slog.New(slog.DiscardHandler))
			_, token := f.newKey(NewKey{Kind: SecretKey, Name: "Key"})
			p, err := f.Authenticate(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}

			if err := f.usedKeys.flush(t.Context()); err == nil {
				t.Error("flush succeeded on a closed database")
			}
			if _, kept := f.usedKeys.drain()[p.CredentialID]; !kept {
				t.Error("the failed write lost the use")
			}
		})
	}
}
