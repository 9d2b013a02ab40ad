package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

var noon = time.Date(2026, 11, 14, 12, 0, 5, 123456789, time.UTC)

// newServiceAtNoon returns a service whose clock stands still.
func newServiceAtNoon(db *database.DB) *store.Service {
	return store.New(store.Deps{DB: db, Now: func() time.Time { return noon }})
}

func TestCreate_appliesDefaults(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newServiceAtNoon(db)
		plain := create(t, db, s, store.Edit{})
		if plain.Name != "My shop" || plain.Timezone != "UTC" || plain.Locale != "en" || plain.Currency != "USD" ||
			plain.SiteURL != "" ||
			plain.CORSOrigins == nil || len(plain.CORSOrigins) != 0 || plain.Version != 1 {
			t.Errorf("defaults: %+v", plain)
		}

		full := create(t, db, s, store.Edit{
			Name: new("Лавка"), Timezone: new("Asia/Almaty"), Locale: new("kk"), Currency: new("KZT"),
			SiteURL: new("https://shop.example"), CORSOrigins: &[]string{"https://shop.example", "*"},
		})
		for _, want := range []store.Store{plain, full} {
			got, err := s.Find(t.Context(), want.ID)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, want, got)
		}

		if zone, language := full.Zone().String(), full.Language().String(); zone != "Asia/Almaty" || language != "kk" {
			t.Errorf("zone %s, language %s", zone, language)
		}

		list, err := s.List(t.Context())
		if err != nil || len(list) != 2 || list[0].ID != plain.ID || list[1].ID != full.ID {
			t.Errorf("List: %v, %v", list, err)
		}
		if n, err := s.Count(t.Context()); n != 2 || err != nil {
			t.Errorf("Count = %d, %v", n, err)
		}
	})
}

func TestCreate_insertsNothingIfInvalid(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newServiceAtNoon(db)
		err := db.Write(t.Context(), func(q database.Querier) error {
			_, err := s.Create(t.Context(), q, store.Edit{Currency: new("ZZZ")})
			return err
		})
		if fault.KindOf(err) != fault.Invalid {
			t.Errorf("got %v, want Invalid", err)
		}
		if n, err := s.Count(t.Context()); n != 0 || err != nil {
			t.Errorf("Count = %d, %v", n, err)
		}
	})
}

func TestUpdate_changesGivenFieldsAndIncrementsVersion(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newServiceAtNoon(db)
		before := create(t, db, s, store.Edit{SiteURL: new("https://shop.example"), CORSOrigins: &[]string{"*"}})
		for range 2 { // UpdatedAt must grow although the clock stands still
			after, err := update(t, db, s, before.ID, store.Edit{Timezone: new("Europe/Berlin"),
				CORSOrigins: &[]string{}}, &before.Version)
			if err != nil {
				t.Fatal(err)
			}

			if after.Version != before.Version+1 || !after.UpdatedAt.After(before.UpdatedAt) ||
				after.Zone().String() != "Europe/Berlin" {
				t.Errorf("after: %+v", after)
			}

			want := before
			want.Timezone = "Europe/Berlin"
			want.CORSOrigins = []string{}
			want.Version = after.Version
			want.UpdatedAt = after.UpdatedAt
			wantSame(t, want, after)

			got, err := s.Find(t.Context(), before.ID)
			if err != nil {
				t.Fatal(err)
			}

			wantSame(t, want, got)
			before = after
		}
	})
}

func TestUpdate_rejectsStaleVersionAndInvalidField(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newServiceAtNoon(db)
		before := create(t, db, s, store.Edit{})
		_, err := update(t, db, s, before.ID, store.Edit{Name: new("Other")}, new(before.Version+1))

		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Stale || f.Code != "precondition_failed" {
			t.Errorf("stale: %v", err)
		}

		if _, err := update(t, db, s, before.ID, store.Edit{Name: new("Other"), Locale: new("tlh")},
			nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("broken rule: %v", err)
		}

		after, err := s.Find(t.Context(), before.ID)
		if err != nil {
			t.Fatal(err)
		}

		wantSame(t, before, after)
	})
}

func TestUpdate_appliesConcurrentUpdates(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newServiceAtNoon(db)
		one := create(t, db, s, store.Edit{})
		const writers = 10
		var wait sync.WaitGroup
		stale := make([]bool, writers)
		for i := range writers {
			wait.Go(func() {
				_, err := update(t, db, s, one.ID, store.Edit{Name: new("n")}, &one.Version)
				stale[i] = fault.KindOf(err) == fault.Stale
				if err != nil && !stale[i] {
					t.Error(err)
				}
				if _, err := update(t, db, s, one.ID, store.Edit{Name: new("m")}, nil); err != nil {
					t.Error(err)
				}
			})
		}

		wait.Wait()
		won := slices.DeleteFunc(stale, func(s bool) bool { return s })
		after, err := s.Find(t.Context(), one.ID)
		if err != nil || len(won) > 1 || after.Version != one.Version+int64(writers+len(won)) {
			t.Errorf("%d conditional updates succeeded, the version is %d, %v", len(won), after.Version, err)
		}
	})
}

