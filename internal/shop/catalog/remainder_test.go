package catalog

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// stocks returns remainders from pairs of a stock and a quantity.
func stocks(pairs ...any) *[]RemainderEdit {
	list := []RemainderEdit{}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, RemainderEdit{pairs[i].(Stock).ID, Quantity(pairs[i+1].(int))})
	}
	return &list
}

// kept formats the remainders of a variant as "quantity/reserved", followed by its availability.
func kept(v Variant) string {
	var words []string
	for _, m := range v.Remainders {
		words = append(words, fmt.Sprintf("%d/%d", m.Quantity, m.Reserved))
	}
	return strings.Join(words, " ") + " = " + amount(v.Available)
}

func amount(n *Quantity) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

func (s *productShop) keeps(p Product, available string, want ...string) {
	s.Helper()
	var got []string
	for _, v := range p.Variants {
		got = append(got, kept(v))
	}
	if !slices.Equal(got, want) || amount(p.Available) != available {
		s.Errorf("the variants have %q, the product %s; want %q and %s", got, amount(p.Available), want, available)
	}
}

// The availability of variants and products is summed by the database, which fails on overflow.
func TestQuantity_sumsOfMillionsFit(t *testing.T) {
	most := int64(1)
	for range QuantityDigits + QuantityDecimals {
		most *= 10
	}
	if most > math.MaxInt64/9_000_000 {
		t.Errorf("nine million times %d overflows an int64", most)
	}
}

func TestRemainders_areTheFullListOfTheVariant(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		near, far, gone := s.stock("near"), s.stock("far"), s.stock("gone")
		p := s.make(variants(
			VariantEdit{Price: new(Money(1)), Remainders: stocks(far, 500, near, 1500)},
			VariantEdit{Price: new(Money(1)), Remainders: stocks(near, 0)},
			VariantEdit{Price: new(Money(1)), Remainders: stocks()},
			VariantEdit{Price: new(Money(1))}))
		s.keeps(p, "2000", "1500/0 500/0 = 2000", "0/0 = 0", " = none", " = none")
		if p.Variants[0].Remainders[0].StockID != near.ID {
			s.Error("remainders are not in the order in which the stocks were created")
		}
		a, b, c, d := p.Variants[0], p.Variants[1], p.Variants[2], p.Variants[3]
		p = s.change(p.ID, variants(VariantEdit{ID: a.ID, Remainders: stocks(gone, 7, near, 1500)}, again(b), VariantEdit{ID: c.ID, Remainders: stocks(far, 3)}, again(d)))
		s.keeps(p, "1510", "1500/0 7/0 = 1507", "0/0 = 0", "3/0 = 3", " = none")
		p = s.change(p.ID, variants(VariantEdit{ID: a.ID, Remainders: stocks()}, again(b), again(c)))
		s.keeps(p, "3", " = none", "0/0 = 0", "3/0 = 3")
		p = s.change(p.ID, variants(again(a)))
		s.keeps(p, "none", " = none")
		p = s.change(p.ID, variants(again(a), VariantEdit{ID: b.ID, Remainders: stocks(far, 9)})) // it is restored with the remainders sent
		s.keeps(p, "9", " = none", "9/0 = 9")
	})
}

func TestRemainders_keepWhatIsReserved(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		near, far, idle := s.stock("near"), s.stock("far"), s.stock("idle")
		p := s.make(variants(VariantEdit{Price: new(Money(1)), Remainders: stocks(near, 5000, far, 2000, idle, 1000)}))
		v := p.Variants[0]
		s.exec("UPDATE remainders SET reserved = 3000 WHERE stock_key <> $1", idle.Key)
		s.write(func(q database.Querier) error {
			return recomputeAvailable(s.Context(), store.In(q, s.storeID), []int64{v.Key})
		})
		s.keeps(s.whole(p.ID), "3000", "5000/3000 2000/3000 1000/0 = 3000")
		for _, c := range []struct {
			sent *[]RemainderEdit
			want string
		}{
			{stocks(near, 4000, idle, 1000), "4000/3000 0/3000 1000/0 = 2000"},
			{stocks(far, 3500), "0/3000 3500/3000 = 500"},
			{stocks(), "0/3000 0/3000 = 0"},
			{stocks(near, 1000, far, 1000, idle, 1), "1000/3000 1000/3000 1/0 = 1"},
		} {
			s.keeps(s.change(p.ID, variants(VariantEdit{ID: v.ID, Remainders: c.sent})), amount(s.whole(p.ID).Available), c.want)
		}
	})
}

func TestRemainders_ofUnknownStocksAreRefused(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		mine, theirs := s.stock("mine"), s.another().stock("theirs")
		p := s.make(variants(VariantEdit{Price: new(Money(1)), Remainders: stocks(mine, 1)}))
		for _, c := range []struct {
			sent *[]RemainderEdit
			want string
		}{
			{stocks(mine, 1, theirs, 1), "remainders[1].stock_id unknown_stock"},
			{stocks(Stock{}, 1), "remainders[0].stock_id unknown_stock"},
			{stocks(mine, 1, mine, 2), "remainders[1].stock_id duplicate_stock"},
		} {
			_, err := s.try(named("x", variants(one("a", 1), VariantEdit{Price: new(Money(1)), Remainders: c.sent})))
			s.refused(err, "variants[1]."+c.want)
			s.refused(s.edit(p.ID, variants(VariantEdit{ID: p.Variants[0].ID, Remainders: c.sent})), "variants[0]."+c.want)
			s.refused(s.editVariant(p.ID, p.Variants[0].ID, VariantEdit{Remainders: c.sent}), c.want)
		}
		s.keeps(s.whole(p.ID), "1", "1/0 = 1")
	})
}

// Products are written while their categories and stocks are deleted. No transaction may fail, except for broken rules.
func TestProduct_writesBesideDeletionsOfWhatTheyReferToNeverFailOtherwiseThanByRules(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		const rounds = 5
		var shelves []Category
		var places []Stock
		for i := range rounds {
			shelves, places = append(shelves, s.category(fmt.Sprint("c", i))), append(places, s.stock(fmt.Sprint("s", i)))
		}
		var made []Product
		for range 3 {
			made = append(made, s.make(ProductEdit{Categories: &[]CategoryID{shelves[0].ID}, Variants: &[]VariantEdit{{Price: new(Money(1)), Remainders: stocks(places[0], 5)}}}))
		}
		for _, err := range atOnce(2+len(made), func(i int) error {
			for round := range rounds {
				var err error
				switch i {
				case 0:
					err = s.deleteCategory(shelves[round])
				case 1:
					err = s.deleteStock(places[round])
				default:
					p := made[i-2]
					e := variants(VariantEdit{ID: p.Variants[0].ID, Remainders: stocks(places[rounds-1], i, places[round], round)})
					e.Categories = &[]CategoryID{shelves[rounds-1].ID, shelves[rounds-2].ID}
					if err = s.edit(p.ID, e); !isRefusal(err) {
						return err
					}
					err = nil
				}
				if err != nil {
					return err
				}
			}
			return nil
		}) {
			if err != nil {
				s.Error(err)
			}
		}
		if n := s.count("stocks") + s.count("categories"); n != 0 {
			s.Errorf("%d deleted stocks and categories still exist", n)
		}
	})
}
