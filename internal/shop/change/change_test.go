package change

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

func TestSince_listsWhatChanged(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		if got := s.since(0); got.Version != 0 || len(got.Products.IDs)+len(got.Tags) != 0 {
			s.Errorf("an empty catalogue has the changes %+v", got)
		}

		lamp := s.CreateProduct("Lamp", 10, catalog.ProductEdit{})
		chair := s.CreateProduct("Chair", 20, catalog.ProductEdit{})
		both := []catalog.ProductID{lamp.ID, chair.ID}
		first := s.wantChanges("the beginning", 0, false, both)

		s.reprice(lamp, 11)
		priced := s.wantChanges("a price", first, true, []catalog.ProductID{lamp.ID})
		if priced <= first {
			s.Errorf("the version is %d after %d", priced, first)
		}
		s.rename(chair, "Armchair")
		named := s.wantChanges("a name", priced, false, []catalog.ProductID{chair.ID})
		s.wantChanges("a price and a name", first, false, both)
		s.wantChanges("nothing", named, false, nil)
		s.wantChanges("all", 0, false, both)
		s.wantGone(named + 1)

		got := s.since(priced)
		want := []string{"product-" + chair.ID.String(), "list"}
		if !slices.Equal(got.Tags, want) {
			s.Errorf("the tags are %q, want %q", got.Tags, want)
		}
	})
}

// The addresses of all products and categories depend on the forms of paths and on the address of the site.
func TestSince_listsEverythingAfterChangeOfPaths(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.CreateProduct("Lamp", 10, catalog.ProductEdit{})
		var lamps catalog.Category
		s.Write(func(tx store.Tx) (err error) {
			lamps, err = s.Categories.Create(s.Context(), tx, catalog.CategoryEdit{Name: new("Lamps")})
			return err
		})
		version := s.since(0).Version

		for _, e := range []store.Edit{{Paths: store.PathsEdit{Product: new("/goods/{slug}")}},
			{SiteURL: new("https://shop.example")}} {
			s.Write(func(tx store.Tx) error {
				_, err := s.Stores.Update(s.Context(), tx, e, nil)
				return err
			})
			version = s.wantChanges("other addresses", version, false, []catalog.ProductID{lamp.ID}, lamps.ID)
		}
		s.Write(func(tx store.Tx) error {
			_, err := s.Stores.Update(s.Context(), tx, store.Edit{Name: new("Shop")}, nil)
			return err
		})
		s.wantChanges("the name of the store", version, false, nil)
	})
}

func TestSince_listsDeletedProducts(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.CreateProduct("Lamp", 10, catalog.ProductEdit{})
		chair := s.CreateProduct("Chair", 20, catalog.ProductEdit{})
		version := s.since(0).Version
		s.reprice(chair, 21)
		s.since(version) // so that the block has the key

		s.Write(func(tx store.Tx) error { return s.Products.Delete(s.Context(), tx, chair.ID, nil) })
		deleted := s.wantChanges("a deletion", version, false, []catalog.ProductID{chair.ID})
		s.wantChanges("all", 0, false, []catalog.ProductID{lamp.ID})

		// SQLite uses the row key again.
		table := s.CreateProduct("Table", 30, catalog.ProductEdit{})
		s.wantChanges("a deletion and a new product", version, false, []catalog.ProductID{chair.ID, table.ID})
		s.wantChanges("a new product", deleted, false, []catalog.ProductID{table.ID})
	})
}