func TestStore_returnsNotFound(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		s := newServiceAtNoon(db)
		if _, err := s.Find(t.Context(), id.New[store.Store]()); fault.KindOf(err) != fault.NotFound {
			t.Errorf("One: %v", err)
		}
		if _, err := update(t, db, s, id.New[store.Store](), store.Edit{}, nil); fault.KindOf(err) != fault.NotFound {
			t.Errorf("Update: %v", err)
		}
	})
}

func TestCheckVault_rejectsOtherKeyThanFirst(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		first, other := newVault(t, "01"), newVault(t, "02")
		for range 2 {
			if err := store.CheckVault(t.Context(), db, first); err != nil {
				t.Fatal(err)
			}
		}
		err := store.CheckVault(t.Context(), db, other)
		if !errors.Is(err, store.ErrSecretKey) || !strings.Contains(err.Error(), "refuses to start") {
			t.Errorf("another key: %v", err)
		}
	})
}

func TestCheckVault_acceptsOneKeyOfConcurrentNodes(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		keys := []*vault.Vault{newVault(t, "01"), newVault(t, "02")}
		const nodes = 16
		results := make([]error, nodes)
		var wait sync.WaitGroup
		for i := range nodes {
			wait.Go(func() { results[i] = store.CheckVault(t.Context(), db, keys[i%2]) })
		}

		wait.Wait()

		for i, err := range results {
			if (err == nil) == (results[1-i%2] == nil) {
				t.Fatalf("node %d and a node with the other key: %v and %v; want exactly one nil", i, err,
					results[1-i%2])
			}
		}
	})
}

func newVault(t *testing.T, pair string) *vault.Vault {
	t.Helper()
	v, err := vault.ParseKey(strings.Repeat(pair, vault.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func create(t *testing.T, db *database.DB, s *store.Service, e store.Edit) store.Store {
	t.Helper()
	var created store.Store
	err := db.Write(t.Context(), func(q database.Querier) (err error) {
		created, err = s.Create(t.Context(), q, e)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return created
}

func update(
	t *testing.T, db *database.DB, s *store.Service, storeID store.ID, e store.Edit, ifVersion *int64,
) (store.Store, error) {
	t.Helper()
	var after store.Store
	err := db.Write(t.Context(), func(q database.Querier) (err error) {
		after, err = s.Update(t.Context(), store.In(q, storeID), e, ifVersion)
		return err
	})
	return after, err
}

func wantSame(t *testing.T, want, got store.Store) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(store.Store{})); diff != "" {
		t.Error(diff)
	}
}

// Paths of earlier forms redirect, so a store keeps the last ones, but not those that it has again.
func TestUpdate_keepsFormerPaths(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		at := noon
		service := store.New(store.Deps{DB: db, Now: func() time.Time { at = at.Add(time.Second); return at }})
		shop := create(t, db, service, store.Edit{})
		set := func(pattern string) {
			t.Helper()
			err := db.Write(t.Context(), func(q database.Querier) error {
				_, err := service.Update(t.Context(), store.In(q, shop.ID),
					store.Edit{Paths: store.PathsEdit{Product: &pattern}}, nil)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		former := func() store.FormerPaths {
			t.Helper()
			found, err := database.Read(t.Context(), db, func(q database.Querier) (store.FormerPaths, error) {
				return store.FindFormerPaths(t.Context(), store.In(q, shop.ID))
			})
			if err != nil {
				t.Fatal(err)
			}
			return found
		}

		set("/p/{slug}")
		if diff := cmp.Diff(store.FormerPaths{}, former()); diff != "" {
			t.Errorf("nothing has changed:\n%s", diff)
		}

		for _, pattern := range []string{"/a/{slug}", "/b/{slug}", "/p/{slug}"} {
			set(pattern)
		}
		want := store.FormerPaths{Product: []store.PathPattern{"/b/{slug}", "/a/{slug}"}}
		if diff := cmp.Diff(want, former()); diff != "" {
			t.Error(diff)
		}

		for n := range 23 {
			set(fmt.Sprintf("/x%d/{slug}", n))
		}
		if kept := former().Product; len(kept) != 20 || kept[0] != "/x21/{slug}" || kept[19] != "/x2/{slug}" {
			t.Errorf("%d paths are kept: %v", len(kept), kept)
		}
	})
}
