package catalog

import (
	"slices"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

func TestRemovingAnOptionValue_takesTheOptionOffItsVariantsAndNothingElse(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, colour := s.option("Size", "S", "L"), s.option("Colour", "red", "blue")
		p := s.make(variants(
			one("a", 1, size.is("S"), colour.is("red")), one("b", 2, size.is("S"), colour.is("blue")),
			one("c", 3, size.is("L"), colour.is("red")), one("d", 4, size.is("S"))))
		other := s.make(variants(one("e", 1, size.is("L"))))
		s.remove(size, "S")
		after := s.whole(p.ID)
		s.has(after, "a: Colour red", "b: Colour blue", "c: Size L, Colour red", "d: ")
		for i, v := range after.Variants {
			if was := p.Variants[i]; v.ID != was.ID || v.Price != was.Price {
				s.Errorf("variant %+v has become %+v", was, v)
			}
		}
		if after.Version == p.Version || s.whole(other.ID).Version != other.Version {
			s.Error("the version must increase only for the product whose variants changed")
		}
	})
}

func TestRemovingAnOptionValue_keepsVariantsThatBecomeEqual(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, colour := s.option("Size", "S", "M", "L"), s.option("Colour", "red", "blue")
		p := s.make(variants(one("a", 1, size.is("S"), colour.is("red")), one("b", 2, size.is("M"), colour.is("red")), one("c", 3, size.is("L"), colour.is("blue"))))
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]
		s.remove(size, "S", "M")
		s.has(s.whole(p.ID), "a: Colour red", "b: Colour red", "c: Size L, Colour blue")

		// Duplicates stay editable as long as their options are not sent, or are sent unchanged.
		p = s.change(p.ID, ProductEdit{Name: new("Coat")})
		p = s.change(p.ID, variants(again(a), VariantEdit{ID: b.ID, Price: new(Money(9))}, again(c)))
		p = s.change(p.ID, variants(with(a, colour.is("red")), with(b, colour.is("red")), again(c)))
		s.has(p, "a: Colour red", "b: Colour red", "c: Size L, Colour blue")

		// No other variant can get the combination of duplicates, and a variant that has left it cannot return.
		s.refused(s.edit(p.ID, variants(again(a), again(b), again(c), one("d", 1, colour.is("red")))), "variants[3].options duplicate_combination")
		s.refused(s.edit(p.ID, variants(again(a), again(b), with(c, colour.is("red")))), "variants[2].options duplicate_combination")
		p = s.change(p.ID, variants(again(a), with(b), again(c)))
		s.refused(s.edit(p.ID, variants(again(a), with(b, colour.is("red")), again(c))), "variants[1].options duplicate_combination")
		s.has(p, "a: Colour red", "b: ", "c: Size L, Colour blue")
	})
}

func TestTwin_thatIsTheLastOfItsKindIsNoneAnyMore(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, colour := s.option("Size", "S", "M", "L"), s.option("Colour", "red")
		twins := func() int64 { return s.count("variants WHERE twin <> 0 AND archived_at IS NULL") }
		p := s.make(variants(one("a", 1, size.is("S"), colour.is("red")), one("b", 2, size.is("M"), colour.is("red")), one("c", 2, size.is("L"), colour.is("red"))))
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]
		s.remove(size, "S", "M", "L")
		if n := twins(); n != 2 {
			s.Fatalf("%d duplicates, want 2 of 3 equal variants", n)
		}
		s.change(p.ID, variants(again(b), again(c))) // a, the variant with the duplicate key 0, is archived
		if n := twins(); n != 1 {
			s.Errorf("%d duplicates, want 1 of 2 equal variants", n)
		}
		s.refused(s.edit(p.ID, variants(again(b), again(c), again(a))), "variants[2].options duplicate_combination")
		p = s.change(p.ID, variants(with(b), with(c), again(a)))
		s.has(p, "a: Colour red", "b: ", "c: ")
	})
}

