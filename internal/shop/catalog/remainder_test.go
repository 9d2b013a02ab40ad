package catalog_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// remainderEdits returns remainders from pairs of a stock and a quantity.
func remainderEdits(pairs ...any) *[]RemainderEdit {
	list := []RemainderEdit{}
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, RemainderEdit{pairs[i].(Stock).ID, money.Quantity(pairs[i+1].(int))})
	}
	return &list
}

// formatRemainders formats the remainders of a variant as "quantity/reserved", followed by its availability.
func formatRemainders(v Variant) string {
	var words []string
	for _, m := range v.Remainders {
		words = append(words, fmt.Sprintf("%d/%d", m.Quantity, m.Reserved))
	}
	return strings.Join(words, " ") + " = " + formatQuantity(v.Available)
}

func formatQuantity(n *money.Quantity) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprint(*n)
}

func (s *catalogFixture) wantRemainders(p fullProduct, available string, want ...string) {
	s.Helper()
	var got []string
	for _, v := range p.Variants {
		got = append(got, formatRemainders(v))
	}
	if !slices.Equal(got, want) || formatQuantity(p.Available) != available {
		s.Errorf("the variants have %q, the product %s; want %q and %s", got, formatQuantity(p.Available), want,
			available)
	}
}

// The database sums quantities to the availability of variants and products, and fails if a sum overflows an int64. The
// sum of nine million quantities must not overflow.
func TestQuantity_sumOfMillionsDoesNotOverflow(t *testing.T) {
	most := int64(1)
	for range money.QuantityDigits + money.QuantityDecimals {
		most *= 10
	}
	if most > math.MaxInt64/9_000_000 {
		t.Errorf("nine million times %d overflows an int64", most)
	}
}

func TestRemainders_replaceWholeList(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		near, far, gone := s.stock("near"), s.stock("far"), s.stock("gone")
		p := s.mustCreate(withVariants(
			VariantEdit{Price: new(money.NewPrice(1)), Remainders: remainderEdits(far, 500, near, 1500)},
			VariantEdit{Price: new(money.NewPrice(1)), Remainders: remainderEdits(near, 0)},
			VariantEdit{Price: new(money.NewPrice(1)), Remainders: remainderEdits()},
			VariantEdit{Price: new(money.NewPrice(1))}))
		s.wantRemainders(p, "2000", "1500/0 500/0 = 2000", "0/0 = 0", " = none", " = none")
		if p.Variants[0].Remainders[0].StockID != near.ID {
			s.Error("remainders are not in the order in which the stocks were created")
		}

		a := p.Variants[0]
		b := p.Variants[1]
		c := p.Variants[2]
		d := p.Variants[3]
		p = s.mustEdit(p.ID, withVariants(VariantEdit{ID: a.ID, Remainders: remainderEdits(gone, 7, near, 1500)},
			unchanged(b), VariantEdit{ID: c.ID, Remainders: remainderEdits(far, 3)}, unchanged(d)))
		s.wantRemainders(p, "1510", "1500/0 7/0 = 1507", "0/0 = 0", "3/0 = 3", " = none")
		p = s.mustEdit(p.ID, withVariants(VariantEdit{ID: a.ID, Remainders: remainderEdits()}, unchanged(b),
			unchanged(c)))
		s.wantRemainders(p, "3", " = none", "0/0 = 0", "3/0 = 3")
		p = s.mustEdit(p.ID, withVariants(unchanged(a)))
		s.wantRemainders(p, "none", " = none")

		// Variant b is restored with the remainders sent.
		p = s.mustEdit(p.ID, withVariants(unchanged(a), VariantEdit{ID: b.ID, Remainders: remainderEdits(far, 9)}))
		s.wantRemainders(p, "9", " = none", "9/0 = 9")
	})
}

