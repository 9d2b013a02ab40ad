package catalog_test

import (
	"fmt"
	"slices"
	"testing"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/push"
	"vitrine/internal/shop/store"
)

// categoryPush returns an item whose name is its id. parent is "" if the item has no parent_id, and "/" for the root.
func categoryPush(externalID, parent string) CategoryPush {
	p := CategoryPush{ID: externalID, Digest: digestOf(externalID, parent), Name: &externalID}
	switch parent {
	case "":
	case "/":
		p.Root = true
	default:
		p.Parent = &parent
	}
	return p
}

func (s *catalogFixture) pushCategories(items []CategoryPush, want ...string) []push.Pushed {
	s.Helper()
	return expectPush(s, s.Pushes.ApplyCategories, items, want...)
}

// pendingParents returns the pending references to parents as "category < parent", in the order of their creation.
func (s *catalogFixture) pendingParents() []string {
	s.Helper()
	return s.Texts(`SELECT c.name || ' < ' || p.external_id
		FROM pending_references p JOIN categories c ON c.store_id = p.store_id AND c.key = p.category_key
		WHERE p.store_id = $1 AND p.kind = 'parent' AND p.value_id = '' AND p.product_key IS NULL AND p.variant_key IS NULL ORDER BY p.key`, s.Store.ID)
}

func TestPushCategories_createsUpdatesAndSkipsUnchanged(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		s.otherStore().pushCategories([]CategoryPush{categoryPush("ghost", "/")}, "created")
		nameless := CategoryPush{ID: "n", Digest: digestOf("n"), Parent: new("p")}
		first := []CategoryPush{categoryPush("child", "p"), categoryPush("p", ""), nameless,
			categoryPush("lone", "ghost")}
		s.pushCategories(first, "created", "created", "failed name:required", "created ~parent_id:unknown_parent")
		s.wantTree("child < p v1", "p v1", "lone v1")

		if got := s.pendingParents(); !slices.Equal(got, []string{"lone < ghost"}) {
			s.Errorf("pending parents are %q", got)
		}

		tree := s.queryInts(treeVersionSQL, s.Store.ID)
		s.pushCategories(first, "unchanged", "unchanged", "failed name:required", "unchanged ~parent_id:unknown_parent")
		s.pushCategories(slices.Delete(first, 2, 3), "unchanged", "unchanged", "unchanged ~parent_id:unknown_parent")
		s.wantTree("child < p v1", "p v1", "lone v1")
		s.pushCategories([]CategoryPush{{ID: "p", Digest: digestOf("p", "nothing else")}}, "updated")

		if got := s.queryInts(treeVersionSQL, s.Store.ID); got[0] != tree[0]+1 {
			s.Errorf("the version of the tree changed from %d to %d, want one more", tree, got)
		}

		if got := s.Texts("SELECT external_id FROM categories WHERE store_id = $1 AND updated_at > created_at",
			s.Store.ID); !slices.Equal(got, []string{"p"}) {
			s.Errorf("%q were updated, want only p", got)
		}

		// The first push sends only some members; the others keep their values. The second push sends a parent that
		// does not exist, so child keeps its parent, and moves lone to the root.
		renamed := CategoryPush{ID: "child", Digest: digestOf("x"), Name: new("Child")}
		s.pushCategories([]CategoryPush{renamed, {ID: "lone", Digest: digestOf("y")}}, "updated", "updated")
		s.wantTree("Child < p v2", "p v2", "lone v2")

		if got := s.pendingParents(); !slices.Equal(got, []string{"lone < ghost"}) {
			s.Errorf("pending parents are %q", got)
		}

		s.pushCategories([]CategoryPush{categoryPush("child", "nobody"), categoryPush("lone", "/")},
			"updated ~parent_id:unknown_parent", "updated")
		s.wantTree("child < p v3", "p v2", "lone v3")

		if got := s.pendingParents(); !slices.Equal(got, []string{"child < nobody"}) {
			s.Errorf("pending parents are %q", got)
		}

		s.pushCategories(
			[]CategoryPush{categoryPush("child", "lone"), categoryPush("p", "child"), categoryPush("q", "/")},
			"updated", "updated", "created")
		s.wantTree("child < lone v4", "p < child v3", "lone v3", "q v1")

		if got := s.pendingParents(); len(got) > 0 {
			s.Errorf("pending parents are %q, want none", got)
		}

		var found []Category
		s.Read(func(tx store.Tx) (err error) {
			found, _, err = s.Categories.List(s.Context(), tx, CategoryFilter{Search: "child"},
				10, 0)
			return err
		})
		if len(found) != 1 {
			s.Errorf("a search by name found %v, want one category", found)
		}
	})
}