func TestDeletingAnOption_takesItOffAllVariants(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, colour := s.option("Size", "S", "L"), s.option("Colour", "red")
		p := s.make(variants(one("a", 1, size.is("S"), colour.is("red")), one("b", 2, size.is("L")), one("c", 3, colour.is("red"))))
		s.write(func(q database.Querier) error {
			return s.Attributes.Delete(s.Context(), store.In(q, s.storeID), Option, size.ID, nil)
		})
		p = s.change(p.ID, ProductEdit{})
		s.has(p, "a: Colour red", "b: ", "c: Colour red")
		s.refused(s.edit(p.ID, variants(one("d", 1, size.is("S")))), "variants[0].options[0].option_id unknown_option")
	})
}

func TestRemovingAFeatureValue_keepsTheProductAndItsOtherValues(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		fabric, season := s.feature("Fabric", "wool", "silk"), s.feature("Season", "winter")
		p := s.make(ProductEdit{Features: &[]ValueRef{fabric.is("wool"), fabric.is("silk"), season.is("winter")}, Variants: &[]VariantEdit{one("a", 1)}})
		s.remove(fabric, "wool")
		after := s.whole(p.ID)
		if got := carries(after.Features); got != "Fabric silk, Season winter" || after.Version == p.Version {
			s.Errorf("the features are %s in version %d", got, after.Version)
		}
		s.has(after, "a: ")
		s.remove(fabric, "silk")
		s.write(func(q database.Querier) error {
			return s.Attributes.Delete(s.Context(), store.In(q, s.storeID), Feature, season.ID, nil)
		})
		if got := s.whole(p.ID).Features; len(got) != 0 {
			s.Errorf("the features are %s, want none", carries(got))
		}
	})
}

func TestImpact_tellsWhatARemovalWouldDoAndChangesNothing(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, colour := s.option("Size", "S", "M", "L"), s.option("Colour", "red")
		p := s.make(variants(
			one("a", 1, size.is("S"), colour.is("red")), one("b", 2, size.is("M"), colour.is("red")),
			one("c", 3, colour.is("red")), one("d", 4, size.is("L"), colour.is("red")), one("e", 5, size.is("S"))))
		other := s.make(variants(one("f", 1, size.is("M"))))
		before := []int64{p.Version, other.Version}
		seen, err := s.Attributes.Impact(s.Context(), s.db, s.storeID, Option, size.ID, removal(size, "S", "M"))
		if err != nil {
			s.Fatal(err)
		}
		var skus []string
		for _, v := range seen.Variants {
			skus = append(skus, v.SKU)
			if want := map[bool]ProductID{true: other.ID, false: p.ID}[v.SKU == "f"]; v.ProductID != want {
				s.Errorf("variant %s has product %s", v.SKU, v.ProductID)
			}
		}
		if slices.Sort(skus); !slices.Equal(skus, []string{"a", "b", "e", "f"}) || seen.VariantsTotal != 4 {
			s.Errorf("%d variants would lose the option: %q", seen.VariantsTotal, skus)
		}
		want := []VariantID{p.Variants[0].ID, p.Variants[1].ID, p.Variants[2].ID}
		if len(seen.Collisions) != 1 || seen.Collisions[0].ProductID != p.ID || !slices.Equal(seen.Collisions[0].VariantIDs, want) {
			s.Errorf("collisions %v, want one of %v", seen.Collisions, want)
		}
		p, other = s.whole(p.ID), s.whole(other.ID)
		s.has(p, "a: Size S, Colour red", "b: Size M, Colour red", "c: Colour red", "d: Size L, Colour red", "e: Size S")
		if p.Version != before[0] || other.Version != before[1] {
			s.Error("the versions have increased")
		}

		fabric := s.feature("Fabric", "wool", "silk")
		s.change(other.ID, ProductEdit{Features: &[]ValueRef{fabric.is("wool"), fabric.is("silk")}})
		seen, err = s.Attributes.Impact(s.Context(), s.db, s.storeID, Feature, fabric.ID, removal(fabric, "wool", "silk"))
		if err != nil || seen.ProductsTotal != 1 || len(seen.Products) != 1 || seen.Products[0].ID != other.ID {
			s.Errorf("features: %+v, %v", seen, err)
		}
		if got := s.whole(other.ID).Features; len(got) != 2 {
			s.Errorf("the features are %s, want two", carries(got))
		}
	})
}
