package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

func TestCreateProduct_storesAllFields(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		colour := s.option("Colour", "red", "blue")
		fabric := s.feature("Fabric", "wool", "silk")
		weight := s.feature("Weight", "10")

		p := s.mustCreate(ProductEdit{
			Description: new("Warm"), ExternalID: new("7"),
			Features: &[]ValueRef{weight.ref("10"), fabric.ref("silk"), fabric.ref("wool")},
			Variants: &[]VariantEdit{
				{ExternalID: new("a"), Name: new("Large"), SKU: new("l"), Price: new(money.NewPrice(199900)),
					Options: &[]ValueRef{colour.ref("red"), size.ref("L")}},
				newVariant("s", 100, size.ref("S")),
				newVariant("plain", 5000000),
			},
		})
		if *p.ExternalID != "7" || p.Name != "Shirt" || p.Description != "Warm" || p.Version != 1 ||
			!p.CreatedAt.Equal(p.UpdatedAt) || p.ArchivedAt != nil {
			s.Errorf("read back %+v", p)
		}

		if *p.PriceFrom != 100 || *p.PriceTo != 5000000 || p.VariantCount != 3 {
			s.Errorf("prices from %d to %d of %d variants", *p.PriceFrom, *p.PriceTo, p.VariantCount)
		}

		// Both lists are ordered by creation of the attributes and values, not as in the request.
		if got := formatValues(p.Features); got != "Fabric wool, Fabric silk, Weight 10" {
			s.Errorf("features %s", got)
		}

		s.wantVariants(p, "l: Size L, Colour red", "s: Size S", "plain: ")

		if v := p.Variants[0]; *v.ExternalID != "a" || v.Name != "Large" || v.Price != money.NewPrice(199900) ||
			p.Variants[1].ExternalID != nil {
			s.Errorf("variant %+v", v)
		}

		bare := s.mustCreate(ProductEdit{})
		if bare.PriceFrom != nil || bare.PriceTo != nil || bare.ExternalID != nil ||
			len(bare.Variants)+len(bare.Features) != 0 {
			s.Errorf("empty product: %+v", bare)
		}
	})
}

func TestCreateProduct_ignoresIDsOfVariants(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		first := s.mustCreate(withVariants(newVariant("a", 1)))
		copied := newVariant("a", 1)
		copied.ID = first.Variants[0].ID
		second := s.mustCreate(withVariants(copied))
		if second.Variants[0].ID == first.Variants[0].ID || len(s.load(first.ID).Variants) != 1 {
			s.Error("the variant was moved to the new product")
		}
	})
}

func TestCreateProduct_refusedEditLeavesNoRows(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S")
		_, err := s.tryCreate(withVariants(newVariant("a", 1, size.ref("S")), VariantEdit{}))
		s.wantInvalid(err, "name required", "variants[1].price required")
		if n := s.Count("products") + s.Count("variants") + s.Count("variant_values"); n != 0 {
			s.Errorf("%d rows are left", n)
		}
	})
}

