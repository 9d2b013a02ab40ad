package catalog

import (
	"slices"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

func TestCreateProduct_isReadBackWhole(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, colour := s.option("Size", "S", "L"), s.option("Colour", "red", "blue")
		fabric, weight := s.feature("Fabric", "wool", "silk"), s.feature("Weight", "10")
		p := s.make(ProductEdit{
			Description: new("Warm"), ExternalID: new("7"),
			Features: &[]ValueRef{weight.is("10"), fabric.is("silk"), fabric.is("wool")},
			Variants: &[]VariantEdit{
				{ExternalID: new("a"), Name: new("Large"), SKU: new("l"), Price: new(Money(199900)), Options: &[]ValueRef{colour.is("red"), size.is("L")}},
				one("s", 100, size.is("S")),
				one("plain", 5000000),
			},
		})
		if *p.ExternalID != "7" || p.Name != "Shirt" || p.Description != "Warm" || p.Version != 1 || !p.CreatedAt.Equal(p.UpdatedAt) || p.ArchivedAt != nil {
			s.Errorf("read back %+v", p)
		}
		if *p.PriceFrom != 100 || *p.PriceTo != 5000000 || p.VariantCount != 3 {
			s.Errorf("prices from %d to %d of %d variants", *p.PriceFrom, *p.PriceTo, p.VariantCount)
		}
		// Both lists are ordered by creation of the attributes and values, not as in the request.
		if got := carries(p.Features); got != "Fabric wool, Fabric silk, Weight 10" {
			s.Errorf("features %s", got)
		}
		s.has(p, "l: Size L, Colour red", "s: Size S", "plain: ")
		if v := p.Variants[0]; *v.ExternalID != "a" || v.Name != "Large" || v.Price != 199900 || p.Variants[1].ExternalID != nil {
			s.Errorf("variant %+v", v)
		}
		bare := s.make(ProductEdit{})
		if bare.PriceFrom != nil || bare.PriceTo != nil || bare.ExternalID != nil || len(bare.Variants)+len(bare.Features) != 0 {
			s.Errorf("empty product: %+v", bare)
		}
	})
}

func TestCreateProduct_ignoresIDsOfVariants(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		first := s.make(variants(one("a", 1)))
		copied := one("a", 1)
		copied.ID = first.Variants[0].ID
		second := s.make(variants(copied))
		if second.Variants[0].ID == first.Variants[0].ID || len(s.whole(first.ID).Variants) != 1 {
			s.Error("the variant was moved to the new product")
		}
	})
}

func TestCreateProduct_leavesNothingBehindWhenItIsRefused(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size := s.option("Size", "S")
		_, err := s.try(variants(one("a", 1, size.is("S")), VariantEdit{}))
		s.refused(err, "name required", "variants[1].price required")
		if n := s.count("products") + s.count("variants") + s.count("variant_values"); n != 0 {
			s.Errorf("%d rows are left", n)
		}
	})
}

func TestEditProduct_changesWhatIsSentAndLeavesTheRest(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, fabric := s.option("Size", "S", "L"), s.feature("Fabric", "wool", "silk")
		p := s.make(ProductEdit{
			Description: new("Warm"), ExternalID: new("7"), Features: &[]ValueRef{fabric.is("wool")},
			Variants: &[]VariantEdit{one("a", 1, size.is("S")), one("b", 2, size.is("L"))},
		})
		p = s.change(p.ID, ProductEdit{Name: new("Coat")})
		if p.Name != "Coat" || p.Description != "Warm" || *p.ExternalID != "7" || carries(p.Features) != "Fabric wool" {
			s.Errorf("after a new name: %+v", p)
		}
		s.has(p, "a: Size S", "b: Size L")
		p = s.change(p.ID, ProductEdit{Description: new(""), ExternalID: new(""), Features: &[]ValueRef{fabric.is("silk")}})
		if p.Name != "Coat" || p.Description != "" || p.ExternalID != nil || carries(p.Features) != "Fabric silk" {
			s.Errorf("after clearing: %+v", p)
		}
		a, b := p.Variants[0], p.Variants[1]
		p = s.change(p.ID, variants(again(b), VariantEdit{ID: a.ID, Price: new(Money(9)), Name: new("A")}))
		s.has(p, "a: Size S", "b: Size L")
		if v := p.Variants[0]; v.Price != 9 || v.Name != "A" || v.ID != a.ID || *p.PriceTo != 9 {
			s.Errorf("after a new price: %+v", v)
		}
		p = s.change(p.ID, variants(with(a), again(b)))
		s.has(p, "a: ", "b: Size L")
		p = s.change(p.ID, ProductEdit{Features: &[]ValueRef{}, Variants: &[]VariantEdit{}})
		if len(p.Variants)+len(p.Features) != 0 || p.PriceFrom != nil {
			s.Errorf("after empty lists: %+v", p)
		}
	})
}

