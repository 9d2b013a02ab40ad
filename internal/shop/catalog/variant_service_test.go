package catalog_test

import (
	"context"
	"slices"
	"testing"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

type variantAction func(context.Context, store.Tx, ProductID, VariantID, fault.Precondition) error

// tryVariantAction archives, restores or deletes a variant.
func (s *catalogFixture) tryVariantAction(to variantAction, productID ProductID, variantID VariantID) error {
	return s.TryWrite(func(tx store.Tx) error {
		return to(s.Context(), tx, productID, variantID, nil)
	})
}

func (s *catalogFixture) editVariant(productID ProductID, variantID VariantID, e VariantEdit) error {
	return s.TryWrite(func(tx store.Tx) error {
		return s.Products.EditVariant(s.Context(), tx, productID, variantID, e, nil)
	})
}

func (s *catalogFixture) addVariant(productID ProductID, e VariantEdit) (variantID VariantID, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		variantID, err = s.Products.CreateVariant(s.Context(), tx, productID, e, nil)
		return err
	})
	return variantID, err
}

// must fails the test if err is not nil.
func (s *catalogFixture) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// loadVariant reads a variant with its options and remainders, archived or not.
func (s *catalogFixture) loadVariant(productID ProductID, variantID VariantID) (v Variant) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		v, _, err = s.Products.FindVariant(s.Context(), tx, productID, variantID, AnyArchived)
		return err
	})
	return v
}

func TestVariant_addEditAndDeleteKeepOtherVariants(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "M", "L")
		near := s.stock("near")
		p := s.mustCreate(withVariants(newVariant("a", 1, size.ref("S")), newVariant("b", 2)))
		a := p.Variants[0].ID
		added := newVariant("c", 3, size.ref("M"))
		added.ID, added.ExternalID, added.Remainders = a, new("x"), remainderEdits(near, 4000) // the id is ignored
		c, err := s.addVariant(p.ID, added)
		s.must(err)
		after := s.load(p.ID)
		s.wantVariants(after, "a: Size S", "b: ", "c: Size M")
		s.wantRemainders(after, "4000", " = none", " = none", "4000/0 = 4000")
		if c == a || after.Version != p.Version+1 || !after.UpdatedAt.After(p.UpdatedAt) || *after.PriceTo != 3 {
			s.Errorf("after an addition: %+v", after)
		}

		s.must(s.editVariant(p.ID, a,
			VariantEdit{Price: new(money.NewPrice(9)), Options: &[]ValueRef{size.ref("L")}, Name: new("A"),
				SKU: new("aa")}))
		after = s.load(p.ID)
		s.wantVariants(after, "aa: Size L", "b: ", "c: Size M")
		if v := s.loadVariant(p.ID, a); v.Price != money.NewPrice(9) || v.Name != "A" ||
			formatValues(v.Options) != "Size L" ||
			after.Version != p.Version+2 || len(s.search("aa")) != 1 || len(s.search("a")) != 1 {
			s.Errorf("after an edit: %+v", v)
		}

		s.must(s.tryVariantAction(s.Products.DeleteVariant, p.ID, c))
		after = s.load(p.ID)
		s.wantVariants(after, "aa: Size L", "b: ")
		if s.Count("variants") != 2 || s.Count("remainders") != 0 || s.Count("variant_values") != 1 ||
			after.Available != nil || len(s.search("c")) != 0 {
			s.Error("the deleted variant left rows or search words")
		}

		if err := s.tryVariantAction(s.Products.DeleteVariant, p.ID, c); fault.KindOf(err) != fault.NotFound {
			s.Errorf("deleted twice: %v", err)
		}
	})
}

func TestVariant_singleEditObeysRulesOfFullList(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "M")
		a := newVariant("a", 1, size.ref("S"))
		b := newVariant("b", 2, size.ref("M"))
		a.ExternalID, b.ExternalID = new("ext-a"), new("ext-b")
		p := s.mustCreate(withVariants(a, b))
		s.must(s.tryVariantAction(s.Products.ArchiveVariant, p.ID, p.Variants[1].ID))

		for _, c := range []struct {
			e    VariantEdit
			want []string
		}{
			{VariantEdit{}, []string{"price required"}},
			{newVariant("x", 1, size.ref("S")), []string{"options duplicate_combination"}},
			{newVariant("x", 1, size.ref("S"), size.ref("M")), []string{"options[1].option_id duplicate_option"}},
			{newVariant("x", 1, size.ref("XL")), []string{"options[0].value_id unknown_value"}},
			{newVariant("x", 1, ValueRef{}), []string{"options[0].option_id unknown_option"}},
			{VariantEdit{Options: &[]ValueRef{{}}}, []string{"price required", "options[0].option_id unknown_option"}},
		} {
			_, err := s.addVariant(p.ID, c.e)
			s.wantInvalid(err, c.want...)
		}

		for _, external := range []string{"ext-a", "ext-b"} { // ext-b belongs to an archived variant
			e := newVariant("x", 1)
			e.ExternalID = &external
			_, err := s.addVariant(p.ID, e)
			s.wantExternalIDTaken(err, "external_id")
		}

		c, err := s.addVariant(p.ID, newVariant("c", 1, size.ref("M")))
		s.must(err)
		s.wantInvalid(s.editVariant(p.ID, c, VariantEdit{Options: &[]ValueRef{size.ref("S")}}),
			"options duplicate_combination")
		s.wantExternalIDTaken(s.editVariant(p.ID, c, VariantEdit{ExternalID: new("ext-a")}), "external_id")

		// An edit may send the variant's own combination.
		s.must(s.editVariant(p.ID, c, VariantEdit{Options: &[]ValueRef{size.ref("M")}, ExternalID: new("mine")}))
		s.must(s.editVariant(p.ID, c, VariantEdit{ExternalID: new("")}))

		if v := s.loadVariant(p.ID, c); v.ExternalID != nil {
			s.Errorf("the external id %s was not removed", *v.ExternalID)
		}

		s.wantVariants(s.load(p.ID), "a: Size S", "c: Size M")
	})
}