func TestEditProduct_changesOnlySentFields(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		fabric := s.feature("Fabric", "wool", "silk")
		p := s.mustCreate(ProductEdit{
			Description: new("Warm"), ExternalID: new("7"), Features: &[]ValueRef{fabric.ref("wool")},
			Variants: &[]VariantEdit{newVariant("a", 1, size.ref("S")), newVariant("b", 2, size.ref("L"))},
		})
		p = s.mustEdit(p.ID, ProductEdit{Name: new("Coat")})
		if p.Name != "Coat" || p.Description != "Warm" || *p.ExternalID != "7" ||
			formatValues(p.Features) != "Fabric wool" {
			s.Errorf("after a new name: %+v", p)
		}

		s.wantVariants(p, "a: Size S", "b: Size L")
		p = s.mustEdit(p.ID, ProductEdit{Description: new(""), ExternalID: new(""),
			Features: &[]ValueRef{fabric.ref("silk")}})
		if p.Name != "Coat" || p.Description != "" || p.ExternalID != nil || formatValues(p.Features) != "Fabric silk" {
			s.Errorf("after clearing: %+v", p)
		}

		a, b := p.Variants[0], p.Variants[1]
		p = s.mustEdit(p.ID, withVariants(unchanged(b), VariantEdit{ID: a.ID, Price: new(money.NewPrice(9)),
			Name: new("A")}))
		s.wantVariants(p, "a: Size S", "b: Size L")
		if v := p.Variants[0]; v.Price != money.NewPrice(9) || v.Name != "A" || v.ID != a.ID || *p.PriceTo != 9 {
			s.Errorf("after a new price: %+v", v)
		}

		p = s.mustEdit(p.ID, withVariants(withOptions(a), unchanged(b)))
		s.wantVariants(p, "a: ", "b: Size L")
		p = s.mustEdit(p.ID, ProductEdit{Features: &[]ValueRef{}, Variants: &[]VariantEdit{}})
		if len(p.Variants)+len(p.Features) != 0 || p.PriceFrom != nil {
			s.Errorf("after empty lists: %+v", p)
		}
	})
}

func TestEditProduct_archivesOmittedVariantsAndRestoresSentOnes(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		b := newVariant("b", 2, size.ref("L"))
		b.ExternalID = new("ext-b")
		p := s.mustCreate(withVariants(newVariant("a", 1, size.ref("S")), b, newVariant("c", 3)))
		before := p.Variants
		p = s.mustEdit(p.ID, withVariants(unchanged(before[2])))
		s.wantVariants(p, "c: ")

		if s.Count("variants") != 3 || s.Count("variant_values") != 2 {
			s.Error("variants were deleted, not archived")
		}

		// Variant b is restored by its external id and variant a by its id. Nothing else of them changes.
		p = s.mustEdit(p.ID, withVariants(VariantEdit{ExternalID: new("ext-b")}, unchanged(before[0])))
		s.wantVariants(p, "a: Size S", "b: Size L")
		if p.Variants[0].ID != before[0].ID || p.Variants[1].ID != before[1].ID ||
			p.Variants[1].Price != money.NewPrice(2) {
			s.Error("other variants were restored")
		}
	})
}

func TestEditProduct_increasesVersionAndRefusesStaleVersion(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		before := s.mustCreate(ProductEdit{})
		after := s.mustEdit(before.ID, ProductEdit{}) // the fixture's clock does not advance
		if after.Version != before.Version+1 || !after.UpdatedAt.After(before.UpdatedAt) {
			s.Errorf("version %d → %d, %s → %s", before.Version, after.Version, before.UpdatedAt, after.UpdatedAt)
		}

		at := func(version int64) fault.Precondition { return func(v int64) bool { return v == version } }
		if err := s.editIf(before.ID, ProductEdit{Name: new("x")},
			at(before.Version)); fault.KindOf(err) != fault.Stale {
			s.Errorf("edit: got %v", err)
		}

		remove := func(version int64) error {
			return s.TryWrite(func(tx store.Tx) error {
				return s.Products.Delete(s.Context(), tx, before.ID, at(version))
			})
		}
		if err := remove(before.Version); fault.KindOf(err) != fault.Stale {
			s.Errorf("delete: got %v", err)
		}

		won := 0
		for _, err := range concurrently(10,
			func(int) error { return s.editIf(before.ID, ProductEdit{Name: new("y")}, at(after.Version)) }) {
			if err == nil {
				won++
			} else if fault.KindOf(err) != fault.Stale {
				s.Error(err)
			}
		}

		if won != 1 {
			s.Errorf("%d edits of the same version succeeded, want 1", won)
		}
		if err := remove(after.Version + 1); err != nil {
			s.Error(err)
		}
	})
}

