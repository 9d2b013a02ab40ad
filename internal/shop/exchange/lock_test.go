package exchange

import (
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// edit edits the product with this external id as a merchandiser would.
func (s *fixture) edit(externalID string, e catalog.ProductEdit) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		var id catalog.ProductID
		err := database.QueryRow(s.Context(), tx.Unscoped(),
			"SELECT id FROM products WHERE store_id = $1 AND external_id = $2", []any{s.Store.ID, externalID}, &id)
		if err != nil {
			return err
		}
		_, err = s.Catalog.Products.Edit(s.Context(), tx, id, e, nil)
		return err
	})
}

// lock sets the locks of the product 1.
func (s *fixture) lock(locks productfield.Set) {
	s.Helper()
	s.edit("1", catalog.ProductEdit{Locks: &locks})
}

const (
	lockedBefore = `{"id": 1, "name": "Lamp", "description": "Warm", "categories": ["light"], "features": [{"id": "material", "value_id": "wool"}],
		"variants": [{"id": "a", "sku": "A", "price": 10}]}`
	lockedAfter = `{"id": 1, "name": "LAMP", "description": "", "categories": ["sale"], "features": [{"id": "material", "value_id": "silk"}, {"id": "material", "value_id": "new"}],
		"modifiers": [{"name": "Gift"}], "variants": [{"id": "a", "sku": "A2", "price": 11}, {"id": "b", "sku": "B", "price": 12}]}`
)

func (s *fixture) pushLockable() {
	s.push(Categories, payload(`{"id": "light", "name": "Light"}`, `{"id": "sale", "name": "Sale"}`))
	s.push(Features, payload(`{"id": "material", "name": "Material", "values": [{"id": "wool", "name": "Wool"}, `+
		`{"id": "silk", "name": "Silk"}]}`))
	s.push(Products, payload(lockedBefore))
}

// wantState checks that the catalogue has exactly one line with each of these texts, and none with those after a !.
func (s *fixture) wantState(texts ...string) {
	s.Helper()
	state := s.CatalogState() + "\n"
	for _, text := range texts {
		if absent, not := strings.CutPrefix(text, "!"); not {
			if strings.Contains(state, absent) {
				s.Errorf("the catalogue has %q:\n%s", absent, state)
			}
		} else if !strings.Contains(state, text) {
			s.Errorf("the catalogue has no %q:\n%s", text, state)
		}
	}
}

func TestLock_keepsMemberAndWarnsOnceWhereTheValueDiffers(t *testing.T) {
	all := map[productfield.Set]struct{ field, kept, applied string }{
		productfield.Name:        {"name", "product 1 Lamp ", "product 1 LAMP "},
		productfield.Description: {"description", " Warm ", "!Warm"},
		productfield.Categories:  {"categories", "in 1 light", "in 1 sale"},
		productfield.Features:    {"features", "feature 1 material=wool", "feature 1 material=silk"},
		productfield.Price:       {"variants[0].price", "variant 1/a A2  100000", "variant 1/a A2  110000"},
	}

	eachEngine(t, func(s *fixture) {
		for locked, want := range all {
			s.createStore()
			s.pushLockable()
			s.lock(locked)

			run := s.push(Products, payload(lockedAfter))
			if notes := s.notesText(run); strings.Count(notes, ":locked") != 1 ||
				!strings.Contains(notes, "0 1 "+want.field+":locked") {
				s.Errorf("%s: the notes are %s", locked, notes)
			}

			s.wantState(want.kept, "variant 1/b B  120000", "Gift")

			for other, applied := range all {
				if other != locked && other != productfield.Price {
					s.wantState(applied.applied)
				}
			}

			// The push is repeated: it is unchanged, and says again what is locked.
			again := s.push(Products, payload(lockedAfter))
			if again.Unchanged != 1 || !strings.Contains(s.notesText(again), ":locked") {
				s.Errorf("%s: a repeated push has %s, %s", locked, s.countsText(again), s.notesText(again))
			}

			// Without the lock, the same item is applied.
			s.lock(0)
			s.wantState(want.kept)

			if run := s.push(Products, payload(lockedAfter)); run.Updated != 1 ||
				strings.Contains(s.notesText(run), "locked") {
				s.Errorf("%s: unlocked, the push has %s, %s", locked, s.countsText(run), s.notesText(run))
			}

			s.wantState(want.applied)
		}
	})
}