// Edits, moves and the deletion of a parent clear the digest of the last push.
func TestPushCategories_appliesAgainAfterAnEdit(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		items := []CategoryPush{categoryPush("p", "/"), categoryPush("a", "p"), categoryPush("b", "p"),
			categoryPush("c", "/")}
		keys := s.pushCategories(items, "created", "created", "created", "created")
		byKey := map[int64]Category{}
		s.Read(func(tx store.Tx) error {
			list, _, err := s.Categories.List(s.Context(), tx, CategoryFilter{}, 10, 0)
			for _, c := range list {
				byKey[c.Key] = c
			}
			return err
		})

		p, a, c := byKey[keys[0].Key], byKey[keys[1].Key], byKey[keys[3].Key]
		if err := s.editCategory(a, CategoryEdit{Name: new("mine")}); err != nil {
			s.Fatal(err)
		}

		s.pushCategories(items, "unchanged", "updated", "unchanged", "unchanged")
		if err := s.moveCategory(c, a); err != nil {
			s.Fatal(err)
		}

		s.pushCategories(items, "unchanged", "unchanged", "unchanged", "updated")
		s.wantTree("p v1", "a < p v3", "b < p v1", "c v3")

		if err := s.deleteCategory(p); err != nil {
			s.Fatal(err)
		}

		s.pushCategories(items[1:], "updated ~parent_id:unknown_parent", "updated ~parent_id:unknown_parent",
			"unchanged")
		if err := s.editCategory(a, CategoryEdit{Name: new("mine")}); err != nil {
			s.Fatal(err)
		}
		if got := s.pendingParents(); !slices.Equal(got, []string{"mine < p", "b < p"}) {
			s.Errorf("pending parents are %q", got)
		}
		if err := s.editCategory(a, CategoryEdit{Root: true}); err != nil {
			s.Fatal(err)
		}

		if got := s.pendingParents(); !slices.Equal(got, []string{"b < p"}) {
			s.Errorf("pending parents are %q, want only that of b", got)
		}

		s.pushCategories(items, "created", "updated", "unchanged ~parent_id:unknown_parent", "unchanged")
		s.wantTree("a < p v8", "b v3", "c v3", "p v1")
	})
}

// No category may become its own ancestor, no matter which categories are in between and in which order the items come.
func TestPushCategories_refusesCycles(t *testing.T) {
	type items [][2]string
	const ring = "failed parent_id:category_cycle"

	eachEngine(t, func(shop *catalogFixture) {
		for what, c := range map[string]struct {
			before, pushed items
			want, tree     []string
		}{
			"its own parent": {
				nil, items{{"a", "a"}, {"b", "/"}},
				[]string{ring, "created"}, []string{"b v1"},
			},
			"each other's parents": {
				nil, items{{"a", "b"}, {"b", "a"}, {"c", "a"}},
				[]string{ring, ring, "created ~parent_id:unknown_parent"}, []string{"c v1"},
			},
			"below what lies below it": {
				items{{"a", "/"}, {"b", "a"}, {"c", "b"}}, items{{"a", "c"}},
				[]string{ring}, []string{"a v1", "b < a v1", "c < b v1"},
			},
			"below a new one that lies below it": {
				items{{"a", "/"}, {"b", "a"}}, items{{"a", "new"}, {"new", "b"}},
				[]string{ring, ring}, []string{"a v1", "b < a v1"},
			},
			"turned around": {
				items{{"a", "/"}, {"b", "a"}, {"c", "b"}}, items{{"a", "b"}, {"b", "c"}, {"c", "/"}},
				[]string{"updated", "updated", "updated"}, []string{"a < b v2", "b < c v2", "c v2"},
			},
			"one that stays in the ring of others": {
				items{{"a", "/"}, {"b", "a"}}, items{{"b", "a"}, {"a", "b"}},
				[]string{"unchanged", ring}, []string{"a v1", "b < a v1"},
			},
			"one that fails and so closes another ring": {
				items{{"y", "/"}, {"x", "y"}, {"z", "/"}}, items{{"y", "x"}, {"x", "z"}, {"z", "x"}, {"w", "z"}},
				[]string{ring, ring, ring, "created"}, []string{"y v1", "x < y v1", "z v1", "w < z v1"},
			},
		} {
			s := shop.otherStore()
			push := func(list items, want ...string) {
				s.Helper()
				var pushes []CategoryPush
				for _, i := range list {
					pushes = append(pushes, categoryPush(i[0], i[1]))
				}
				s.pushCategories(pushes, want...)
			}
			push(c.before, slices.Repeat([]string{"created"}, len(c.before))...)
			push(c.pushed, c.want...)
			s.wantTree(c.tree...)

			if s.Failed() {
				s.Fatalf("in case %q", what)
			}
		}
	})
}

// Concurrent pushes of the same tree create each category once.
func TestPushCategories_concurrentPushesCreateEachOnce(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		var items []CategoryPush
		for i := range 20 {
			items = append(items, categoryPush(fmt.Sprint("c", i), fmt.Sprint("c", i/2)))
		}

		items[0] = categoryPush("c0", "/")
		for i, err := range concurrently(4, func(i int) error {
			pushed := slices.Clone(items)
			if i%2 == 1 {
				slices.Reverse(pushed)
			}
			_, err := tryPush(s, s.Pushes.ApplyCategories, pushed...)
			return err
		}) {
			if err != nil {
				s.Errorf("%d: %v", i, err)
			}
		}

		if n := s.Count("categories"); n != 20 {
			s.Errorf("there are %d categories, want 20", n)
		}
	})
}
