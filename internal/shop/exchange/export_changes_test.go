package exchange

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// A copy that gets an export of everything and then each export of what changed has the same catalogue as the original.
// The change log reaches back to some of the cursors, and is pruned before others.
func TestExport_changesKeepCopyEqual(t *testing.T) {
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newFixture(storetest.Open(t, engine))
			for seed := range uint64(promise.Repeat(2, 6)) {
				checkIncremental(s, seed)
			}
		})
	}
}

func checkIncremental(s *fixture, seed uint64) {
	s.Helper()
	s.createStore()
	original := s.Fixture
	token := s.credential
	s.createStore()
	copied, copyToken := s.Fixture, s.credential
	use := func(f *storetest.Fixture, credential bool) {
		if s.Fixture, s.credential = f, copyToken; credential {
			s.credential = token
		}
	}
	use(original, true)
	c := &catalogChanger{s, rand.New(rand.NewPCG(seed, 4))}

	for range 30 {
		c.change()
	}

	cursors := map[string]string{}
	for round := range 8 {
		use(original, true)

		if round > 0 {
			for range 1 + c.r.IntN(6) {
				c.changeOrDelete()
			}
		}

		if c.r.IntN(2) == 0 { // nothing older than the last change is known
			s.Write(func(tx store.Tx) error {
				_, err := tx.Exec(s.Context(), `UPDATE catalog_versions SET floor = version WHERE store_id = $1`)
				return err
			})
		}

		changes := map[string]string{}
		for _, entity := range exportOrder {
			var exported Exported
			changes[entity], exported = s.exportChanges(entity, cursors[entity])
			cursors[entity] = exported.Cursor
		}

		want := s.sortedExport()
		use(copied, false)

		for _, entity := range exportOrder {
			if changes[entity] == "" {
				continue
			}
			if run := s.push(entity, changes[entity], ndjson); run.Failed > 0 {
				s.Fatalf("seed %d, round %d: %s: %s\n%s", seed, round, entity, s.notesText(run), changes[entity])
			}
		}

		if diff := cmp.Diff(want, s.sortedExport()); diff != "" {
			s.Fatalf("seed %d, round %d: the original (-) and the copy (+):\n%s\nchanges:\n%v", seed, round, diff,
				changes)
		}
	}
}

// sortedExport returns the lines of all exports, without the order of variants, values and categories: a push changes
// no order of what exists.
func (s *fixture) sortedExport() map[string][]string {
	s.Helper()
	all := map[string][]string{}
	for entity, text := range s.exportAll() {
		lines := strings.Split(text, "\n")

		for i, line := range lines {
			parts := strings.Split(strings.NewReplacer("]}", "],}", "}]", "},]", "[{", "[,{").Replace(line), ",{")
			for n := range parts { // which element is the last one depends on the order, too
				parts[n] = strings.TrimRight(parts[n], "]},")
			}
			sortStrings(parts)
			lines[i] = strings.Join(parts, ",{")
		}
		sortStrings(lines)
		all[entity] = lines
	}
	return all
}

// changeOrDelete makes a random change other than one of an order.
func (c *catalogChanger) changeOrDelete() {
	c.Helper()
	changes := []func(){
		c.pushProduct, c.pushProduct, c.pushAttribute, c.pushCategory, c.pushStock, c.pushPrice, c.editProduct,
		c.archiveProduct, c.editVariant, c.moveCategory, c.renameThings, c.removeValue, c.deleteThing, c.changeID,
		func() { c.pushAny(Products, fmt.Sprintf(`{"id": %q, "archived": true}`, c.pick(8, "p%d"))) },
		func() { c.pushAny(Categories, fmt.Sprintf(`{"id": %q, "deleted": true}`, c.pick(6, "c%d"))) },
	}
	changes[c.r.IntN(len(changes))]()
}

func (c *catalogChanger) removeValue() {
	c.Helper()
	c.write(func(tx store.Tx) error {
		a, values, err := c.anyAttribute(tx)
		if err != nil {
			return err
		}
		v := values[c.r.IntN(len(values))].ID
		_, err = c.Catalog.Attributes.Edit(c.Context(), tx, a.Kind, a.ID,
			catalog.AttributeEdit{Removed: catalog.ListOf(v)}, nil)
		return err
	})
}

func (c *catalogChanger) deleteThing() {
	c.Helper()
	c.write(func(tx store.Tx) error {
		switch c.r.IntN(4) {
		case 0:
			p, err := c.anyProduct(tx)
			if err != nil {
				return err
			}
			return c.Catalog.Products.Delete(c.Context(), tx, p.ID, nil)

		case 1:
			a, _, err := c.anyAttribute(tx)
			if err != nil {
				return err
			}
			return c.Catalog.Attributes.Delete(c.Context(), tx, a.Kind, a.ID, nil)

		case 2:
			gone, err := c.anyCategory(tx)
			if err != nil {
				return err
			}
			return c.Catalog.Categories.Delete(c.Context(), tx, gone.ID, nil)
		}

		list, _, err := c.Catalog.Stocks.List(c.Context(), tx, "", 10, 0)
		if err != nil || len(list) == 0 {
			return errors.Join(err, errNothing)
		}

		return c.Catalog.Stocks.Delete(c.Context(), tx, list[c.r.IntN(len(list))].ID, nil)
	})
}

