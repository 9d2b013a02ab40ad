package firstslug_test

import (
	"log/slog"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/firstslug"
	"vitrine/internal/shop/slug"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/catalogtest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// Products and categories of an older program get the slugs that they would have got when they were made, whatever
// chunk they are in, and those that have a slug keep it.
func TestComplete_givesSlugsToThingsWithoutOne(t *testing.T) {
	storetest.EachEngine(t, func(f *storetest.Fixture) {
		c := catalogtest.New(f)
		edits := make([]catalog.ProductEdit, 450)
		for i := range edits {
			edits[i] = catalog.ProductEdit{Name: new("Old mug"), Variants: &[]catalog.VariantEdit{}}
		}
		f.Write(func(tx store.Tx) error {
			if _, err := c.Products.CreateAll(f.Context(), tx, edits); err != nil {
				return err
			}
			_, err := c.Categories.Create(f.Context(), tx, catalog.CategoryEdit{Name: new("Old mugs")})
			return err
		})

		f.Exec(`DELETE FROM product_slugs`)
		f.Exec(`DELETE FROM category_slugs`)
		f.Exec(`UPDATE products SET slug = NULL`)
		f.Exec(`UPDATE categories SET slug = NULL`)
		kept := c.CreateProduct("Old mug", 1, catalog.ProductEdit{})

		progress := func() (p firstslug.Progress) {
			f.Read(func(tx store.Tx) (err error) {
				p, err = firstslug.ReadProgress(f.Context(), tx)
				return err
			})
			return p
		}
		if got := progress(); got != (firstslug.Progress{Made: 1, Total: 452}) || !got.Left() {
			f.Errorf("before, the progress is %+v", got)
		}
		if err := firstslug.New(f.DB, c.Service, slog.New(slog.DiscardHandler)).Complete(f.Context()); err != nil {
			f.Fatal(err)
		}
		if got := progress(); got.Left() {
			f.Errorf("at the end, the progress is %+v", got)
		}

		slugs := f.Texts(`SELECT slug FROM products WHERE slug IS NOT NULL ORDER BY slug`)
		if n := len(slices.Compact(slugs)); n != 451 {
			f.Errorf("%d different slugs of 451 products", n)
		}
		if got := f.Texts(`SELECT slug FROM categories`); !slices.Equal(got, []string{"old-mugs"}) {
			f.Errorf("the slugs of categories are %v", got)
		}
		wantSound(f)
		f.Read(func(tx store.Tx) error {
			p, err := c.Products.Find(f.Context(), tx, kept.ID, catalog.Live)
			if err == nil && p.Slug != "old-mug" {
				f.Errorf("a product with a slug has %s now", p.Slug)
			}
			return err
		})
	})
}

// wantSound checks that the columns of things and the tables of slugs agree.
func wantSound(f interface {
	Helper()
	Errorf(string, ...any)
	Texts(string, ...any) []string
}) {
	f.Helper()
	for _, kind := range [][2]string{{"product", "products"}, {"category", "categories"}} {
		odd := f.Texts(`SELECT t.slug FROM ` + kind[1] + ` t LEFT JOIN ` + kind[0] + `_slugs s ON s.store_id = t.store_id
AND s.slug = t.slug WHERE t.slug IS NOT NULL AND (s.slug IS NULL OR NOT s.is_current OR s.` + kind[0] + `_key <> t.key)
UNION ALL SELECT s.slug FROM ` + kind[0] + `_slugs s JOIN ` + kind[1] + ` t ON t.key = s.` + kind[0] + `_key
WHERE s.is_current AND (t.slug IS NULL OR t.slug <> s.slug)`)
		if len(odd) > 0 {
			f.Errorf("the column and the table of a %s disagree about %v", kind[0], odd)
		}
	}
}

// thing is a product or a category of the model: its present slug, and whether it exists.
type thing struct {
	id      [16]byte
	present slug.Slug
}

// history is a store with things of one kind, and a model of who has or had which slug.
type history struct {
	c      *catalogtest.Catalog
	kind   slug.Kind
	things []*thing
	owner  map[slug.Slug]*thing
}

// write creates or edits a thing. It returns the slug after the write.
func (h *history) write(tx store.Tx, one *thing, name *string, given *slug.Slug) (slug.Slug, [16]byte, error) {
	ctx := h.c.Context()
	if h.kind == slug.Category {
		e := catalog.CategoryEdit{Name: name, Slug: given}
		var c catalog.Category
		var err error
		if one == nil {
			c, err = h.c.Categories.Create(ctx, tx, e)
		} else {
			c, err = h.c.Categories.Edit(ctx, tx, catalog.CategoryID(one.id), e, nil)
		}
		return c.Slug, c.ID, err
	}

	e := catalog.ProductEdit{Name: name, Slug: given}
	var p catalog.Product
	var err error
	if one == nil {
		p, err = h.c.Products.Create(ctx, tx, e)
	} else {
		p, err = h.c.Products.Edit(ctx, tx, catalog.ProductID(one.id), e, nil)
	}
	return p.Slug, p.ID, err
}

// step changes one thing and the model, and checks the answer.
func (h *history) step(t *rapid.T) {
	var one *thing
	if len(h.things) > 0 && rapid.IntRange(0, 3).Draw(t, "of") > 0 {
		one = rapid.SampledFrom(h.things).Draw(t, "thing")
	}
	action := rapid.SampledFrom([]string{"rename", "give", "null", "archive", "delete"}).Draw(t, "action")
	name := rapid.SampledFrom([]string{"Mug", "mug 2", "Кружка", "🎁", "by-slug", "Mug!"}).Draw(t, "name")
	given := rapid.SampledFrom([]slug.Slug{"mug", "mug-2", "mug-3", "kruzhka", "by-slug"}).Draw(t, "slug")

	if one != nil && action == "delete" {
		h.delete(one)
		return
	}
	if one != nil && action == "archive" && h.kind == slug.Product {
		h.c.Write(func(tx store.Tx) error {
			_, err := h.c.Products.Archive(h.c.Context(), tx, catalog.ProductID(one.id), nil)
			return err
		})
		return
	}

	var asked *slug.Slug
	switch action {
	case "give":
		asked = &given
	case "null":
		asked = new(slug.Slug)
	}

	var got slug.Slug
	var made [16]byte
	err := h.c.TryWrite(func(tx store.Tx) (err error) {
		got, made, err = h.write(tx, one, &name, asked)
		return err
	})

	holder := h.owner[given]
	if action == "give" && holder != nil && holder != one && holder.present == given {
		if fault.KindOf(err) != fault.Invalid {
			t.Fatalf("%s is the present slug of another %s, and the answer is %v", given, h.kind, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}

	if one == nil {
		one = &thing{id: made}
		h.things = append(h.things, one)
	}
	switch {
	case action == "give" && got != given:
		t.Fatalf("the given slug %s became %s", given, got)
	case asked == nil && one.present != "" && got != one.present:
		t.Fatalf("a new name changed the slug %s to %s", one.present, got)
	case action != "give" && h.owner[got] != nil && h.owner[got] != one:
		t.Fatalf("the made slug %s is or was that of another %s", got, h.kind)
	}
	one.present = got
	h.owner[got] = one
}

func (h *history) delete(one *thing) {
	h.c.Write(func(tx store.Tx) error {
		if h.kind == slug.Category {
			return h.c.Categories.Delete(h.c.Context(), tx, catalog.CategoryID(one.id), nil)
		}
		return h.c.Products.Delete(h.c.Context(), tx, catalog.ProductID(one.id), nil)
	})
	h.things = slices.DeleteFunc(h.things, func(other *thing) bool { return other == one })
	for s, owner := range h.owner {
		if owner == one {
			delete(h.owner, s)
		}
	}
}

// check compares all slugs of the model with those that are found.
func (h *history) check(t *rapid.T) {
	h.c.Read(func(tx store.Tx) error {
		for _, s := range []slug.Slug{"mug", "mug-2", "mug-3", "mug-4", "kruzhka", "kruzhka-2", "by-slug"} {
			found, err := slug.Find(h.c.Context(), tx, h.kind, s)
			switch want := h.owner[s]; {
			case want == nil && fault.KindOf(err) != fault.NotFound:
				t.Fatalf("%s leads to %+v, %v, and should lead nowhere", s, found, err)
			case want != nil && (err != nil || found.ID.Bytes() != want.id || found.Present != want.present):
				t.Fatalf("%s leads to %+v, %v, want %x with the slug %s", s, found, err, want.id, want.present)
			}
		}
		return nil
	})
}

// Whatever happens to things, no two have the same slug, and every slug leads to its last owner until another is given
// it on purpose.
func TestSlugs_afterAnyHistory(t *testing.T) {
	storetest.EachEngine(t, func(f *storetest.Fixture) {
		for _, kind := range []slug.Kind{slug.Product, slug.Category} {
			f.Subtest(string(kind), func(f *storetest.Fixture) {
				runs := promise.Repeat(20, 100)
				rapid.Check(f.TB.(*testing.T), func(t *rapid.T) {
					if runs--; runs < 0 {
						return
					}

					shop := f.WithStore(f.NewStore(store.Edit{}))
					h := &history{c: catalogtest.New(shop), kind: kind, owner: map[slug.Slug]*thing{}}
					for range rapid.IntRange(1, 25).Draw(t, "steps") {
						h.step(t)
					}
					h.check(t)
				})
				wantSound(f)
			})
		}
	})
}