func TestSince_listsCategories(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		create := func(name string) (c catalog.Category) {
			s.Write(func(tx store.Tx) (err error) {
				c, err = s.Categories.Create(s.Context(), tx, catalog.CategoryEdit{Name: &name})
				return err
			})
			return c
		}
		lamps, chairs := create("Lamps"), create("Chairs")
		lamp := s.CreateProduct("Lamp", 10, catalog.ProductEdit{Categories: &[]catalog.CategoryID{lamps.ID}})
		version := s.wantChanges("the beginning", 0, false, []catalog.ProductID{lamp.ID}, lamps.ID, chairs.ID)

		s.Write(func(tx store.Tx) error {
			_, err := s.Categories.Edit(s.Context(), tx, chairs.ID, catalog.CategoryEdit{Name: new("Seats")}, nil)
			return err
		})
		version = s.wantChanges("a name", version, false, nil, chairs.ID)

		s.Write(func(tx store.Tx) error { return s.Categories.Delete(s.Context(), tx, lamps.ID, nil) })
		s.wantChanges("a deletion", version, false, []catalog.ProductID{lamp.ID}, lamps.ID)
		s.wantChanges("all", 0, false, []catalog.ProductID{lamp.ID}, chairs.ID)
	})
}

func TestSince_listsProductsOfRenamedFeaturesAndValues(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		material, values := s.CreateFeature("Material", true, "Wood", "Steel")
		wooden := s.CreateProduct("Table", 10, catalog.ProductEdit{Features: &[]catalog.ValueRef{values[0]}})
		steel := s.CreateProduct("Shelf", 20, catalog.ProductEdit{Features: &[]catalog.ValueRef{values[1]}})
		s.CreateProduct("Lamp", 30, catalog.ProductEdit{})
		version := s.since(0).Version

		edit := func(e catalog.AttributeEdit) {
			s.Helper()
			s.Write(func(tx store.Tx) error {
				_, err := s.Attributes.Edit(s.Context(), tx, catalog.Feature, material.ID, e, nil)
				return err
			})
		}
		edit(catalog.AttributeEdit{Values: catalog.ListOf(catalog.ValueEdit{ID: values[0].Value, Name: "Oak"},
			catalog.ValueEdit{ID: values[1].Value, Name: "Steel"})})
		version = s.wantChanges("the name of a value", version, false, []catalog.ProductID{wooden.ID})

		edit(catalog.AttributeEdit{Name: new("Made of")})
		version = s.wantChanges("the name of a feature", version, false, []catalog.ProductID{wooden.ID, steel.ID})

		edit(catalog.AttributeEdit{Values: catalog.ListOf(catalog.ValueEdit{Name: "Glass"})})
		got := s.since(version)
		if got.Version <= version || !slices.Equal(got.Tags, []string{"list"}) {
			s.Errorf("a value that no product has made version %d of %d, with the tags %q", got.Version, version,
				got.Tags)
		}
		version = got.Version

		edit(catalog.AttributeEdit{Removed: catalog.ListOf(values[1].Value)})
		s.wantChanges("a deleted value", version, false, []catalog.ProductID{steel.ID})
	})
}

// Several pages list each product once, and the counts of the first page hold for all. What changes meanwhile is told
// with the next version.
func TestSince_listsManyProductsPageByPage(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.CreateProduct("First", 1, catalog.ProductEdit{})
		version := s.since(0).Version
		const many = 2*PageSize + 10
		var ids []catalog.ProductID
		for from := 0; from < many; from += 500 {
			edits := make([]catalog.ProductEdit, min(500, many-from))
			for i := range edits {
				edits[i].Name = new(fmt.Sprint("Product ", from+i))
			}
			s.Write(func(tx store.Tx) error {
				created, err := s.Products.CreateAll(s.Context(), tx, edits)
				for _, p := range created {
					ids = append(ids, p.ID)
				}
				return err
			})
		}

		s.node.maxLogged = 700 // several transactions
		s.wantChanges("new products", version, false, ids)

		var cursor *Cursor
		s.Read(func(tx store.Tx) (err error) {
			_, cursor, err = Since(s.Context(), tx, version)
			return err
		})
		s.Write(func(tx store.Tx) error { return s.Products.Delete(s.Context(), tx, ids[many-1], nil) })
		if err := s.node.Refresh(s.Context(), s.Store.ID); err != nil {
			s.Fatal(err)
		}
		s.Read(func(tx store.Tx) error {
			page, _, err := Next(s.Context(), tx, *cursor)
			if len(page.Products.IDs) != PageSize || page.Version != cursor.UpTo {
				s.Errorf("the second page has %d products of version %d, want %d of %d", len(page.Products.IDs),
					page.Version, PageSize, cursor.UpTo)
			}
			return err
		})
		s.wantChanges("the deletion", cursor.UpTo, false, ids[many-1:])
	})
}

