package change

import (
	"errors"
	"path/filepath"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// What a transaction records is told after its commit, even if the same was recorded before, and not told yet.
func TestCollect_leavesWhatAnotherTransactionRecordsAgain(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		if s.DB.Engine() == database.SQLite {
			return // a single writer
		}
		material, values := s.CreateFeature("Material", true, "Wood")
		table := s.CreateProduct("Table", 10, catalog.ProductEdit{Features: &[]catalog.ValueRef{values[0]}})
		s.since(0)

		rename := func(tx store.Tx, name string) error {
			_, err := s.Attributes.Edit(s.Context(), tx, catalog.Feature, material.ID, catalog.AttributeEdit{
				Values: catalog.ListOf(catalog.ValueEdit{ID: values[0].Value, Name: name})}, nil)
			return err
		}
		s.Write(func(tx store.Tx) error { return rename(tx, "Oak") })

		// told is the version that readers know while the transaction is open.
		whileOpen := func(fn func(tx store.Tx) error) (told int64) {
			_ = s.TryWrite(func(tx store.Tx) error {
				if err := rename(tx, "Ash"); err != nil {
					return err
				}
				if err := s.newNode().Refresh(s.Context(), s.Store.ID); err != nil {
					s.Fatal(err)
				}
				s.Read(func(tx store.Tx) error {
					st, err := readState(s.Context(), tx)
					told = st.version
					return err
				})
				return fn(tx)
			})
			return told
		}
		told := whileOpen(func(store.Tx) error { return nil })
		version := s.wantChanges("a name after the commit", told, false, []catalog.ProductID{table.ID})

		s.Write(func(tx store.Tx) error { return rename(tx, "Oak") })
		whileOpen(func(store.Tx) error { return errors.New("roll back") })
		s.wantChanges("a name that was committed before a rollback", version, false, []catalog.ProductID{table.ID})
	})
}

// The worker asks for what changed since it last asked. What is found before a failure is found again.
func TestRun_findsStoresAgainAfterAFailure(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.listen("*")
		s.run(s.worker)
		s.CreateProduct("Lamp", 10, catalog.ProductEdit{})

		withoutTables, err := database.Open(s.Context(), database.Config{URL: filepath.Join(t.TempDir(), "empty.db")})
		if err != nil {
			t.Fatal(err)
		}
		defer withoutTables.Close()
		intact := s.worker.Service.Webhooks
		s.worker.Service.Webhooks = webhook.New(webhook.Deps{DB: withoutTables, Now: s.Clock.Now})
		if err := s.worker.run(s.Context()); err == nil {
			t.Fatal("the worker read receivers from a database without tables")
		}

		s.worker.Service.Webhooks = intact
		s.run(s.worker)
		if got := s.events(); len(got) != 1 {
			t.Errorf("after a failure the events are %+v, want one", got)
		}
	})
}
