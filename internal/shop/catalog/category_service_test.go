package catalog_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// category creates a category, at the root or under a parent.
func (s *catalogFixture) category(name string, parent ...Category) Category {
	s.Helper()
	e := CategoryEdit{Name: &name}
	if len(parent) > 0 {
		e.ParentID = &parent[0].ID
	}
	c, err := s.tryCreateCategory(e)
	s.must(err)
	return c
}

func (s *catalogFixture) tryCreateCategory(e CategoryEdit) (Category, error) {
	return inTx(s, func(tx store.Tx) (Category, error) { return s.Categories.Create(s.Context(), tx, e) })
}

func (s *catalogFixture) editCategory(c Category, e CategoryEdit) error {
	return s.TryWrite(func(tx store.Tx) error {
		_, err := s.Categories.Edit(s.Context(), tx, c.ID, e, nil)
		return err
	})
}

func (s *catalogFixture) moveCategory(c, parent Category) error {
	return s.editCategory(c, CategoryEdit{ParentID: &parent.ID})
}

func (s *catalogFixture) deleteCategory(c Category) error {
	return s.TryWrite(func(tx store.Tx) error {
		return s.Categories.Delete(s.Context(), tx, c.ID, nil)
	})
}

// formatTree formats the categories as "child < parent v2", oldest first, and checks that there is no cycle.
func (s *catalogFixture) formatTree() []string {
	s.Helper()
	byID := map[CategoryID]Category{}
	var list []Category
	s.Read(func(tx store.Tx) (err error) {
		list, _, err = s.Categories.List(s.Context(), tx, CategoryFilter{}, 1<<20, 0)
		return err
	})
	for _, c := range list {
		byID[c.ID] = c
	}

	lines := make([]string, len(list))
	for i, c := range list {
		lines[i] = fmt.Sprintf("%s v%d", c.Name, c.Version)
		if c.ParentID != nil {
			lines[i] = fmt.Sprintf("%s < %s v%d", c.Name, byID[*c.ParentID].Name, c.Version)
		}

		for steps := 0; c.ParentID != nil; c = byID[*c.ParentID] {
			if steps++; steps > len(list) {
				s.Fatalf("%s is in a cycle", lines[i])
			}
		}
	}

	return lines
}

func (s *catalogFixture) wantTree(want ...string) {
	s.Helper()
	if got := s.formatTree(); !slices.Equal(got, want) {
		s.Errorf("the tree is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// queryInts returns the first column of a query.
func (s *catalogFixture) queryInts(sql string, args ...any) (list []int64) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list = nil
		return database.QueryEach(s.Context(), tx.Unscoped(), sql, args, database.AppendColumn(&list))
	})
	return list
}

// insertSimpleProducts inserts products with one variant each, and returns the keys of both.
func (s *catalogFixture) insertSimpleProducts(n int) (products, variants []int64) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		products, variants = nil, nil
		made := database.NewBatch(database.UUID)
		for range n {
			made.Add(id.New[Product]())
		}

		into := func(list *[]int64) func(database.Rows) error {
			return func(rows database.Rows) error {
				var key int64
				err := rows.Scan(&key)
				*list = append(*list, key)
				return err
			}
		}
		err := tx.Unscoped().QueryRows(s.Context(), `WITH r(id) AS (ROWS)
			INSERT INTO products (store_id, id, name, words, description, version, created_at, updated_at)
			SELECT $1, id, 'p', ' p', '', 1, 5, 5 FROM r
			RETURNING key`, made, into(&products), s.Store.ID)
		if err != nil {
			return err
		}

		slices.Sort(products)
		made = database.NewBatch(database.UUID, database.BigInt)
		for _, key := range products {
			made.Add(id.New[Variant](), key)
		}

		err = tx.Unscoped().QueryRows(s.Context(), `WITH r(id, product_key) AS (ROWS)
			INSERT INTO variants (store_id, product_key, id, name, sku, price, twin, created_at, updated_at)
			SELECT $1, product_key, id, '', '', 10, 0, 5, 5 FROM r
			RETURNING key`, made, into(&variants), s.Store.ID)
		slices.Sort(variants)
		return err
	})

	return products, variants
}

// insertProductCategories adds products to a category.
func (s *catalogFixture) insertProductCategories(c Category, products ...int64) {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		_, err := tx.Unscoped().ExecRows(s.Context(), `WITH r(key) AS (ROWS)
			INSERT INTO product_categories (store_id, product_key, category_key) SELECT $1, key, $2 FROM r`,
			database.BatchOf(database.BigInt, products), s.Store.ID, c.Key)
		return err
	})
}