func TestRestoreVariant_requiresFreeCombination(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "M")
		near := s.stock("near")
		small := newVariant("a", 1, size.ref("S"))
		small.Remainders = remainderEdits(near, 5)
		p := s.mustCreate(withVariants(small, newVariant("b", 7)))
		a := p.Variants[0].ID

		for range 2 { // the second call changes nothing
			s.must(s.tryVariantAction(s.Products.ArchiveVariant, p.ID, a))
			if after := s.load(p.ID); after.Version != p.Version+1 || *after.PriceFrom != 7 || after.Available != nil ||
				len(s.search("a")) != 0 {
				s.Errorf("archived: %+v", after)
			}
		}

		// An edited variant stays archived.
		s.must(s.editVariant(p.ID, a,
			VariantEdit{Price: new(money.NewPrice(3)), SKU: new("z"), Remainders: remainderEdits(near, 6)}))

		if v := s.loadVariant(p.ID, a); v.ArchivedAt == nil || v.Price != money.NewPrice(3) || *v.Available != 6 ||
			len(s.search("z")) != 0 {
			s.Errorf("an edit of the archived variant gave %+v", v)
		}

		c, err := s.addVariant(p.ID, newVariant("c", 1, size.ref("S")))
		s.must(err)
		s.wantInvalid(s.tryVariantAction(s.Products.RestoreVariant, p.ID, a), "options duplicate_combination")

		// An archived variant may have the combination of another variant.
		s.must(s.editVariant(p.ID, a, VariantEdit{Options: &[]ValueRef{size.ref("S")}}))
		s.must(s.editVariant(p.ID, c, VariantEdit{Options: &[]ValueRef{size.ref("M")}}))
		version := s.load(p.ID).Version

		for range 2 {
			s.must(s.tryVariantAction(s.Products.RestoreVariant, p.ID, a))
		}

		after := s.load(p.ID)
		s.wantVariants(after, "z: Size S", "b: ", "c: Size M")
		if after.Version != version+1 || after.Variants[0].Price != money.NewPrice(3) || *after.Available != 6 ||
			len(s.search("z")) != 1 {
			s.Errorf("restored: %+v", after)
		}
	})
}

func TestDeleteVariant_resolvesDuplicates(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "M", "L")
		colour := s.option("Colour", "red")
		p := s.mustCreate(withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red")),
			newVariant("b", 1, size.ref("M"), colour.ref("red")), newVariant("c", 1, size.ref("L"), colour.ref("red"))))
		a, b, c := p.Variants[0].ID, p.Variants[1].ID, p.Variants[2].ID
		s.removeValues(size, "S", "M", "L") // the only option of all three variants is now Colour red
		twins := func() int64 { return s.Count("variants WHERE twin <> 0 AND archived_at IS NULL") }
		s.must(s.editVariant(p.ID, b, VariantEdit{Price: new(money.NewPrice(9))})) // a duplicate stays editable
		s.must(s.tryVariantAction(s.Products.DeleteVariant, p.ID, a))
		if n := twins(); n != 1 {
			s.Errorf("%d duplicates, want 1 of 2 equal variants", n)
		}

		_, err := s.addVariant(p.ID, newVariant("d", 1, colour.ref("red")))
		s.wantInvalid(err, "options duplicate_combination")
		s.must(s.tryVariantAction(s.Products.ArchiveVariant, p.ID, b))

		if n := twins(); n != 0 {
			s.Errorf("%d duplicates of a single variant, want none", n)
		}

		s.wantInvalid(s.tryVariantAction(s.Products.RestoreVariant, p.ID, b), "options duplicate_combination")
		s.must(s.editVariant(p.ID, c, VariantEdit{Options: &[]ValueRef{}}))
		s.must(s.tryVariantAction(s.Products.RestoreVariant, p.ID, b))
		s.wantVariants(s.load(p.ID), "b: Colour red", "c: ")
	})
}

