package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// pendingList returns what Pending lists, page by page: kind, ids and the number of products.
func (s *catalogFixture) pendingList(perPage int64) (lines []string, seen []time.Time) {
	s.Helper()
	for after, pages := int64(0), 0; pages == 0 || after != 0; pages++ {
		var list []PendingTarget
		s.Read(func(tx store.Tx) (err error) {
			list, after, err = s.Links.Pending(s.Context(), tx, after, perPage)
			return err
		})
		for _, t := range list {
			kind := string(t.Kind)
			if t.IsCategory {
				kind = "category"
			}
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%d %s %s %s", t.WantedBy, kind, t.ID, t.ValueID)))
			seen = append(seen, t.FirstSeenAt)
		}

		if pages > 20 {
			s.Fatal("the list does not end")
		}
	}

	return lines, seen
}

// The list of pending references has each target once, the most wanted first, with the number of products. It does not
// depend on the size of its pages.
func TestPending_listsTargetsByTheNumberOfProducts(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		option := func(id string, value string) VariantPush {
			return VariantPush{ID: id, Price: new(money.NewPrice(0)), Options: &[]ReferencePush{{"size", value}}}
		}
		first := productPush("1", "A", option("a", "m"), option("b", "l"), option("c", "xl"))
		first.Features = &[]ReferencePush{{"material", "coton"}}
		first.Categories = &[]string{"shirts", "sale"}
		second := productPush("2", "B", option("a", "l"))
		second.Categories = &[]string{"shirts"}
		third := productPush("3", "C")
		third.Categories = &[]string{"shirts"}
		s.push(first, second, third)
		s.pushCategories([]CategoryPush{categoryPush("tops", "wear"), categoryPush("t", "sale")},
			"created ~parent_id:unknown_parent", "created ~parent_id:unknown_parent")
		want := []string{"3 category shirts", "2 option size l", "1 category sale", "1 feature material coton",
			"1 option size m", "1 option size xl", "0 category wear"}

		for _, perPage := range []int64{1, 2, 7, 50} {
			got, _ := s.pendingList(perPage)
			if len(got) == 7 {
				slices.Sort(got[2:6]) // their order is that of the references, which the tests do not fix
			}
			if !slices.Equal(got, want) {
				s.Errorf("with %d per page: %q, want %q", perPage, got, want)
			}
		}

		// Archived variants and products do not wait.
		s.push(productPush("2", "B", option("b", "xxl")))
		s.mustAction(s.Products.Archive, s.productByExternalID("3").ID)
		got, _ := s.pendingList(50)
		if !slices.Contains(got, "1 option size l") || !slices.Contains(got, "2 category shirts") {
			s.Errorf("after archiving: %q", got)
		}
		if list, _ := s.otherStore().pendingList(50); len(list) > 0 {
			s.Errorf("another store waits for %v", list)
		}
	})
}

// A target is first seen when it is referred to for the first time, however often its products are pushed again.
func TestPending_keepsTheTimeWhenATargetWasFirstSeen(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		push := func(id, name string) {
			p := productPush(id, name)
			p.Categories = &[]string{"shirts"}
			p.Features = &[]ReferencePush{{"material", "coton"}}
			s.push(p)
			s.push(productPush(id, name+name))
		}
		push("1", "A")
		s.pushCategories([]CategoryPush{categoryPush("t", "wear")}, "created ~parent_id:unknown_parent")
		_, before := s.pendingList(50)
		s.Clock.Advance(time.Hour)
		push("1", "B") // the only product that refers to them changes
		push("2", "C")
		c := categoryPush("t", "wear")
		c.Name, c.Digest = new("Other"), digestOf("other")
		s.pushCategories([]CategoryPush{c}, "updated ~parent_id:unknown_parent")

		lines, after := s.pendingList(50)
		if len(after) != 3 || !slices.EqualFunc(before, after, time.Time.Equal) || before[0].IsZero() {
			s.Errorf("%q are first seen at %v, before at %v", lines, after, before)
		}
	})
}

// A product that has no variant after the push is a warning, also if it was pushed before. The message names members
// that stood on the product itself.
func TestPush_warnsOfProductsThatNobodyCanBuy(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		misplaced := productPush("1", "A")
		misplaced.Misplaced = []string{"price", "sku"}
		onlyPrice := productPush("3", "D")
		onlyPrice.Misplaced = []string{"price"}
		sold := productPush("2", "B", VariantPush{ID: "a", Price: new(money.NewPrice(0))})

		push := func(want string, p ProductPush) {
			s.Helper()
			got := ""
			for _, w := range s.push(p)[0].Warnings {
				got += w.Field + " " + w.Code + ": " + w.Message
			}
			if want == "" && got != "" || want != "" && !strings.Contains(got, want) {
				s.Errorf("product %s: the warnings are %q, want %q", p.ID, got, want)
			}
		}
		for range 2 { // created, then unchanged
			push("variants no_variants: The product has no variant, so nobody can buy it. price and sku belong to a "+
				"variant: "+
				"put them into variants, or send single_variant: true with variant_price and variant_sku.", misplaced)
			push("price belongs to a variant: put it into variants, or send single_variant: true with variant_price.",
				onlyPrice)
			push("", sold)
		}

		renamed := productPush("2", "C") // its variants stay
		push("", renamed)
		push("", renamed)
		none := productPush("2", "C")
		none.Variants = &[]VariantPush{}
		push("no_variants", none)
		push("no_variants", none)
		push("no_variants", renamed)
		push("", sold)
	})
}