// changeID gives a category or a product another external id.
func (c *catalogChanger) changeID() {
	c.Helper()
	c.write(func(tx store.Tx) error {
		if c.r.IntN(2) == 0 {
			p, err := c.anyProduct(tx)
			if err != nil {
				return err
			}
			_, err = c.Catalog.Products.Edit(c.Context(), tx, p.ID,
				catalog.ProductEdit{ExternalID: new(c.pick(8, "p%d"))}, nil)
			return err
		}

		renamed, err := c.anyCategory(tx)
		if err != nil {
			return err
		}

		_, err = c.Catalog.Categories.Edit(c.Context(), tx, renamed.ID,
			catalog.CategoryEdit{ExternalID: new(c.pick(6, "c%d"))}, nil)
		return err
	})
}

func TestExport_refusesWrongCursors(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		_, exported := s.export(Products)
		other := s.Store.ID
		s.createStore()

		_, own := s.export(Products)
		for cursor, want := range map[string]string{
			"x": "malformed_query", "MSBhYmM": "malformed_query", exported.Cursor: "malformed_query",
			exportCursor{at: time.Now().Add(-100 * 24 * time.Hour)}.text(s.Store.ID): "cursor_expired", own.Cursor: "",
		} {
			err := s.DB.Snapshot(s.Context(), func(q querier) error {
				_, err := s.Exports.Export(s.Context(), store.In(q, s.Store.ID),
					ExportParams{Entity: Products, ChangedSince: cursor},
					func([]byte) error { return nil })
				return err
			})
			got := ""
			if f, ok := errors.AsType[*fault.Error](err); ok {
				got = f.Code
			}

			if got != want {
				s.Errorf("the cursor %q of store %s: %v, want %q", cursor, other, err, want)
			}
		}
	})
}

// A price that was removed from a list is null in the exports of what changed, of products and of prices, so a copy
// loses it. An export of everything has no such prices. A price that was set again is not null.
func TestExport_changesRemovePricesOfLists(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		original := s.Fixture
		token := s.credential
		s.createStore()
		copied, copyToken := s.Fixture, s.credential
		use := func(f *storetest.Fixture) {
			s.Fixture, s.credential = f, copyToken
			if f == original {
				s.credential = token
			}
		}
		cursors := map[string]string{}
		// mirror pushes what has changed of these entities in the original to the copy.
		mirror := func(what string, entities ...string) {
			s.Helper()
			use(original)
			changes := map[string]string{}
			for _, entity := range []string{PriceLists, Products, Prices} {
				var exported Exported
				changes[entity], exported = s.exportChanges(entity, cursors[entity])
				cursors[entity] = exported.Cursor
			}
			full, _ := s.export(Products)
			if strings.Contains(full, `"price":null`) {
				s.Errorf("%s: the export of everything has removed prices: %s", what, full)
			}

			use(copied)
			for _, entity := range entities {
				if run := s.push(entity, changes[entity], ndjson); changes[entity] != "" && run.Failed > 0 {
					s.Errorf("%s: %s: %s\n%s", what, entity, s.notesText(run), changes[entity])
				}
			}
			got, _ := s.export(Products)
			if diff := cmp.Diff(full, got); diff != "" {
				s.Errorf("%s: the original (-) and the copy (+):\n%s\nchanges:\n%v", what, diff, changes)
			}
			use(original)
		}
		price := func(variant, list string, from int, price string) string {
			return fmt.Sprintf(`{"variant_id": %q, "price_list_id": %q, "from_quantity": %d, "price": %s}`, variant,
				list, from, price)
		}

		use(original)
		s.push(PriceLists, payload(wholesale))
		s.push(Products, payload(mug, `{"id": "q", "name": "Cup", "single_variant": true, "variant_price": 5,
			"variant_prices": [{"price_list_id": "w", "price": 4}, {"price_list_id": "w", "from_quantity": 5,
			"price": 3}]}`))
		s.push(Prices, payload(price("v", "w", 1, "9"), price("v", "w", 10, "8"), price("v", "awaited", 1, "7")))
		mirror("at first", PriceLists, Products)

		s.push(Prices, payload(price("v", "w", 10, "null")))
		mirror("removed by prices", PriceLists, Prices)
		s.push(Products, payload(`{"id": "q", "variant_prices": [{"price_list_id": "w", "from_quantity": 5,
			"price": null}]}`))
		mirror("removed by a product", PriceLists, Products)
		s.push(Prices, payload(price("v", "w", 10, "6"), price("v", "w", 1, "null")))
		mirror("set again", PriceLists, Products)
		s.push(Prices, payload(price("v", "w", 10, "null"), price("v", "awaited", 1, "null")))
		mirror("the last one", PriceLists, Products)

		use(copied)
		s.wantAwaited(0, "")
	})
}