const (
	productVersionsSQL = "SELECT version FROM products ORDER BY key"
	treeVersionSQL     = "SELECT categories FROM catalog_versions WHERE store_id = $1"
)

// Deleting a category removes it from its products and moves its children to its parent. The versions of these products
// and children increase, but the times of their last updates stay.
func TestDeleteCategory_keepsProductsAndChildren(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		root := s.category("root")
		a := s.category("a", root)
		b := s.category("b", a)
		s.category("c", a)
		s.category("d", b)
		products, _ := s.insertSimpleProducts(3)
		s.insertProductCategories(a, products[0], products[1])
		s.insertProductCategories(b, products[1], products[2])
		before := s.queryInts(treeVersionSQL, s.Store.ID)

		s.must(s.deleteCategory(a))
		s.wantTree("root v1", "b < root v2", "c < root v2", "d < b v1")

		if got := s.queryInts(productVersionsSQL); !slices.Equal(got, []int64{2, 2, 1}) {
			s.Errorf("the products have the versions %d", got)
		}

		if got := s.queryInts("SELECT product_key FROM product_categories ORDER BY product_key"); !slices.Equal(got,
			products[1:]) {
			s.Errorf("the products %d have a category, want %d", got, products[1:])
		}

		if after := s.queryInts(treeVersionSQL, s.Store.ID); after[0] <= before[0] {
			s.Errorf("the version of the tree has not increased: %d, then %d", before, after)
		}

		for _, table := range []string{"products", "categories"} {
			if late := s.queryInts("SELECT key FROM " + table + " WHERE updated_at <> created_at"); len(late) > 0 {
				s.Errorf("the update times of %s %d have changed", table, late)
			}
		}

		s.must(s.deleteCategory(root))
		s.wantTree("b v3", "c v3", "d < b v1")
	})
}

func TestDeleteCategory_removesItFromManyProducts(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		full, other := s.category("full"), s.category("other")
		products, _ := s.insertSimpleProducts(write.ChunkSize + 1)
		s.insertProductCategories(full, products...)
		s.insertProductCategories(other, products[0])
		s.must(s.deleteCategory(full))
		s.completeDeletions()
		if got := s.queryInts("SELECT version FROM products WHERE version <> 2"); len(got) > 0 {
			s.Errorf("%d products do not have version 2", len(got))
		}
		if n := s.Count("product_categories"); n != 1 {
			s.Errorf("%d products have a category, want 1", n)
		}
	})
}

// The test inserts 2,000 nested categories with SQL, which is faster than the service.
func TestCategories_nestToAnyDepth(t *testing.T) {
	const deep, first = 2000, int64(1_000_000)

	eachEngine(t, func(s *catalogFixture) {
		chain := make([]Category, deep)
		batch := database.NewBatch(database.BigInt, database.UUID, database.BigInt)
		for i := range chain {
			chain[i] = Category{Key: first + int64(i), ID: id.New[Category]()}
			if i == 0 {
				batch.Add(chain[i].Key, chain[i].ID, nil)
			} else {
				batch.Add(chain[i].Key, chain[i].ID, chain[i-1].Key)
			}
		}

		s.Write(func(tx store.Tx) error {
			_, err := tx.Unscoped().ExecRows(s.Context(), `WITH r(key, id, parent_key) AS (ROWS)
				INSERT INTO categories (key, store_id, id, name, words, parent_key, version, created_at, updated_at)
				SELECT key, $1, id, 'x', ' x', parent_key, 1, 5, 5 FROM r`, batch, s.Store.ID)
			return err
		})
		top, middle, bottom := chain[0], chain[deep/2], chain[deep-1]
		s.wantInvalid(s.moveCategory(top, bottom), "parent_id category_cycle")
		s.wantInvalid(s.moveCategory(top, middle), "parent_id category_cycle")
		if err := errors.Join(s.moveCategory(bottom, top), s.moveCategory(middle, bottom),
			s.deleteCategory(chain[deep/2-1])); err != nil {
			s.Fatal(err)
		}

		s.wantInvalid(s.moveCategory(top, chain[deep-2]), "parent_id category_cycle") // moved with middle
		if got := s.formatTree(); len(got) != deep-1 {
			s.Errorf("%d categories are left, want %d", len(got), deep-1)
		}
	})
}

// Each of several root categories moves under the next one, concurrently. One of the moves must be refused, or there
// would be a cycle.
func TestEditCategory_concurrentMovesNeverCreateCycle(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		for _, n := range []int{2, 2, 3, 6} {
			ring := make([]Category, n)
			for i := range ring {
				ring[i] = s.category(fmt.Sprint(n, i))
			}

			var refused []error
			for _, err := range concurrently(n, func(i int) error { return s.moveCategory(ring[i], ring[(i+1)%n]) }) {
				if err != nil {
					refused = append(refused, err)
				}
			}

			if len(refused) != 1 {
				s.Fatalf("%[2]d of %[1]d moves are refused, want one: %[3]v", n, len(refused), refused)
			}

			s.wantInvalid(refused[0], "parent_id category_cycle")
			s.formatTree()
		}
	})
}