func TestEditProduct_archivesWhatIsNotSentAndBringsItBack(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size := s.option("Size", "S", "L")
		b := one("b", 2, size.is("L"))
		b.ExternalID = new("ext-b")
		p := s.make(variants(one("a", 1, size.is("S")), b, one("c", 3)))
		before := p.Variants
		p = s.change(p.ID, variants(again(before[2])))
		s.has(p, "c: ")
		if s.count("variants") != 3 || s.count("variant_values") != 2 {
			s.Error("variants were deleted, not archived")
		}
		// One variant is restored by its id, the other by its external id, both unchanged.
		p = s.change(p.ID, variants(VariantEdit{ExternalID: new("ext-b")}, again(before[0])))
		s.has(p, "a: Size S", "b: Size L")
		if p.Variants[0].ID != before[0].ID || p.Variants[1].ID != before[1].ID || p.Variants[1].Price != 2 {
			s.Error("other variants were restored")
		}
	})
}

func TestEditProduct_alwaysMovesOnAndHonoursThePrecondition(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		before := s.make(ProductEdit{})
		after := s.change(before.ID, ProductEdit{}) // the fixture's clock does not advance
		if after.Version != before.Version+1 || !after.UpdatedAt.After(before.UpdatedAt) {
			s.Errorf("version %d → %d, %s → %s", before.Version, after.Version, before.UpdatedAt, after.UpdatedAt)
		}
		at := func(version int64) fault.Precondition { return func(v int64) bool { return v == version } }
		if err := s.editIf(before.ID, ProductEdit{Name: new("x")}, at(before.Version)); fault.KindOf(err) != fault.Stale {
			s.Errorf("edit: got %v", err)
		}
		remove := func(version int64) error {
			return s.db.Write(s.Context(), func(q database.Querier) error {
				return s.Products.Delete(s.Context(), store.In(q, s.storeID), before.ID, at(version))
			})
		}
		if err := remove(before.Version); fault.KindOf(err) != fault.Stale {
			s.Errorf("delete: got %v", err)
		}
		won := 0
		for _, err := range atOnce(10, func(int) error { return s.editIf(before.ID, ProductEdit{Name: new("y")}, at(after.Version)) }) {
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

func TestDeleteProduct_takesEverythingOfItAndNothingElse(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, fabric := s.option("Size", "S", "L"), s.feature("Fabric", "wool")
		e := ProductEdit{Features: &[]ValueRef{fabric.is("wool")}, Variants: &[]VariantEdit{one("a", 1, size.is("S")), one("b", 2, size.is("L"))}}
		gone, stays := s.make(e), s.make(e)
		s.write(func(q database.Querier) error {
			return s.Products.Delete(s.Context(), store.In(q, s.storeID), gone.ID, nil)
		})
		if p, v, o, f := s.count("products"), s.count("variants"), s.count("variant_values"), s.count("product_values"); p != 1 || v != 2 || o != 2 || f != 1 {
			s.Errorf("left: %d products, %d variants, %d options, %d features", p, v, o, f)
		}
		s.has(s.whole(stays.ID), "a: Size S", "b: Size L")
		if err := s.edit(gone.ID, ProductEdit{}); fault.KindOf(err) != fault.NotFound {
			s.Errorf("edit of the deleted product: got %v, want not found", err)
		}
	})
}

func TestProduct_externalIDsAreUnique(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		first := s.make(ProductEdit{ExternalID: new("7")})
		second := s.make(ProductEdit{ExternalID: new("8")})
		_, err := s.try(named("x", ProductEdit{ExternalID: new("7")}))
		s.taken(err, "external_id")
		s.taken(s.edit(second.ID, ProductEdit{ExternalID: new("7")}), "external_id")
		s.change(first.ID, ProductEdit{ExternalID: new("7")}) // the product's own external id
		other := s.another()
		other.make(ProductEdit{ExternalID: new("7")})

		won := 0
		for _, err := range atOnce(20, func(int) error {
			_, err := s.try(named("x", ProductEdit{ExternalID: new("9")}))
			return err
		}) {
			if err == nil {
				won++
			} else {
				s.taken(err, "external_id")
			}
		}
		if won != 1 {
			s.Errorf("%d products got the same external id, want 1", won)
		}
	})
}

