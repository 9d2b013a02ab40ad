package catalog_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

// A bulk change raises the versions of the products that it changes, and of no others.
func TestBulk_changesOnlyProductsThatDiffer(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		shoes := s.category("Shoes")
		material := s.feature("Material", "Wool", "Felt")
		first := s.mustCreate(withName("a", ProductEdit{Categories: &[]CategoryID{shoes.ID}}))
		second := s.mustCreate(withName("b", ProductEdit{Features: &[]ValueRef{material.ref("Wool")}}))
		s.Clock.Advance(time.Minute)
		keys := []int64{first.Key, second.Key, 999}
		change := func(fn func(ctx context.Context, tx store.Tx) ([]int64, error), want ...int64) {
			s.Helper()
			got, err := inTx(s, func(tx store.Tx) ([]int64, error) { return fn(s.Context(), tx) })
			if err != nil || !slices.Equal(got, want) {
				s.Errorf("changed %v, want %v: %v", got, want, err)
			}
		}
		change(func(ctx context.Context, tx store.Tx) ([]int64, error) {
			return s.Products.AddCategoryToAll(ctx, tx, keys, shoes.ID)
		}, second.Key)

		if now := s.load(second.ID); now.Version != second.Version+1 || !now.UpdatedAt.After(second.UpdatedAt) ||
			len(now.Categories) != 1 {
			s.Errorf("after adding the category: %+v", now)
		}

		if now := s.load(first.ID); now.Version != first.Version {
			s.Errorf("a product that was in the category has version %d, want %d", now.Version, first.Version)
		}

		change(func(ctx context.Context, tx store.Tx) ([]int64, error) {
			return s.Products.RemoveCategoryFromAll(ctx, tx, keys, shoes.ID)
		}, first.Key, second.Key)
		change(func(ctx context.Context, tx store.Tx) ([]int64, error) {
			return s.Products.AddFeatureToAll(ctx, tx, keys, material.ref("Felt"))
		}, first.Key, second.Key)

		if now := s.load(second.ID); len(now.Features) != 2 {
			s.Errorf("the product has %d values of the feature, want 2", len(now.Features))
		}

		change(func(ctx context.Context, tx store.Tx) ([]int64, error) {
			return s.Products.RemoveFeatureFromAll(ctx, tx, keys, material.ref("Wool"))
		}, second.Key)

		for _, ref := range []ValueRef{{material.ID, ValueID{1}}, {AttributeID{1}, material.values["Wool"]}} {
			_, err := inTx(s, func(tx store.Tx) ([]int64, error) {
				return s.Products.AddFeatureToAll(s.Context(), tx, keys, ref)
			})
			if fault.KindOf(err) != fault.NotFound {
				s.Errorf("an unknown value: %v, want NotFound", err)
			}
		}

		_, err := inTx(s, func(tx store.Tx) ([]int64, error) {
			return s.Products.AddCategoryToAll(s.Context(), tx, keys, CategoryID{1})
		})
		if fault.KindOf(err) != fault.NotFound {
			s.Errorf("an unknown category: %v, want NotFound", err)
		}
	})
}

func TestSummaries_haveTotalsSKUAndOrigin(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		p := s.mustCreate(withName("Boots", withVariants(newVariant("B-1", 10), newVariant("B-2", 20))))
		bare := s.mustCreate(withName("Bare", ProductEdit{}))
		var list []view.ProductSummary
		s.Read(func(tx store.Tx) (err error) {
			list, err = view.Summaries(s.Context(), tx, []int64{bare.Key, 999, p.Key})
			return err
		})
		if len(list) != 2 || list[0].Key != bare.Key || list[0].SKU != "" || list[1].SKU != "B-1" ||
			list[1].VariantCount != 2 || *list[1].PriceTo != 20 || list[1].PushedAt != nil || list[1].Image != nil {
			s.Errorf("the summaries are %+v", list)
		}
	})
}

func TestValues_areFoundByText(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		colour := s.feature("Colour", "Dark red", "red", "Red", "Blue")
		var searched []Value
		var named map[int64]map[string]Value
		var first map[AttributeID][]Value

		s.Read(func(tx store.Tx) (err error) {
			searched, err = view.SearchValues(s.Context(), tx, s.Attributes, colour.Attribute, "RED d", 10)
			if err != nil {
				return err
			}
			if first, err = view.FirstValues(s.Context(), tx, []Attribute{colour.Attribute}, 2); err != nil {
				return err
			}

			named, err = view.ValuesByName(s.Context(), tx, s.Attributes,
				map[int64][]string{colour.Key: {"Red", " BLUE", "green"}})
			return err
		})
		if len(searched) != 1 || searched[0].Name != "Dark red" {
			s.Errorf("the search finds %v, want Dark red", searched)
		}

		if list := first[colour.ID]; len(list) != 2 || list[1].Name != "red" {
			s.Errorf("the first values are %v", list)
		}

		found := named[colour.Key]
		if len(found) != 2 || found["Red"].ID != colour.values["Red"] || found[" BLUE"].Name != "Blue" {
			s.Errorf("found by name: %v", found)
		}
	})
}