func TestDeleteProduct_deletesOnlyItsOwnRows(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		fabric := s.feature("Fabric", "wool")
		e := ProductEdit{Features: &[]ValueRef{fabric.ref("wool")},
			Variants: &[]VariantEdit{newVariant("a", 1, size.ref("S")), newVariant("b", 2, size.ref("L"))}}
		gone, stays := s.mustCreate(e), s.mustCreate(e)
		s.Write(func(tx store.Tx) error {
			return s.Products.Delete(s.Context(), tx, gone.ID, nil)
		})

		if p, v, o, f := s.Count("products"), s.Count("variants"), s.Count("variant_values"),
			s.Count("product_values"); p != 1 || v != 2 || o != 2 || f != 1 {
			s.Errorf("left: %d products, %d variants, %d options, %d features", p, v, o, f)
		}

		s.wantVariants(s.load(stays.ID), "a: Size S", "b: Size L")
		if err := s.edit(gone.ID, ProductEdit{}); fault.KindOf(err) != fault.NotFound {
			s.Errorf("edit of the deleted product: got %v, want not found", err)
		}
	})
}

func TestProduct_externalIDsAreUnique(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		first := s.mustCreate(ProductEdit{ExternalID: new("7")})
		second := s.mustCreate(ProductEdit{ExternalID: new("8")})
		_, err := s.tryCreate(withName("x", ProductEdit{ExternalID: new("7")}))
		s.wantExternalIDTaken(err, "external_id")
		s.wantExternalIDTaken(s.edit(second.ID, ProductEdit{ExternalID: new("7")}), "external_id")
		s.mustEdit(first.ID, ProductEdit{ExternalID: new("7")}) // an edit may send the external id that the product has
		other := s.otherStore()
		other.mustCreate(ProductEdit{ExternalID: new("7")})

		won := 0
		for _, err := range concurrently(20, func(int) error {
			_, err := s.tryCreate(withName("x", ProductEdit{ExternalID: new("9")}))
			return err
		}) {
			if err == nil {
				won++
			} else {
				s.wantExternalIDTaken(err, "external_id")
			}
		}

		if won != 1 {
			s.Errorf("%d products got the same external id, want 1", won)
		}
	})
}

func TestProduct_externalIDTakenAfterCheckIsConflict(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.mustCreate(ProductEdit{ExternalID: new("7")})
		p := s.mustCreate(ProductEdit{})
		p.ExternalID = new("7")
		s.wantExternalIDTaken(s.TryWrite(func(tx store.Tx) error {
			ws := &ProductWrites{Tx: tx, Time: p.UpdatedAt, List: []*ProductWrite{{Product: p.Product}}}
			return ws.UpdateProducts(s.Context())
		}), "external_id")
	})
}

func TestVariant_externalIDsAreUniqueWithinTheProduct(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		called := func(v VariantEdit, externalID string) VariantEdit {
			v.ExternalID = &externalID
			return v
		}
		p := s.mustCreate(withVariants(called(newVariant("a", 1), "x"), called(newVariant("b", 2), "y"),
			called(newVariant("c", 3), "z")))
		s.mustCreate(withVariants(called(newVariant("a", 1), "x"))) // external ids are unique per product only
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]

		s.wantExternalIDTaken(s.edit(p.ID, withVariants(called(unchanged(a), "y"), unchanged(b), unchanged(c))),
			"variants[0].external_id")

		// The external id z belongs to an archived variant.
		s.wantExternalIDTaken(s.edit(p.ID, withVariants(unchanged(b), called(unchanged(a), "z"))),
			"variants[1].external_id")
		s.wantInvalid(s.edit(p.ID, withVariants(called(newVariant("d", 1), "n"), called(newVariant("e", 1), "n"))),
			"variants[1].external_id duplicate_external_id")
		s.wantInvalid(s.edit(p.ID, withVariants(called(unchanged(a), "y"), called(unchanged(b), "y"))),
			"variants[1].external_id duplicate_external_id")

		p = s.mustEdit(p.ID, withVariants(called(unchanged(a), "y"), called(unchanged(b), "z"),
			called(unchanged(c), "x")))
		for i, want := range []string{"y", "z", "x"} {
			if got := *p.Variants[i].ExternalID; got != want {
				s.Errorf("after the rotation variant %d has %s, want %s", i, got, want)
			}
		}

		p = s.mustEdit(p.ID, withVariants(called(unchanged(a), ""), unchanged(b), unchanged(c)))
		if p.Variants[0].ExternalID != nil {
			s.Error("the external id was not removed")
		}
	})
}