// Categories are deleted while children are added to them. The result must be a tree.
func TestCategories_concurrentCreationAndDeletionKeepTree(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const links = 5
		chain := []Category{s.category("0")}
		for i := 1; i < links; i++ {
			chain = append(chain, s.category(fmt.Sprint(i), chain[i-1]))
		}

		// All categories of the chain are deleted. A category that is created under one of them ends up as a root, or
		// is refused.
		made := 0
		for i, err := range concurrently(2*links, func(i int) error {
			if i < links {
				return s.deleteCategory(chain[i])
			}
			return s.TryWrite(func(tx store.Tx) error {
				_, err := s.Categories.Create(s.Context(), tx,
					CategoryEdit{Name: new("new"), ParentID: &chain[i-links].ID})
				return err
			})
		}) {
			switch {
			case err == nil && i >= links:
				made++
			case err != nil && i >= links:
				s.wantInvalid(err, "parent_id unknown_category")
			case err != nil:
				s.Errorf("deleting %d: %v", i, err)
			}
		}

		got := s.formatTree()
		if len(got) != made {
			s.Errorf("the tree is %q, want %d new categories", got, made)
		}

		for _, line := range got {
			if !strings.HasPrefix(line, "new v") {
				s.Errorf("%s was not deleted", line)
			}
		}
	})
}

func TestCreateCategory_externalIDIsUniquePerStore(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		create := func(s *catalogFixture) error {
			return s.TryWrite(func(tx store.Tx) error {
				_, err := s.Categories.Create(s.Context(), tx,
					CategoryEdit{Name: new("x"), ExternalID: new("7")})
				return err
			})
		}
		won := 0
		for _, err := range concurrently(4, func(int) error { return create(s) }) {
			if err == nil {
				won++
			} else {
				s.wantExternalIDTaken(err, "external_id")
			}
		}

		if won != 1 {
			s.Errorf("%d categories got the same external id, want 1", won)
		}
		if err := create(s.otherStore()); err != nil {
			s.Errorf("another store with the same external id: %v", err)
		}
	})
}

// The external id of a category is changed while products are created in the category. Each transaction must run only
// once; after a deadlock, one would be retried.
func TestEditCategory_doesNotDeadlockWithProductCreation(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const writers, rounds = 6, 5
		c := s.category("c")
		var runs atomic.Int64
		for _, err := range concurrently(writers, func(i int) error {
			for round := range rounds {
				err := s.TryWrite(func(tx store.Tx) (err error) {
					runs.Add(1)

					if i%2 == 0 {
						_, err = s.Categories.Edit(s.Context(), tx, c.ID,
							CategoryEdit{ExternalID: new(fmt.Sprint(i, round))}, nil)
					} else {
						_, err = s.Products.Create(s.Context(), tx,
							withName("p", ProductEdit{Categories: &[]CategoryID{c.ID}}))
					}

					return err
				})
				if err != nil {
					return err
				}
			}

			return nil
		}) {
			if err != nil {
				s.Error(err)
			}
		}

		if n := runs.Load(); n != writers*rounds {
			s.Errorf("%d transactions ran %d times", writers*rounds, n)
		}
		if n := s.Count("product_categories"); n != writers/2*rounds {
			s.Errorf("%d products are in the category", n)
		}

		s.wantTree(fmt.Sprintf("c v%d", 1+writers/2*rounds))
	})
}

// A category of another store cannot be found by id, used as a parent, or used as a filter.
func TestCategories_areIsolatedByStore(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		other := s.otherStore()
		mine, theirs := s.category("mine"), other.category("theirs")
		for what, err := range map[string]error{
			"edited": s.editCategory(theirs, CategoryEdit{Name: new("x")}), "deleted": s.deleteCategory(theirs),
		} {
			if fault.KindOf(err) != fault.NotFound {
				s.Errorf("a category of another store was %s: %v", what, err)
			}
		}

		s.wantInvalid(s.moveCategory(mine, theirs), "parent_id unknown_category")
		s.Read(func(tx store.Tx) error {
			_, _, err := s.Categories.List(s.Context(), tx, CategoryFilter{ParentID: &theirs.ID},
				10, 0)
			s.wantInvalid(err, "parent_id unknown_category")
			return nil
		})
		s.wantTree("mine v1")
		other.wantTree("theirs v1")
	})
}