func TestListVariants_returnsPages(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S")
		near := s.stock("near")
		first := newVariant("a", 1, size.ref("S"))
		first.Remainders = remainderEdits(near, 5)
		p := s.mustCreate(withVariants(first, newVariant("b", 1), newVariant("c", 1), newVariant("d", 1)))
		s.mustCreate(withVariants(newVariant("other", 1)))
		s.must(s.tryVariantAction(s.Products.ArchiveVariant, p.ID, p.Variants[1].ID))
		s.must(s.tryVariantAction(s.Products.ArchiveVariant, p.ID, p.Variants[3].ID))

		for _, c := range []struct {
			which         Archived
			limit, offset int64
			want          []string
			total         int64
		}{
			{Live, 10, 0, []string{"a", "c"}, 2},
			{OnlyArchived, 10, 0, []string{"b", "d"}, 2},
			{AnyArchived, 3, 0, []string{"a", "b", "c"}, 4},
			{AnyArchived, 3, 3, []string{"d"}, 4},
			{AnyArchived, 3, 6, nil, 4},
		} {
			s.Read(func(tx store.Tx) error {
				list, total, err := s.Products.ListVariants(s.Context(), tx, p.Product, c.which, c.limit,
					c.offset)
				var got []string
				for _, v := range list {
					got = append(got, v.SKU)
					if (v.ArchivedAt != nil) != slices.Contains([]string{"b", "d"}, v.SKU) {
						s.Errorf("%s is archived at %v", v.SKU, v.ArchivedAt)
					}
				}

				if !slices.Equal(got, c.want) || total != c.total {
					s.Errorf("%+v gives %q of %d", c, got, total)
				}

				if c.which == Live &&
					(formatRemainders(list[0]) != "5/0 = 5" || formatValues(list[0].Options) != "Size S") {
					s.Errorf("the first is %+v", list[0])
				}

				return err
			})
		}

		s.Read(func(tx store.Tx) (err error) {
			p, err = s.readFull(tx, p.Key, AnyArchived)
			return err
		})
		s.wantVariants(p, "a: Size S", "b: ", "c: ", "d: ")
	})
}

func TestFindVariant_onlyInItsProduct(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		other := s.otherStore()
		mine := s.mustCreate(withVariants(newVariant("a", 1)))
		second := s.mustCreate(withVariants(newVariant("b", 1)))
		theirs := other.mustCreate(withVariants(newVariant("c", 1)))
		v := mine.Variants[0].ID
		missing := func(err error) {
			s.Helper()
			if fault.KindOf(err) != fault.NotFound {
				s.Errorf("got %v, want not found", err)
			}
		}

		read := func(productID ProductID, variantID VariantID, which Archived) error {
			return s.TryRead(func(tx store.Tx) error {
				_, _, err := s.Products.FindVariant(s.Context(), tx, productID, variantID, which)
				return err
			})
		}
		for _, at := range []struct {
			product ProductID
			variant VariantID
		}{{second.ID, v}, {mine.ID, second.Variants[0].ID}, {mine.ID, VariantID{}}, {ProductID{}, v}, {theirs.ID, v},
			{theirs.ID, theirs.Variants[0].ID}} {
			missing(read(at.product, at.variant, AnyArchived))
			missing(s.editVariant(at.product, at.variant, VariantEdit{Name: new("x")}))
			for _, to := range []variantAction{s.Products.ArchiveVariant, s.Products.RestoreVariant,
				s.Products.DeleteVariant} {
				missing(s.tryVariantAction(to, at.product, at.variant))
			}
		}

		_, err := s.addVariant(theirs.ID, newVariant("x", 1))
		missing(err)
		s.must(read(mine.ID, v, Live))
		s.must(s.tryVariantAction(s.Products.ArchiveVariant, mine.ID, v))
		missing(read(mine.ID, v, Live))
		s.must(read(mine.ID, v, AnyArchived))
		s.must(s.tryVariantAction(s.Products.RestoreVariant, mine.ID, v))
		s.mustAction(s.Products.Archive, mine.ID)
		missing(read(mine.ID, v, Live))
		s.must(read(mine.ID, v, AnyArchived))

		stale := func(int64) bool { return false }
		for _, write := range []func(tx store.Tx) error{
			func(tx store.Tx) error {
				return s.Products.EditVariant(s.Context(), tx, mine.ID, v, VariantEdit{}, stale)
			},
			func(tx store.Tx) error {
				return s.Products.DeleteVariant(s.Context(), tx, mine.ID, v, stale)
			},
			func(tx store.Tx) error {
				_, err := s.Products.CreateVariant(s.Context(), tx, mine.ID, newVariant("x", 1),
					stale)
				return err
			},
		} {
			if err := s.TryWrite(write); fault.KindOf(err) != fault.Stale {
				s.Errorf("got %v, want stale", err)
			}
		}
	})
}