func TestRemainders_keepReservedQuantities(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		near, far, idle := s.stock("near"), s.stock("far"), s.stock("idle")
		p := s.mustCreate(withVariants(VariantEdit{Price: new(money.NewPrice(1)),
			Remainders: remainderEdits(near, 5000, far, 2000, idle, 1000)}))
		v := p.Variants[0]
		s.Exec("UPDATE remainders SET reserved = 3000 WHERE stock_key <> $1", idle.Key)
		s.Write(func(tx store.Tx) error {
			return RecomputeAvailable(s.Context(), tx, []int64{v.Key})
		})
		s.wantRemainders(s.load(p.ID), "3000", "5000/3000 2000/3000 1000/0 = 3000")

		for _, c := range []struct {
			sent *[]RemainderEdit
			want string
		}{
			{remainderEdits(near, 4000, idle, 1000), "4000/3000 0/3000 1000/0 = 2000"},
			{remainderEdits(far, 3500), "0/3000 3500/3000 = 500"},
			{remainderEdits(), "0/3000 0/3000 = 0"},
			{remainderEdits(near, 1000, far, 1000, idle, 1), "1000/3000 1000/3000 1/0 = 1"},
		} {
			s.wantRemainders(s.mustEdit(p.ID, withVariants(VariantEdit{ID: v.ID, Remainders: c.sent})),
				formatQuantity(s.load(p.ID).Available), c.want)
		}
	})
}

func TestRemainders_refuseUnknownStocks(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		mine, theirs := s.stock("mine"), s.otherStore().stock("theirs")
		p := s.mustCreate(withVariants(VariantEdit{Price: new(money.NewPrice(1)), Remainders: remainderEdits(mine, 1)}))
		for _, c := range []struct {
			sent *[]RemainderEdit
			want string
		}{
			{remainderEdits(mine, 1, theirs, 1), "remainders[1].stock_id unknown_stock"},
			{remainderEdits(Stock{}, 1), "remainders[0].stock_id unknown_stock"},
			{remainderEdits(mine, 1, mine, 2), "remainders[1].stock_id duplicate_stock"},
		} {
			_, err := s.tryCreate(withName("x",
				withVariants(newVariant("a", 1), VariantEdit{Price: new(money.NewPrice(1)), Remainders: c.sent})))
			s.wantInvalid(err, "variants[1]."+c.want)
			s.wantInvalid(s.edit(p.ID, withVariants(VariantEdit{ID: p.Variants[0].ID, Remainders: c.sent})),
				"variants[0]."+c.want)
			s.wantInvalid(s.editVariant(p.ID, p.Variants[0].ID, VariantEdit{Remainders: c.sent}), c.want)
		}

		s.wantRemainders(s.load(p.ID), "1", "1/0 = 1")
	})
}

// Products are written while their categories and stocks are deleted. Writes may fail only with fault.Invalid.
func TestProduct_writesDoNotDeadlockWithDeletionsOfReferences(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const rounds = 5
		var shelves []Category
		var places []Stock
		for i := range rounds {
			shelves = append(shelves, s.category(fmt.Sprint("c", i)))
			places = append(places, s.stock(fmt.Sprint("s", i)))
		}

		var made []fullProduct
		for range 3 {
			made = append(made,
				s.mustCreate(ProductEdit{Categories: &[]CategoryID{shelves[0].ID},
					Variants: &[]VariantEdit{{Price: new(money.NewPrice(1)),
						Remainders: remainderEdits(places[0], 5)}}}))
		}

		for _, err := range concurrently(2+len(made), func(i int) error {
			for round := range rounds {
				var err error
				switch i {
				case 0:
					err = s.deleteCategory(shelves[round])
				case 1:
					err = s.deleteStock(places[round])

				default:
					p := made[i-2]
					e := withVariants(VariantEdit{ID: p.Variants[0].ID,
						Remainders: remainderEdits(places[rounds-1], i, places[round], round)})
					e.Categories = &[]CategoryID{shelves[rounds-1].ID, shelves[rounds-2].ID}
					if err = s.edit(p.ID, e); !isNilOrInvalid(err) {
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

		if n := s.Count("stocks") + s.Count("categories"); n != 0 {
			s.Errorf("%d deleted stocks and categories still exist", n)
		}
	})
}
