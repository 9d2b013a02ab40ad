package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// versionTables are the tables that tell which state of the catalogue the database has.
var versionTables = []string{"catalog_versions", "attribute_versions", "version_stamps", "product_changes"}

// keepVersions remembers the versions of the catalogue for loseVersions.
func keepVersions(s *apitest.Server) {
	s.Write(func(ctx context.Context, q database.Querier) error {
		for _, table := range versionTables {
			if err := execAll(ctx, q, "DROP TABLE IF EXISTS kept_"+table,
				"CREATE TABLE kept_"+table+" AS SELECT * FROM "+table); err != nil {
				return err
			}
		}
		return nil
	})
}

// loseVersions makes the database lose changes while its nodes run, as a failover to a replica that is behind does. It
// puts the versions back and runs the statements, which undo the changes themselves. The clock advances, since the next
// change is made at another time.
func loseVersions(s *apitest.Server, undo ...string) {
	s.Write(func(ctx context.Context, q database.Querier) error {
		for _, table := range versionTables {
			if err := execAll(ctx, q, "DELETE FROM "+table,
				"INSERT INTO "+table+" SELECT * FROM kept_"+table); err != nil {
				return err
			}
		}
		return execAll(ctx, q, undo...)
	})
	s.Clock.Advance(time.Minute)
}

func execAll(ctx context.Context, q database.Querier, statements ...string) error {
	for _, sql := range statements {
		if _, err := q.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

func TestFailover_lostProductsAreNotShown(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		a := createProduct(s, newVariant("a"))
		b := createProduct(s, newVariant("b"))
		put := func(id, name string) {
			s.OK(200, "PUT", "/v2/products/"+id, map[string]any{"name": name})
		}

		want := func(what string, names ...string) {
			t.Helper()
			for range 2 {
				got := []string{s.Get("/v2/products/" + a).Text("data.name"),
					s.Get("/v2/products/" + b).Text("data.name")}
				if !slices.Equal(got, names) {
					t.Errorf("%s: the products are %q, want %q", what, got, names)
				}
				if got := s.Get("/v2/products?with=variants").Texts("data", "name"); !slices.Equal(got, names) {
					t.Errorf("%s: the list is %q, want %q", what, got, names)
				}
			}
		}

		put(a, "a")
		put(b, "b")
		want("first", "a", "b")
		keepVersions(s)

		lose := func() {
			put(a, "lost 1")
			want("before the failover", "lost 1", "b")
			put(b, "lost 2")
			put(b, "lost 3")
			want("before the failover", "lost 1", "lost 3")
			loseVersions(s, "UPDATE products SET name = 'a' WHERE name = 'lost 1'",
				"UPDATE products SET name = 'b' WHERE name = 'lost 3'")
		}

		lose()
		want("after the failover", "a", "b")
		lose()

		for _, name := range []string{"new 1", "new 2", "new 3", "new 4"} { // the last version exceeds the lost ones
			put(b, name)
			want("after the failover and "+name, "a", name)
		}

		put(b, "b")
		keepVersions(s)
		lose()

		for range 3 { // nobody reads until the version is the lost one
			put(b, "other")
		}

		want("at the lost version", "a", "other")
	}, apitest.Alone())
}

func TestFailover_lostNamesAreNotShown(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		option := createAttribute(s, optionsPath, "red")
		other := createAttribute(s, optionsPath, "x")
		category := createNamed(s, categoriesPath, "shoes")
		sibling := createNamed(s, categoriesPath, "y")
		product := s.OK(201, "POST", "/v2/products", map[string]any{"name": "Shirt", "categories": []string{category},
			"variants": []any{newVariant("a", option.asOption(0))}}).Text("data.id")

		want := func(what, value, category string) {
			t.Helper()
			for _, path := range []string{"/v2/products/" + product, "/v2/products?with=variants,categories"} {
				for range 2 {
					body := string(s.Get(path).Body)
					for _, name := range []string{value, category} {
						if !strings.Contains(body, `"name":"`+name+`"`) {
							t.Errorf("%s: %s is %s, want %q and %q", what, path, body, value, category)
						}
					}
				}
			}

			if body := string(s.Get(optionsPath + "?with=values").Body); !strings.Contains(body, `"name":"`+value+`"`) {
				t.Errorf("%s: the options are %s, want %q", what, body, value)
			}
		}

		rename := func(value, name string) {
			s.OK(200, "PUT", optionsPath+"/"+option.id,
				attributeEdit{Values: []map[string]any{renamedValue(option.values[0], value)}})
			s.OK(200, "PUT", categoriesPath+"/"+category, map[string]any{"name": name})
		}
		want("first", "red", "shoes")
		keepVersions(s)
		lose := func() {
			rename("lost value", "lost category")
			want("before the failover", "lost value", "lost category")
			loseVersions(s, "UPDATE attributes SET version = 1",
				"UPDATE attribute_values SET name = 'red' WHERE name = 'lost value'",
				"UPDATE categories SET name = 'shoes' WHERE name = 'lost category'")
		}
		edit := func(name string) {
			s.OK(200, "PUT", optionsPath+"/"+other.id, map[string]any{"name": name})
			s.OK(200, "PUT", categoriesPath+"/"+sibling, map[string]any{"name": name})
		}
		lose()
		want("after the failover", "red", "shoes")
		edit("n1")
		want("at the lost versions", "red", "shoes")
		rename("blue", "boots")
		want("after another rename", "blue", "boots")
		rename("red", "shoes")
		keepVersions(s)
		lose()
		edit("n2") // nobody reads until the versions are the lost ones
		want("at the lost versions, unnoticed", "red", "shoes")
		edit("n3")
		want("later", "red", "shoes")
	}, apitest.Alone())
}

// A backup is put back under a running node, and the next change has the version of a lost one.
func TestFailover_lostNamesAreNotFound(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		product := createProduct(s, newVariant("a"))
		put := func(name string) { s.OK(200, "PUT", "/v2/products/"+product, map[string]any{"name": name}) }

		want := func(what, name string) {
			t.Helper()
			for _, word := range []string{"Firstname", "Lostname", "Secondname"} {
				var names []string
				if word == name {
					names = []string{name}
				}
				if got := s.Get("/v2/products?q="+word).Texts("data", "name"); !slices.Equal(got, names) {
					t.Errorf("%s: q=%s finds %q, want %q", what, word, got, names)
				}
			}

			if got := s.Get("/v2/products/" + product).Text("data.name"); got != name {
				t.Errorf("%s: the product is %q, want %q", what, got, name)
			}
		}

		put("Firstname")
		want("first", "Firstname")
		keepVersions(s)
		const kept = "(SELECT k.%[1]s FROM kept_products k WHERE k.key = products.key)"
		s.Write(func(ctx context.Context, q database.Querier) error {
			return execAll(ctx, q,
				"CREATE TABLE kept_products AS SELECT key, name, words, sort_name, version FROM products")
		})

		for _, readBetween := range []bool{true, false} {
			put("Lostname")
			want("before the restore", "Lostname")
			undo := "UPDATE products SET "
			for i, column := range []string{"name", "words", "sort_name", "version"} {
				if i > 0 {
					undo += ", "
				}
				undo += column + " = " + strings.ReplaceAll(kept, "%[1]s", column)
			}

			loseVersions(s, undo)
			if readBetween {
				want("after the restore", "Firstname")
			}

			put("Secondname")
			want("after the restore, at the lost version", "Secondname")
			loseVersions(s, undo)
			want("after the second restore", "Firstname")
		}
	}, apitest.Alone())
}
