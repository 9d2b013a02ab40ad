package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// formatLevels returns the SKUs of a page of stock levels, with < and > where there are more.
func (s *catalogFixture) formatLevels(f LevelFilter, p LevelPage) string {
	s.Helper()
	var found Levels
	s.Read(func(tx store.Tx) (err error) {
		found, err = s.Stocks.Levels(s.Context(), tx, f, p)
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
		all := LevelPage{Limit: 10}
		for _, c := range []struct {
			name string
			f    LevelFilter
			want string
		}{
			{"all", LevelFilter{}, "many out few unlimited lace"},
			{"ran out", LevelFilter{State: RanOut}, "out"},
			{"low", LevelFilter{State: LowStock, Low: 1000}, "many"},
			{"low, higher", LevelFilter{State: LowStock, Low: 2000}, "many few"},
			{"reserved", LevelFilter{State: ReservedStock}, "many"},
			{"near", LevelFilter{Stock: &near.ID}, "many out few"},
			{"ran out near", LevelFilter{Stock: &near.ID, State: RanOut}, "many out"},
			{"low far", LevelFilter{Stock: &far.ID, State: LowStock, Low: 1000}, "many few"},
			{"reserved far", LevelFilter{Stock: &far.ID, State: ReservedStock}, ""},
			{"words", LevelFilter{Search: "lac"}, "lace"},
			{"words of an archived product", LevelFilter{Search: "old"}, ""},
			{"two words", LevelFilter{Search: "man few"}, "many out few unlimited"},
			{"words far", LevelFilter{Search: "man", Stock: &far.ID}, "many few"},
			{"words, reserved", LevelFilter{Search: "man", State: ReservedStock}, "many"},
			{"words, reserved near", LevelFilter{Search: "man", State: ReservedStock, Stock: &near.ID}, "many"},
			{"words, low", LevelFilter{Search: "man", State: LowStock, Low: 1000}, "many"},
			{"reserved near", LevelFilter{Stock: &near.ID, State: ReservedStock}, "many"},
			{"a sku finds its product", LevelFilter{Search: "few", State: RanOut}, "out"},
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
		for _, f := range []LevelFilter{{}, {Stock: &near.ID}, {State: RanOut}, {State: RanOut, Stock: &far.ID},
			{State: ReservedStock}, {State: ReservedStock, Stock: &far.ID}, {Search: "shi"},
			{Search: "shi", Stock: &near.ID, State: ReservedStock}} {
			for _, c := range []struct {
				p    LevelPage
				want string
			}{
				{LevelPage{Limit: 2}, "0 1 >"},
				{LevelPage{Limit: 2, After: keys[1]}, "< 2 3 >"},
				{LevelPage{Limit: 2, After: keys[3]}, "< 4"},
				{LevelPage{Limit: 2, Before: keys[4]}, "< 2 3 >"},
				{LevelPage{Limit: 2, Before: keys[2]}, "0 1 >"},
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
			impact, err := s.Stocks.Impact(s.Context(), tx, near.ID)
			if impact != (StockImpact{Variants: 1, Reserved: 1}) {
				s.Errorf("impact %+v", impact)
			}
			return err
		})
	})
}
