package catalog_test

import (
	"slices"
	"testing"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

func TestRemoveOptionValue_removesOptionFromVariants(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		colour := s.option("Colour", "red", "blue")
		p := s.mustCreate(withVariants(
			newVariant("a", 1, size.ref("S"), colour.ref("red")), newVariant("b", 2, size.ref("S"), colour.ref("blue")),
			newVariant("c", 3, size.ref("L"), colour.ref("red")), newVariant("d", 4, size.ref("S"))))
		other := s.mustCreate(withVariants(newVariant("e", 1, size.ref("L"))))
		s.removeValues(size, "S")
		after := s.load(p.ID)
		s.wantVariants(after, "a: Colour red", "b: Colour blue", "c: Size L, Colour red", "d: ")
		for i, v := range after.Variants {
			if was := p.Variants[i]; v.ID != was.ID || v.Price != was.Price {
				s.Errorf("variant %+v has become %+v", was, v)
			}
		}

		if after.Version == p.Version || s.load(other.ID).Version != other.Version {
			s.Error("the version must increase only for the product whose variants changed")
		}
	})
}

func TestRemoveOptionValue_keepsVariantsThatBecomeDuplicates(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "M", "L")
		colour := s.option("Colour", "red", "blue")
		p := s.mustCreate(withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red")),
			newVariant("b", 2, size.ref("M"), colour.ref("red")),
			newVariant("c", 3, size.ref("L"), colour.ref("blue"))))
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]
		s.removeValues(size, "S", "M")
		s.wantVariants(s.load(p.ID), "a: Colour red", "b: Colour red", "c: Size L, Colour blue")

		// Duplicates stay editable as long as their options are not sent, or are sent unchanged.
		p = s.mustEdit(p.ID, ProductEdit{Name: new("Coat")})
		p = s.mustEdit(p.ID, withVariants(unchanged(a), VariantEdit{ID: b.ID, Price: new(money.NewPrice(9))},
			unchanged(c)))
		p = s.mustEdit(p.ID, withVariants(withOptions(a, colour.ref("red")), withOptions(b, colour.ref("red")),
			unchanged(c)))
		s.wantVariants(p, "a: Colour red", "b: Colour red", "c: Size L, Colour blue")

		// A combination that duplicates have is refused for any other variant, even for one that had it before.
		s.wantInvalid(s.edit(p.ID,
			withVariants(unchanged(a), unchanged(b), unchanged(c), newVariant("d", 1, colour.ref("red")))),
			"variants[3].options duplicate_combination")
		s.wantInvalid(s.edit(p.ID, withVariants(unchanged(a), unchanged(b), withOptions(c, colour.ref("red")))),
			"variants[2].options duplicate_combination")
		p = s.mustEdit(p.ID, withVariants(unchanged(a), withOptions(b), unchanged(c)))
		s.wantInvalid(s.edit(p.ID, withVariants(unchanged(a), withOptions(b, colour.ref("red")), unchanged(c))),
			"variants[1].options duplicate_combination")
		s.wantVariants(p, "a: Colour red", "b: ", "c: Size L, Colour blue")
	})
}

func TestEditProduct_resolvesLastDuplicate(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "M", "L")
		colour := s.option("Colour", "red")
		twins := func() int64 { return s.Count("variants WHERE twin <> 0 AND archived_at IS NULL") }
		p := s.mustCreate(withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red")),
			newVariant("b", 2, size.ref("M"), colour.ref("red")), newVariant("c", 2, size.ref("L"), colour.ref("red"))))
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]
		s.removeValues(size, "S", "M", "L")

		if n := twins(); n != 2 {
			s.Fatalf("%d duplicates, want 2 of 3 equal variants", n)
		}

		// This edit archives variant a, which has twin = 0. Variant b must get twin = 0.
		s.mustEdit(p.ID, withVariants(unchanged(b), unchanged(c)))
		if n := twins(); n != 1 {
			s.Errorf("%d duplicates, want 1 of 2 equal variants", n)
		}

		s.wantInvalid(s.edit(p.ID, withVariants(unchanged(b), unchanged(c), unchanged(a))),
			"variants[2].options duplicate_combination")
		p = s.mustEdit(p.ID, withVariants(withOptions(b), withOptions(c), unchanged(a)))
		s.wantVariants(p, "a: Colour red", "b: ", "c: ")
	})
}