// What the log of products has lost, or lists without keys, may be any product.
func TestSince_listsAllProductsIfTheLogDoesNotSayWhich(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		lamp := s.CreateProduct("Lamp", 10, catalog.ProductEdit{})
		chair := s.CreateProduct("Chair", 20, catalog.ProductEdit{})
		both := []catalog.ProductID{lamp.ID, chair.ID}
		version := s.since(0).Version

		s.Write(func(tx store.Tx) error { return s.Core().RecordChanges(s.Context(), tx, 0) })
		version = s.wantChanges("any product", version, false, both)
		s.reprice(lamp, 11)
		version = s.wantChanges("a price", version, true, []catalog.ProductID{lamp.ID})

		s.Write(func(tx store.Tx) error { return s.Products.Delete(s.Context(), tx, chair.ID, nil) })
		s.Write(func(tx store.Tx) error { return s.Core().RecordChanges(s.Context(), tx, 0) })
		s.wantChanges("any product and a deletion", version, false, both)
	})
}

func TestPrune_forgetsVersionsAfterAWeek(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		prune := func() {
			s.Helper()
			if err := s.node.Prune(s.Context()); err != nil {
				s.Fatal(err)
			}
		}
		lamp := s.CreateProduct("Lamp", 10, catalog.ProductEdit{})
		chair := s.CreateProduct("Chair", 20, catalog.ProductEdit{})
		first := s.since(0).Version
		s.Write(func(tx store.Tx) error { return s.Products.Delete(s.Context(), tx, chair.ID, nil) })
		deleted := s.since(first).Version

		s.Clock.Advance(Retention)
		prune()
		s.wantChanges("a week later", first, false, []catalog.ProductID{chair.ID})

		s.Clock.Advance(48 * time.Hour)
		prune()
		s.wantGone(first)
		s.wantChanges("nothing", deleted, false, nil)
		s.wantChanges("all", 0, false, []catalog.ProductID{lamp.ID})
		s.reprice(lamp, 12)
		s.wantChanges("a price", deleted, true, []catalog.ProductID{lamp.ID})
		if n := s.Count("deleted_products"); n != 0 {
			s.Errorf("%d deletions are kept", n)
		}
	})
}

// Stores do not see the changes of each other.
func TestSince_isOfOneStore(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.CreateProduct("Lamp", 10, catalog.ProductEdit{})
		s.since(0)
		other := s.WithStore(s.NewStore(store.Edit{}))
		if err := s.node.Refresh(s.Context(), other.Store.ID); err != nil {
			s.Fatal(err)
		}
		other.Read(func(tx store.Tx) error {
			page, _, err := Since(s.Context(), tx, 0)
			if page.Version != 0 || page.Products.Count != 0 {
				s.Errorf("another store has the changes %+v", page)
			}
			return err
		})
	})
}

func TestBlock_isDecodedAsEncoded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(0, 1<<50).Draw(t, "number")
		b := &block{number: number, versions: map[int64]int64{}}
		for range rapid.IntRange(0, 50).Draw(t, "entries") {
			b.versions[number<<blockBits+rapid.Int64Range(0, 1<<blockBits-1).Draw(t, "offset")] =
				rapid.Int64Range(1, 1<<50).Draw(t, "version")
		}
		decoded, err := decodeBlock(number, b.last(), b.encode())
		if err != nil || fmt.Sprint(decoded) != fmt.Sprint(b) {
			t.Fatalf("%v is decoded as %v (%v)", b, decoded, err)
		}
	})
}