func TestProduct_externalIDThatIsTakenAfterTheLookIsAConflictToo(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		s.make(ProductEdit{ExternalID: new("7")})
		p := s.make(ProductEdit{})
		p.ExternalID = new("7")
		s.taken(s.db.Write(s.Context(), func(q database.Querier) error {
			ws := &productWrites{tx: store.In(q, s.storeID), at: p.UpdatedAt, list: []*productWrite{{p: p}}}
			return ws.updateProducts(s.Context())
		}), "external_id")
	})
}

func TestVariant_externalIDsAreUniqueWithinTheProduct(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		called := func(v VariantEdit, externalID string) VariantEdit {
			v.ExternalID = &externalID
			return v
		}
		p := s.make(variants(called(one("a", 1), "x"), called(one("b", 2), "y"), called(one("c", 3), "z")))
		s.make(variants(called(one("a", 1), "x"))) // external ids are unique per product only
		a, b, c := p.Variants[0], p.Variants[1], p.Variants[2]

		s.taken(s.edit(p.ID, variants(called(again(a), "y"), again(b), again(c))), "variants[0].external_id")
		s.taken(s.edit(p.ID, variants(again(b), called(again(a), "z"))), "variants[1].external_id") // z belongs to an archived variant
		s.refused(s.edit(p.ID, variants(called(one("d", 1), "n"), called(one("e", 1), "n"))), "variants[1].external_id duplicate_external_id")
		s.refused(s.edit(p.ID, variants(called(again(a), "y"), called(again(b), "y"))), "variants[1].external_id duplicate_external_id")

		p = s.change(p.ID, variants(called(again(a), "y"), called(again(b), "z"), called(again(c), "x")))
		for i, want := range []string{"y", "z", "x"} {
			if got := *p.Variants[i].ExternalID; got != want {
				s.Errorf("after the rotation variant %d has %s, want %s", i, got, want)
			}
		}
		p = s.change(p.ID, variants(called(again(a), ""), again(b), again(c)))
		if p.Variants[0].ExternalID != nil {
			s.Error("the external id was not removed")
		}
	})
}

func TestEditProduct_refusesAVariantThatIsNotItsOwnOrNamedTwice(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		a := one("a", 1)
		a.ExternalID = new("x")
		p, other := s.make(variants(a, one("b", 2))), s.make(variants(one("c", 3)))
		mine := p.Variants[0]
		s.refused(s.edit(p.ID, variants(again(mine), again(other.Variants[0]))), "variants[1].id unknown_variant")
		s.refused(s.edit(p.ID, variants(again(mine), again(mine))), "variants[1].id duplicate_variant")
		s.refused(s.edit(p.ID, variants(again(mine), VariantEdit{ExternalID: new("x")})), "variants[1].external_id duplicate_variant")
		s.refused(s.edit(p.ID, variants(again(mine), VariantEdit{ExternalID: new("new")})), "variants[1].price required")
		s.has(s.whole(p.ID), "a: ", "b: ")
	})
}

func TestProduct_referencesAreChecked(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		size, colour, fabric := s.option("Size", "S", "L"), s.option("Colour", "red"), s.feature("Fabric", "wool", "silk")
		none := ValueRef{fabric.ID, size.values["S"]}
		for _, c := range []struct {
			e    ProductEdit
			want []string
		}{
			{ProductEdit{Features: &[]ValueRef{fabric.is("wool"), {AttributeID{1}, fabric.values["silk"]}}}, []string{"features[1].feature_id unknown_feature"}},
			{ProductEdit{Features: &[]ValueRef{fabric.is("wool"), fabric.is("nylon")}}, []string{"features[1].value_id unknown_value"}},
			{ProductEdit{Features: &[]ValueRef{none}}, []string{"features[0].value_id unknown_value"}},
			{ProductEdit{Features: &[]ValueRef{size.is("S")}}, []string{"features[0].feature_id unknown_feature"}},
			{ProductEdit{Features: &[]ValueRef{fabric.is("wool"), fabric.is("silk"), fabric.is("wool")}}, []string{"features[2] duplicate_value"}},
			{variants(one("a", 1, size.is("S"), colour.is("red"), fabric.is("wool"))), []string{"variants[0].options[2].option_id unknown_option"}},
			{variants(one("a", 1), one("b", 1, ValueRef{AttributeID{1}, ValueID{1}})), []string{"variants[1].options[0].option_id unknown_option"}},
			{variants(one("a", 1, ValueRef{size.ID, colour.values["red"]})), []string{"variants[0].options[0].value_id unknown_value"}},
			{variants(one("a", 1, size.is("S"), colour.is("red"), size.is("L"))), []string{"variants[0].options[2].option_id duplicate_option"}},
			{variants(one("a", 1, size.is("S"), size.is("S"))), []string{"variants[0].options[1].option_id duplicate_option"}},
			{ProductEdit{Features: &[]ValueRef{none}, Variants: &[]VariantEdit{one("a", 1, size.is("XL")), {}}},
				[]string{"features[0].value_id unknown_value", "variants[0].options[0].value_id unknown_value", "variants[1].price required"}},
		} {
			_, err := s.try(named("x", c.e))
			s.refused(err, c.want...)
		}
		if s.count("products") != 0 {
			s.Error("a refused product was created")
		}
	})
}