func TestEditProduct_refusesForeignOrRepeatedVariant(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := newVariant("a", 1)
		a.ExternalID = new("x")
		p := s.mustCreate(withVariants(a, newVariant("b", 2)))
		other := s.mustCreate(withVariants(newVariant("c", 3)))
		mine := p.Variants[0]
		s.wantInvalid(s.edit(p.ID, withVariants(unchanged(mine), unchanged(other.Variants[0]))),
			"variants[1].id unknown_variant")
		s.wantInvalid(s.edit(p.ID, withVariants(unchanged(mine), unchanged(mine))), "variants[1].id duplicate_variant")
		s.wantInvalid(s.edit(p.ID, withVariants(unchanged(mine), VariantEdit{ExternalID: new("x")})),
			"variants[1].external_id duplicate_variant")
		s.wantInvalid(s.edit(p.ID, withVariants(unchanged(mine), VariantEdit{ExternalID: new("new")})),
			"variants[1].price required")
		s.wantVariants(s.load(p.ID), "a: ", "b: ")
	})
}

func TestProduct_referencesAreChecked(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		size := s.option("Size", "S", "L")
		colour := s.option("Colour", "red")
		fabric := s.feature("Fabric", "wool", "silk")
		none := ValueRef{fabric.ID, size.values["S"]}
		for _, c := range []struct {
			e    ProductEdit
			want []string
		}{
			{ProductEdit{Features: &[]ValueRef{fabric.ref("wool"), {AttributeID{1}, fabric.values["silk"]}}},
				[]string{"features[1].feature_id unknown_feature"}},
			{ProductEdit{Features: &[]ValueRef{fabric.ref("wool"), fabric.ref("nylon")}},
				[]string{"features[1].value_id unknown_value"}},
			{ProductEdit{Features: &[]ValueRef{none}}, []string{"features[0].value_id unknown_value"}},
			{ProductEdit{Features: &[]ValueRef{size.ref("S")}}, []string{"features[0].feature_id unknown_feature"}},
			{ProductEdit{Features: &[]ValueRef{fabric.ref("wool"), fabric.ref("silk"), fabric.ref("wool")}},
				[]string{"features[2] duplicate_value"}},
			{withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red"), fabric.ref("wool"))),
				[]string{"variants[0].options[2].option_id unknown_option"}},
			{withVariants(newVariant("a", 1), newVariant("b", 1, ValueRef{AttributeID{1}, ValueID{1}})),
				[]string{"variants[1].options[0].option_id unknown_option"}},
			{withVariants(newVariant("a", 1, ValueRef{size.ID, colour.values["red"]})),
				[]string{"variants[0].options[0].value_id unknown_value"}},
			{withVariants(newVariant("a", 1, size.ref("S"), colour.ref("red"), size.ref("L"))),
				[]string{"variants[0].options[2].option_id duplicate_option"}},
			{withVariants(newVariant("a", 1, size.ref("S"), size.ref("S"))),
				[]string{"variants[0].options[1].option_id duplicate_option"}},
			{ProductEdit{Features: &[]ValueRef{none}, Variants: &[]VariantEdit{newVariant("a", 1, size.ref("XL")), {}}},
				[]string{"features[0].value_id unknown_value", "variants[0].options[0].value_id unknown_value",
					"variants[1].price required"}},
		} {
			_, err := s.tryCreate(withName("x", c.e))
			s.wantInvalid(err, c.want...)
		}

		if s.Count("products") != 0 {
			s.Error("a refused product was created")
		}
	})
}

