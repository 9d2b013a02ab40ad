package catalog_test

import (
	"strings"
	"testing"

	"vitrine/internal/kit/id"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/productfield"
	"vitrine/internal/shop/store"
)

// wantCanonical checks which category is marked as the canonical one of the product with this external id, by name, and
// which of those that it waits for, by external id after "…".
func (s *catalogFixture) wantCanonical(externalID, want string) {
	s.Helper()
	marked := s.Texts(`SELECT c.name FROM product_categories x JOIN products p ON p.key = x.product_key
		JOIN categories c ON c.key = x.category_key WHERE x.store_id = $1 AND p.external_id = $2 AND x.canonical
		ORDER BY c.name`, s.Store.ID, externalID)
	awaited := s.Texts(`SELECT '…' || r.external_id FROM pending_references r JOIN products p ON p.key = r.product_key
		WHERE r.store_id = $1 AND p.external_id = $2 AND r.canonical ORDER BY r.external_id`, s.Store.ID, externalID)
	if got := strings.Join(append(marked, awaited...), " "); got != want {
		s.Errorf("the canonical category of %s is %q, want %q", externalID, got, want)
	}
}

func TestEdit_keepsCanonicalCategoryWhileProductHasIt(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		sale := s.category("Sale")
		lamps := s.category("Lamps")
		home := s.category("Home")
		in := func(list ...Category) *[]CategoryID {
			ids := []CategoryID{}
			for _, c := range list {
				ids = append(ids, c.ID)
			}
			return &ids
		}
		canonical := func(c Category) ProductEdit { return ProductEdit{CanonicalCategory: &c.ID} }

		p := s.mustCreate(ProductEdit{ExternalID: new("1"), Categories: in(sale, lamps), CanonicalCategory: &sale.ID})
		s.wantCanonical("1", "Sale")
		s.mustEdit(p.ID, ProductEdit{Name: new("Lamp")})
		s.mustEdit(p.ID, ProductEdit{Categories: in(home, sale)})
		s.wantCanonical("1", "Sale")
		if after := s.mustEdit(p.ID, canonical(home)); after.Version != p.Version+3 {
			s.Errorf("the version is %d after three edits of %d", after.Version, p.Version)
		}
		s.wantCanonical("1", "Home")

		s.wantInvalid(s.edit(p.ID, canonical(lamps)), "canonical_category_id not_in_category")
		s.wantInvalid(s.edit(p.ID, ProductEdit{Categories: in(lamps), CanonicalCategory: &home.ID}),
			"canonical_category_id not_in_category")
		s.wantInvalid(s.edit(p.ID, canonical(Category{ID: id.New[Category]()})),
			"canonical_category_id unknown_category")
		_, err := s.tryCreate(withName("Torch", canonical(lamps)))
		s.wantInvalid(err, "canonical_category_id not_in_category")
		s.wantCanonical("1", "Home")

		s.mustEdit(p.ID, ProductEdit{Categories: in(sale)})
		s.mustEdit(p.ID, ProductEdit{Categories: in(sale, home)}) // what is lost does not come back
		s.wantCanonical("1", "")
		s.mustEdit(p.ID, canonical(home))
		s.Write(func(tx store.Tx) error {
			_, err := s.Products.RemoveCategoryFromAll(s.Context(), tx, []int64{p.Key}, home.ID)
			return err
		})
		s.wantCanonical("1", "")

		s.mustEdit(p.ID, canonical(sale))
		s.must(s.deleteCategory(sale))
		s.completeDeletions()
		s.wantCanonical("1", "")
		s.mustEdit(p.ID, ProductEdit{Categories: in(lamps), CanonicalCategory: &lamps.ID})
		s.mustEdit(p.ID, ProductEdit{CanonicalCategory: &CategoryID{}})
		s.wantCanonical("1", "")
	})
}

// A push names the canonical category among the categories of the product, be they there or still to come.
func TestPush_marksCanonicalCategory(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.pushAndLinkCategories(categoryPush("sale", "/"), categoryPush("lamps", "/"))
		with := func(canonical string, categories ...string) ProductPush {
			p := productPush("1", "Lamp")
			if categories != nil {
				p.Categories = &categories
			}
			if canonical != "-" {
				p.CanonicalCategory = &canonical
			}
			return p
		}

		s.wantOutcomes("created", with("lamps", "sale", "lamps"))
		s.wantCanonical("1", "lamps")
		s.wantOutcomes("updated", with("-", "lamps", "sale"))
		s.wantCanonical("1", "lamps")
		s.wantOutcomes("updated", with("sale"))
		s.wantCanonical("1", "sale")
		s.wantOutcomes("failed canonical_category:not_in_category", with("lamps", "sale"))
		s.wantOutcomes("failed canonical_category:not_in_category", with("other"))
		s.wantOutcomes("updated", with("", "sale", "lamps"))
		s.wantCanonical("1", "")

		s.wantOutcomes("updated ~categories[1]:unknown_category", with("late", "sale", "late"))
		s.wantCanonical("1", "…late")
		s.wantOutcomes("updated ~categories[0]:unknown_category", with("-", "late", "sale")) // it waits on
		s.wantCanonical("1", "…late")
		s.wantOutcomes("updated", with("sale"))
		s.wantCanonical("1", "sale")
		s.wantOutcomes("updated ~canonical_category:unknown_category", with("late"))
		s.pushAndLinkCategories(categoryPush("late", "/"))
		s.wantCanonical("1", "late")
		s.wantProduct("1", "Lamp /sale /late")
	})
}

// The lock of categories covers the canonical one, and what a product waits for is dropped with the lock.
func TestPush_leavesLockedCanonicalCategoryAlone(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.pushAndLinkCategories(categoryPush("sale", "/"), categoryPush("lamps", "/"))
		lamp := productPush("1", "Lamp")
		lamp.Categories, lamp.CanonicalCategory = &[]string{"sale", "lamps", "late"}, new("late")
		s.wantOutcomes("created ~categories[2]:unknown_category", lamp)

		p := s.productByExternalID("1")
		s.mustEdit(p.ID, ProductEdit{Locks: new(productfield.Categories), CanonicalCategory: &p.Categories[0].ID})
		s.pushAndLinkCategories(categoryPush("late", "/"))
		s.wantCanonical("1", "sale")

		one := productPush("1", "Lamp")
		one.CanonicalCategory = new("lamps")
		s.wantOutcomes("updated ~categories:locked", one)
		one.CanonicalCategory = new("sale")
		s.wantOutcomes("updated", one)
		s.wantCanonical("1", "sale")
	})
}
