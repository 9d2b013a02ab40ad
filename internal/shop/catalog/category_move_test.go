package catalog_test

import (
	"strings"
	"testing"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/store"
)

func (s *catalogFixture) placeCategory(c Category, parent *Category, place int) error {
	var parentID *CategoryID
	if parent != nil {
		parentID = &parent.ID
	}
	return s.TryWrite(func(tx store.Tx) error {
		_, err := s.Categories.Move(s.Context(), tx, c.ID, parentID, place, nil)
		return err
	})
}

// wantForest checks the tree, written as "a(b c) d".
func (s *catalogFixture) wantForest(want string) {
	s.Helper()
	var tree *CategoryTree
	s.Read(func(tx store.Tx) (err error) {
		tree, err = ReadCategoryTree(s.Context(), tx)
		return err
	})
	var format func(list []*CategoryNode) string

	format = func(list []*CategoryNode) string {
		words := make([]string, len(list))
		for i, n := range list {
			if words[i] = n.Name; len(n.Children) > 0 {
				words[i] += "(" + format(n.Children) + ")"
			}
		}
		return strings.Join(words, " ")
	}
	if got := format(tree.Roots); got != want {
		s.Errorf("the tree is %s, want %s", got, want)
	}
}

func TestMove_putsCategoriesInOrder(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a, b, c := s.category("a"), s.category("b"), s.category("c")
		x := s.category("x", a)
		y := s.category("y", a)
		s.wantForest("a(x y) b c")
		for _, move := range []struct {
			c      Category
			parent *Category
			place  int
			want   string
		}{
			{c, nil, 1, "c a(x y) b"},
			{y, &a, 1, "c a(y x) b"},
			{x, nil, 2, "c x a(y) b"},
			{b, &a, 0, "c x a(y b)"},
			{b, &a, 1, "c x a(b y)"},
			{c, nil, 99, "x a(b y) c"},
			{x, &y, 0, "a(b y(x)) c"},
		} {
			s.must(s.placeCategory(move.c, move.parent, move.place))
			s.wantForest(move.want)
		}

		s.category("new")
		s.category("newer", y)
		s.wantForest("a(b y(x newer)) c new")
		s.must(s.deleteCategory(y))
		s.wantForest("a(b x newer) c new")
	})
}

func TestMove_refusesCyclesAndUnknownParents(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := s.category("a")
		b := s.category("b", a)
		s.wantInvalid(s.placeCategory(a, &b, 1), "parent_id category_cycle")
		gone := s.category("gone")
		s.must(s.deleteCategory(gone))
		s.wantInvalid(s.placeCategory(a, &gone, 1), "parent_id unknown_category")
		if err := s.placeCategory(gone, nil, 1); fault.KindOf(err) != fault.NotFound {
			s.Errorf("a deleted category: %v, want NotFound", err)
		}
		s.wantForest("a(b)")
	})
}

func TestMove_keepsSiblingsConsistentWhenManyMoveAtOnce(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		var list []Category
		for _, name := range strings.Fields("a b c d e f") {
			list = append(list, s.category(name))
		}

		errs := concurrently(len(list), func(i int) error {
			if i == 0 {
				return s.deleteCategory(list[0])
			}
			return s.placeCategory(list[i], nil, 1)
		})
		for i, err := range errs {
			if err != nil {
				s.Errorf("%s: %v", list[i].Name, err)
			}
		}

		if n := s.Count("(SELECT DISTINCT position FROM categories) AS p"); n != 5 {
			s.Errorf("5 categories have %d places", n)
		}
	})
}

func TestEdit_takesThePlaceFromACategoryWithANewParent(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a, b := s.category("a"), s.category("b")
		s.must(s.placeCategory(s.category("x", b), &b, 1))
		s.must(s.placeCategory(a, nil, 1))
		s.must(s.moveCategory(a, b))
		s.wantForest("b(x a)")
	})
}

func TestCategoryImpact_countsProductsAndChildren(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a := s.category("a")
		b := s.category("b", a)
		s.mustCreate(ProductEdit{Categories: &[]CategoryID{a.ID}})
		s.mustCreate(ProductEdit{Categories: &[]CategoryID{a.ID, b.ID}})
		s.Read(func(tx store.Tx) error {
			impact, err := s.Categories.Impact(s.Context(), tx, a.ID)
			if impact != (CategoryImpact{Products: 2, Children: 1}) {
				s.Errorf("impact %+v", impact)
			}
			return err
		})
	})
}

func TestCategoryTree_searchesInTheOrderOfTheTree(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		shoes := s.category("Shoes")
		s.category("Winter coats")
		s.category("Winter shoes", shoes)

		s.Read(func(tx store.Tx) error {
			tree, err := ReadCategoryTree(s.Context(), tx)
			if err != nil {
				return err
			}
			found, total := tree.Search("wint", 1)
			if total != 2 || len(found) != 1 || found[0].PathNames() != "Shoes › Winter shoes" {
				s.Errorf("found %d, the first is %v", total, found)
			}

			return nil
		})
	})
}