func TestProducts_areIsolatedByStore(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		other := s.otherStore()
		size := other.option("Size", "S")
		fabric := other.feature("Fabric", "wool")
		theirs := other.mustCreate(withVariants(newVariant("a", 1, size.ref("S"))))
		err := s.TryRead(func(tx store.Tx) error {
			_, err := s.Products.Find(s.Context(), tx, theirs.ID, AnyArchived)
			return err
		})
		if fault.KindOf(err) != fault.NotFound || !strings.HasPrefix(err.Error(),
			"read product "+theirs.ID.String()+": ") {
			s.Errorf("read: got %v, want not found with what was tried", err)
		}

		// The edit has an unknown value, too, but fault.NotFound takes precedence.
		if err := s.edit(theirs.ID,
			withVariants(unchanged(theirs.Variants[0]),
				newVariant("x", 1, size.ref("none")))); fault.KindOf(err) != fault.NotFound {
			s.Errorf("edit: got %v", err)
		}

		err = s.TryWrite(func(tx store.Tx) error {
			return s.Products.Delete(s.Context(), tx, theirs.ID, nil)
		})
		if fault.KindOf(err) != fault.NotFound {
			s.Errorf("delete: got %v", err)
		}

		_, err = s.tryCreate(withName("x",
			ProductEdit{Features: &[]ValueRef{fabric.ref("wool")},
				Variants: &[]VariantEdit{newVariant("a", 1, size.ref("S"))}}))
		s.wantInvalid(err, "features[0].feature_id unknown_feature", "variants[0].options[0].option_id unknown_option")
		mine := s.mustCreate(withVariants(newVariant("a", 1)))
		s.wantInvalid(s.edit(mine.ID, withVariants(unchanged(theirs.Variants[0]))), "variants[0].id unknown_variant")

		if list := s.search(""); len(list) != 1 {
			s.Errorf("%d products are listed, want only the store's own", len(list))
		}

		other.wantVariants(other.load(theirs.ID), "a: Size S")
	})
}

// search returns the names of the products that are not archived and match a search.
func (s *catalogFixture) search(search string) (names []string) {
	s.Helper()
	c := store.NewConditions()
	c.AndSearch("words", search)
	s.Read(func(tx store.Tx) error {
		names = nil
		return database.QueryEach(s.Context(), tx,
			"SELECT name FROM products WHERE store_id = $1 AND archived_at IS NULL"+c.String()+" ORDER BY key",
			c.Args(),
			database.AppendColumn(&names))
	})
	return names
}

func TestProducts_searchTextHasNameSKUsAndExternalID(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		p := s.mustCreate(ProductEdit{Name: new("x"), ExternalID: new("ERP-77"),
			Variants: &[]VariantEdit{newVariant("ЩЁТКА-1", 1), newVariant("brush2", 1)}})
		s.mustEdit(p.ID, ProductEdit{Name: new("Große Bürste")})
		s.mustCreate(ProductEdit{})
		found := func(q string) bool { return slices.Equal(s.search(q), []string{"Große Bürste"}) }

		for _, q := range []string{"grosse", "BÜR", "щётка", "brush2 1", "erp 77", "77"} {
			if !found(q) {
				s.Errorf("%q does not find the product", q)
			}
		}

		p = s.load(p.ID)
		s.mustEdit(p.ID, withVariants(unchanged(p.Variants[1])))

		if found("щётка") || !found("brush2") {
			s.Error("the search text has the SKU of an archived variant, or lacks that of the other variant")
		}

		s.mustEdit(p.ID, ProductEdit{Description: new("Soft")})
		if found("щётка") || !found("brush2") {
			s.Error("an edit without variants changes the SKUs in the search text")
		}

		s.mustEdit(p.ID, ProductEdit{Variants: &[]VariantEdit{{ID: p.Variants[0].ID, SKU: new("mop")}},
			ExternalID: new("")})
		if found("brush2") || found("erp") || !found("mop") {
			s.Error("the search text has words from before the edit")
		}
		if got := s.search(""); len(got) != 2 {
			s.Errorf("without a search: %q", got)
		}
	})
}