func TestProduct_ofAnotherStoreIsNotFoundAndItsAttributesAreUnknown(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		other := s.another()
		size, fabric := other.option("Size", "S"), other.feature("Fabric", "wool")
		theirs := other.make(variants(one("a", 1, size.is("S"))))
		err := s.db.Read(s.Context(), func(q database.Querier) error {
			_, err := s.Products.Find(s.Context(), store.In(q, s.storeID), theirs.ID, AnyArchived)
			return err
		})
		if fault.KindOf(err) != fault.NotFound {
			s.Errorf("read: got %v, want not found", err)
		}
		// NotFound takes precedence over other errors.
		if err := s.edit(theirs.ID, variants(again(theirs.Variants[0]), one("x", 1, size.is("none")))); fault.KindOf(err) != fault.NotFound {
			s.Errorf("edit: got %v", err)
		}
		err = s.db.Write(s.Context(), func(q database.Querier) error {
			return s.Products.Delete(s.Context(), store.In(q, s.storeID), theirs.ID, nil)
		})
		if fault.KindOf(err) != fault.NotFound {
			s.Errorf("delete: got %v", err)
		}
		_, err = s.try(named("x", ProductEdit{Features: &[]ValueRef{fabric.is("wool")}, Variants: &[]VariantEdit{one("a", 1, size.is("S"))}}))
		s.refused(err, "features[0].feature_id unknown_feature", "variants[0].options[0].option_id unknown_option")
		mine := s.make(variants(one("a", 1)))
		s.refused(s.edit(mine.ID, variants(again(theirs.Variants[0]))), "variants[0].id unknown_variant")
		if list := s.list(""); len(list) != 1 {
			s.Errorf("%d products are listed, want only the store's own", len(list))
		}
		other.has(other.whole(theirs.ID), "a: Size S")
	})
}

// list returns the names of the products that are not archived and match a search.
func (s *productShop) list(search string) (names []string) {
	s.Helper()
	args := []any{s.storeID}
	where := searchCondition(&args, search)
	s.readOnly(func(q database.Querier) error {
		names = nil
		return database.QueryEach(s.Context(), q, "SELECT name FROM products WHERE store_id = $1 AND archived_at IS NULL"+where+" ORDER BY key", args, func(rows database.Rows) error {
			var name string
			err := rows.Scan(&name)
			names = append(names, name)
			return err
		})
	})
	return names
}

func TestProducts_areFoundByNameSkuAndExternalIDOfWhatIsThere(t *testing.T) {
	eachProductShop(t, func(s *productShop) {
		p := s.make(ProductEdit{Name: new("x"), ExternalID: new("ERP-77"), Variants: &[]VariantEdit{one("ЩЁТКА-1", 1), one("brush2", 1)}})
		s.change(p.ID, ProductEdit{Name: new("Große Bürste")})
		s.make(ProductEdit{})
		found := func(q string) bool { return slices.Equal(s.list(q), []string{"Große Bürste"}) }
		for _, q := range []string{"grosse", "BÜR", "щётка", "brush2 1", "erp 77", "77"} {
			if !found(q) {
				s.Errorf("%q does not find the product", q)
			}
		}
		p = s.whole(p.ID)
		s.change(p.ID, variants(again(p.Variants[1])))
		if found("щётка") || !found("brush2") {
			s.Error("the search text has the SKU of an archived variant, or lacks that of the other variant")
		}
		s.change(p.ID, ProductEdit{Description: new("Soft")})
		if found("щётка") || !found("brush2") {
			s.Error("an edit without variants changes the SKUs in the search text")
		}
		s.change(p.ID, ProductEdit{Variants: &[]VariantEdit{{ID: p.Variants[0].ID, SKU: new("mop")}}, ExternalID: new("")})
		if found("brush2") || found("erp") || !found("mop") {
			s.Error("the search text has words from before the edit")
		}
		if got := s.list(""); len(got) != 2 {
			s.Errorf("without a search: %q", got)
		}
	})
}
