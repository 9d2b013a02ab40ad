package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// formatLevels returns the SKUs of a page of stock levels, with < and > where there are more.
func (s *catalogFixture) formatLevels(f view.LevelFilter, p view.LevelPage) string {
	s.Helper()
	var found view.Levels
	s.Read(func(tx store.Tx) (err error) {
		found, err = view.ReadLevels(s.Context(), tx, f, p)
		return err
	})
	var words []string
	if found.Earlier {
		words = append(words, "<")
	}

	for _, l := range found.List {
		words = append(words, l.SKU)
	}

	if found.Later {
		words = append(words, ">")
	}

	return strings.Join(words, " ")
}

func TestLevels_selectsByStateStockAndWords(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		near, far := s.stock("Near"), s.stock("Far")
		sized := s.option("Size", "1", "2", "3", "4")
		variant := func(sku string, size string, remainders ...any) VariantEdit {
			v := newVariant(sku, 100, sized.ref(size))
			v.Remainders = remainderEdits(remainders...)
			return v
		}
		p := s.mustCreate(withName("Boots", withVariants(variant("many", "1", near, 9000, far, 1000),
			variant("out", "2", near, 0), variant("few", "3", near, 1000, far, 1000), variant("unlimited", "4"))))
		s.mustCreate(withName("Laces", withVariants(newVariant("lace", 10))))
		archived := s.mustCreate(withName("Old", withVariants(newVariant("old", 10))))
		s.Write(func(tx store.Tx) error { _, err := s.Products.Archive(s.Context(), tx, archived.ID, nil); return err })
		s.Write(func(tx store.Tx) error {
			_, err := s.Stocks.Reserve(s.Context(), tx, []Wanted{{p.Variants[0].ID, 9000}})
			return err
		})
		all := view.LevelPage{Limit: 10}

		for _, c := range []struct {
			name string
			f    view.LevelFilter
			want string
		}{
			{"all", view.LevelFilter{}, "many out few unlimited lace"},
			{"ran out", view.LevelFilter{State: view.RanOut}, "out"},
			{"low", view.LevelFilter{State: view.LowStock, Low: 1000}, "many"},
			{"low, higher", view.LevelFilter{State: view.LowStock, Low: 2000}, "many few"},
			{"reserved", view.LevelFilter{State: view.ReservedStock}, "many"},
			{"near", view.LevelFilter{Stock: &near.ID}, "many out few"},
			{"ran out near", view.LevelFilter{Stock: &near.ID, State: view.RanOut}, "many out"},
			{"low far", view.LevelFilter{Stock: &far.ID, State: view.LowStock, Low: 1000}, "many few"},
			{"reserved far", view.LevelFilter{Stock: &far.ID, State: view.ReservedStock}, ""},
			{"words", view.LevelFilter{Search: "lac"}, "lace"},
			{"words of an archived product", view.LevelFilter{Search: "old"}, ""},
			{"two words", view.LevelFilter{Search: "man few"}, "many out few unlimited"},
			{"words far", view.LevelFilter{Search: "man", Stock: &far.ID}, "many few"},
			{"words, reserved", view.LevelFilter{Search: "man", State: view.ReservedStock}, "many"},
			{"words, reserved near", view.LevelFilter{Search: "man", State: view.ReservedStock, Stock: &near.ID},
				"many"},
			{"words, low", view.LevelFilter{Search: "man", State: view.LowStock, Low: 1000}, "many"},
			{"reserved near", view.LevelFilter{Stock: &near.ID, State: view.ReservedStock}, "many"},
			{"a sku finds its product", view.LevelFilter{Search: "few", State: view.RanOut}, "out"},
		} {
			if got := s.formatLevels(c.f, all); got != c.want {
				s.Errorf("%s: %s, want %s", c.name, got, c.want)
			}
		}
	})
}

func TestLevels_pagesInBothDirections(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		near, far := s.stock("Near"), s.stock("Far")
		var keys []int64
		for i := range 5 {
			v := newVariant(fmt.Sprint(i), 100)
			v.Remainders = remainderEdits(near, 1000, far, 1000)
			created := s.mustCreate(withVariants(v)).Variants[0]
			keys = append(keys, created.Key)
			s.Write(func(tx store.Tx) error { // from both stocks
				_, err := s.Stocks.Reserve(s.Context(), tx, []Wanted{{created.ID, 2000}})
				return err
			})
		}

		for _, f := range []view.LevelFilter{{}, {Stock: &near.ID}, {State: view.RanOut},
			{State: view.RanOut, Stock: &far.ID},
			{State: view.ReservedStock}, {State: view.ReservedStock, Stock: &far.ID}, {Search: "shi"},
			{Search: "shi", Stock: &near.ID, State: view.ReservedStock}} {
			for _, c := range []struct {
				p    view.LevelPage
				want string
			}{
				{view.LevelPage{Limit: 2}, "0 1 >"},
				{view.LevelPage{Limit: 2, After: keys[1]}, "< 2 3 >"},
				{view.LevelPage{Limit: 2, After: keys[3]}, "< 4"},
				{view.LevelPage{Limit: 2, Before: keys[4]}, "< 2 3 >"},
				{view.LevelPage{Limit: 2, Before: keys[2]}, "0 1 >"},
			} {
				if got := s.formatLevels(f, c.p); got != c.want {
					s.Errorf("%+v, %+v: %s, want %s", f, c.p, got, c.want)
				}
			}
		}
	})
}

func TestSetQuantity_changesOneStockOnly(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		near, far, third := s.stock("Near"), s.stock("Far"), s.stock("Third")
		v := newVariant("a", 100)
		v.Remainders = remainderEdits(near, 5000, far, 2000)
		p := s.mustCreate(withVariants(v))
		set := func(stock Stock, was *money.Quantity, quantity money.Quantity) error {
			return s.TryWrite(func(tx store.Tx) error {
				_, err := s.Products.SetQuantity(s.Context(), tx, p.ID, p.Variants[0].ID, stock.ID, was, quantity)
				return err
			})
		}
		s.must(set(far, new(money.Quantity(2000)), 7000))
		s.wantRemainders(s.load(p.ID), "12000", "5000/0 7000/0 = 12000")
		s.must(set(third, nil, 1000))
		s.wantRemainders(s.load(p.ID), "13000", "5000/0 7000/0 1000/0 = 13000")

		for name, err := range map[string]error{
			"another quantity": set(near, new(money.Quantity(4000)), 1000),
			"none before":      set(near, nil, 1000),
		} {
			if fault.KindOf(err) != fault.Stale {
				s.Errorf("%s: %v, want Stale", name, err)
			}
		}

		s.wantRemainders(s.load(p.ID), "13000", "5000/0 7000/0 1000/0 = 13000")
	})
}

func TestStockImpact_countsVariants(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		near := s.stock("Near")
		v := newVariant("a", 100)
		v.Remainders = remainderEdits(near, 5000)
		p := s.mustCreate(withVariants(v))
		s.Write(func(tx store.Tx) error {
			_, err := s.Stocks.Reserve(s.Context(), tx, []Wanted{{p.Variants[0].ID, 1000}})
			return err
		})
		s.Read(func(tx store.Tx) error {
			impact, err := view.ImpactOfStock(s.Context(), tx, near.ID)
			if impact != (view.StockImpact{Variants: 1, Reserved: 1}) {
				s.Errorf("impact %+v", impact)
			}

			return err
		})
	})
}