func TestLock_equalValuesGiveNoWarning(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.pushLockable()
		s.lock(productfield.Lockable)
		s.wantCounts("1: +0 ~1 =0 !0 ?0", Products, payload(lockedBefore))
		s.wantCounts("1: +0 ~0 =1 !0 ?0", Products, payload(lockedBefore))
		// An item of which nothing is left changes nothing.
		run := s.wantCounts("1: +0 ~0 =1 !0 ?1", Products,
			payload(`{"id": 1, "name": "LAMP", "description": "", "categories": []}`))
		s.wantNotes(run, "0 1 name:locked")
		s.wantCounts("1: +0 ~0 =1 !0 ?0", Products, payload(lockedBefore))
	})
}

// A reference that waits for its target is dropped when its member is locked, so that nothing is linked later. The push
// after the lock is taken away brings it back.
func TestLock_pendingReferencesAreNotLinked(t *testing.T) {
	item := `{"id": 1, "name": "Lamp", "categories": ["late"], "features": [{"id": "late", "value_id": "x"}]}`

	eachEngine(t, func(s *fixture) {
		arrive := func() {
			s.push(Categories, payload(`{"id": "late", "name": "Late"}`))
			s.push(Features, payload(`{"id": "late", "name": "Late", "values": [{"id": "x", "name": "X"}]}`))
		}
		s.push(Products, payload(item))
		s.lock(productfield.Categories | productfield.Features)
		s.wantState("!pending")
		s.push(Products, payload(item))
		s.wantState("!pending")
		arrive()
		s.wantState("!in 1 late", "!feature 1 late=x")
		s.lock(0)
		s.push(Products, payload(item))
		s.wantState("in 1 late", "feature 1 late=x")
	})
}

func TestLock_priceHoldsInTheQuickGate(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(`{"id": 1, "name": "P", "variants": [{"id": "a", "price": 1}, {"id": "b", `+
			`"price": 2}]}`,
			`{"id": 2, "name": "Q", "variants": [{"id": "c", "price": 3}]}`))
		s.lock(productfield.Price)
		items := []string{`{"variant_id": "a", "price": 5}`, `{"variant_id": "b", "price": 5}`,
			`{"variant_id": "c", "price": 5}`}
		for range batchItems {
			items = append(items, `{"variant_id": "c", "product_id": 2, "price": 5}`)
		}

		items = append(items, `{"variant_id": "a", "price": 6}`)
		run := s.push(Prices, payload(items...))
		notes := s.notesText(run)
		if run.Updated != 1 || strings.Count(notes, ":locked") != 1 || !strings.Contains(notes, "0 a price:locked") {
			s.Errorf("%d prices were updated; notes: %.200s", run.Updated, notes)
		}

		s.wantState("variant 1/a   10000", "variant 1/b   20000", "variant 2/c   50000")
		if run := s.push(Prices, payload(`{"variant_id": "a", "price": 1}`)); run.Warnings != 0 {
			s.Errorf("an equal price has the notes %s", s.notesText(run))
		}

		s.lock(0)
		s.push(Prices, payload(items[0]))
		s.wantState("variant 1/a   50000")
	})
}

// The whole of a push with locks, atomic or as a dry run, reports the same.
func TestLock_holdsInAtomicPushesAndDryRuns(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.pushLockable()
		s.lock(productfield.Name)
		planned := s.push(Products, payload(lockedAfter), dryRun)
		run := s.push(Products, payload(lockedAfter), atomic)
		if s.notesText(planned) != s.notesText(run) || !strings.Contains(s.notesText(run), "name:locked") {
			s.Errorf("the dry run has the notes %s, the push %s", s.notesText(planned), s.notesText(run))
		}
		s.wantState("product 1 Lamp ", "!LAMP")
	})
}