func TestDeleteOption_removesItFromAllVariants(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		colour := s.option("Colour", "red")
		p := s.mustCreate(withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red")),
			newVariant("b", 2, size.ref("L")), newVariant("c", 3, colour.ref("red"))))
		s.Write(func(tx store.Tx) error {
			return s.Attributes.Delete(s.Context(), tx, Option, size.ID, nil)
		})
		p = s.mustEdit(p.ID, ProductEdit{})
		s.wantVariants(p, "a: Colour red", "b: ", "c: Colour red")
		s.wantInvalid(s.edit(p.ID, withVariants(newVariant("d", 1, size.ref("S")))),
			"variants[0].options[0].option_id unknown_option")
	})
}

func TestRemoveFeatureValue_keepsProductAndOtherValues(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		fabric := s.feature("Fabric", "wool", "silk")
		season := s.feature("Season", "winter")
		p := s.mustCreate(ProductEdit{Features: &[]ValueRef{fabric.ref("wool"), fabric.ref("silk"),
			season.ref("winter")}, Variants: &[]VariantEdit{newVariant("a", 1)}})
		s.removeValues(fabric, "wool")

		after := s.load(p.ID)
		if got := formatValues(after.Features); got != "Fabric silk, Season winter" || after.Version == p.Version {
			s.Errorf("the features are %s in version %d", got, after.Version)
		}

		s.wantVariants(after, "a: ")
		s.removeValues(fabric, "silk")
		s.Write(func(tx store.Tx) error {
			return s.Attributes.Delete(s.Context(), tx, Feature, season.ID, nil)
		})

		if got := s.load(p.ID).Features; len(got) != 0 {
			s.Errorf("the features are %s, want none", formatValues(got))
		}
	})
}

func TestImpact_reportsRemovalWithoutChanges(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "M", "L")
		colour := s.option("Colour", "red")
		p := s.mustCreate(withVariants(
			newVariant("a", 1, size.ref("S"), colour.ref("red")), newVariant("b", 2, size.ref("M"), colour.ref("red")),
			newVariant("c", 3, colour.ref("red")), newVariant("d", 4, size.ref("L"), colour.ref("red")),
			newVariant("e", 5, size.ref("S"))))
		other := s.mustCreate(withVariants(newVariant("f", 1, size.ref("M"))))
		before := []int64{p.Version, other.Version}

		seen, err := s.Attributes.Impact(s.Context(), s.DB.WriteAlone, s.Store.ID, Option, size.ID,
			removeEdit(size, "S", "M"))
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
		if len(seen.Collisions) != 1 || seen.Collisions[0].ProductID != p.ID ||
			!slices.Equal(seen.Collisions[0].VariantIDs, want) {
			s.Errorf("collisions %v, want one of %v", seen.Collisions, want)
		}

		p, other = s.load(p.ID), s.load(other.ID)
		s.wantVariants(p, "a: Size S, Colour red", "b: Size M, Colour red", "c: Colour red", "d: Size L, Colour red",
			"e: Size S")
		if p.Version != before[0] || other.Version != before[1] {
			s.Error("the versions have increased")
		}

		fabric := s.feature("Fabric", "wool", "silk")
		s.mustEdit(other.ID, ProductEdit{Features: &[]ValueRef{fabric.ref("wool"), fabric.ref("silk")}})
		seen, err = s.Attributes.Impact(s.Context(), s.DB.WriteAlone, s.Store.ID, Feature, fabric.ID,
			removeEdit(fabric, "wool", "silk"))
		if err != nil || seen.ProductsTotal != 1 || len(seen.Products) != 1 || seen.Products[0].ID != other.ID {
			s.Errorf("features: %+v, %v", seen, err)
		}
		if got := s.load(other.ID).Features; len(got) != 2 {
			s.Errorf("the features are %s, want two", formatValues(got))
		}
	})
}
