package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// isNilOrInvalid reports whether err is nil or fault.Invalid.
func isNilOrInvalid(err error) bool { return err == nil || fault.KindOf(err) == fault.Invalid }

// insertImages inserts images without an owner.
func (s *catalogFixture) insertImages(n int) []ImageID {
	s.Helper()
	list := make([]ImageID, n)
	batch := database.NewBatch(database.UUID)
	for i := range list {
		list[i] = id.New[imagefile.Image]()
		batch.Add(list[i])
	}
	s.Write(func(tx store.Tx) error {
		_, err := tx.Unscoped().ExecRows(s.Context(), `WITH r(id) AS (ROWS)
			INSERT INTO images (store_id, id, position, format, opaque, width, height, size, digest, version, created_at, updated_at)
			SELECT $1, id, 0, 'png', $2, 4, 3, 100, $3, 1, 5, 5 FROM r`, batch, s.Store.ID, true, []byte("digest"))
		return err
	})
	return list
}

func categoryNames(p fullProduct) string {
	var names []string
	for _, c := range p.Categories {
		names = append(names, c.Name)
	}
	return strings.Join(names, " ")
}

func imageIDs(p fullProduct) (list []ImageID) {
	for _, im := range p.Images {
		list = append(list, im.ID)
	}
	return list
}

func TestProduct_setsCategories(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		a, b, c := s.category("a"), s.category("b"), s.category("c")
		p := s.mustCreate(ProductEdit{Categories: &[]CategoryID{c.ID, a.ID}})
		if got := categoryNames(p); got != "a c" {
			s.Errorf("the categories are %s", got)
		}
		if got := categoryNames(s.mustEdit(p.ID, ProductEdit{Name: new("x")})); got != "a c" {
			s.Errorf("after another edit the categories are %s", got)
		}
		if got := categoryNames(s.mustEdit(p.ID, ProductEdit{Categories: &[]CategoryID{b.ID, c.ID}})); got != "b c" {
			s.Errorf("after a new list the categories are %s", got)
		}

		if got := categoryNames(s.mustEdit(p.ID, ProductEdit{Categories: &[]CategoryID{}})); got != "" {
			s.Errorf("after an empty list the categories are %s", got)
		}

		theirs := s.otherStore().category("theirs")
		for _, e := range []struct {
			sent []CategoryID
			want string
		}{
			{[]CategoryID{a.ID, theirs.ID}, "categories[1] unknown_category"},
			{[]CategoryID{{}}, "categories[0] unknown_category"},
			{[]CategoryID{a.ID, b.ID, a.ID}, "categories[2] duplicate_category"},
		} {
			_, err := s.tryCreate(withName("x", ProductEdit{Categories: &e.sent}))
			s.wantInvalid(err, e.want)
			s.wantInvalid(s.edit(p.ID, ProductEdit{Categories: &e.sent}), e.want)
		}
	})
}

func TestProduct_imageHasOneOwner(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		pictures := s.insertImages(3)
		a, b, c := pictures[0], pictures[1], pictures[2]
		p := s.mustCreate(ProductEdit{Images: &[]ImageID{c, a}})
		shows := func(p fullProduct, want ...ImageID) {
			s.Helper()
			if got := imageIDs(p); !slices.Equal(got, want) {
				s.Errorf("the images are %v, want %v", got, want)
			}
		}
		shows(p, c, a)
		shows(s.mustEdit(p.ID, ProductEdit{Name: new("x")}), c, a)
		shows(s.mustEdit(p.ID, ProductEdit{Images: &[]ImageID{a, b, c}}), a, b, c)
		other := s.mustCreate(ProductEdit{})

		theirs := s.otherStore().insertImages(1)[0]
		for _, e := range []struct {
			sent []ImageID
			want string
		}{
			{[]ImageID{a}, "images[0] image_taken"},
			{[]ImageID{theirs}, "images[0] unknown_image"},
			{[]ImageID{{1}}, "images[0] unknown_image"},
		} {
			_, err := s.tryCreate(withName("x", ProductEdit{Images: &e.sent}))
			s.wantInvalid(err, e.want)
			s.wantInvalid(s.edit(other.ID, ProductEdit{Images: &e.sent}), e.want)
		}

		s.wantInvalid(s.edit(p.ID, ProductEdit{Images: &[]ImageID{a, b, a}}), "images[2] duplicate_image")

		// An image that one product has removed can be added to another.
		shows(s.mustEdit(p.ID, ProductEdit{Images: &[]ImageID{b}}), b)
		shows(s.mustEdit(other.ID, ProductEdit{Images: &[]ImageID{a}}), a)
		s.Write(func(tx store.Tx) error {
			return s.Products.Delete(s.Context(), tx, p.ID, nil)
		})

		if n := s.Count("images WHERE product_key IS NULL"); n != 2 || s.Count("images") != 3 {
			s.Errorf("%d of %d images have no owner; want 2 of 3, one of them from the deleted product", n,
				s.Count("images"))
		}
	})
}

func TestProduct_keepsModifiersAsSent(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		const text = `[ {"name": "Wrap", "colour": "\u0072ed"} ]`
		p := s.mustCreate(ProductEdit{Modifiers: new(text)})
		if p.Modifiers != text || s.mustEdit(p.ID, ProductEdit{Name: new("x")}).Modifiers != text {
			s.Errorf("read back %s", p.Modifiers)
		}
		if got := s.mustEdit(p.ID, ProductEdit{Modifiers: new(NoModifiers)}).Modifiers; got != "[]" ||
			s.mustCreate(ProductEdit{}).Modifiers != "[]" {
			s.Errorf("no modifiers are read as %s", got)
		}
	})
}

func TestProduct_sortNameIsSearchTextOfName(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		p := s.mustCreate(ProductEdit{ExternalID: new("ERP-7"), Variants: &[]VariantEdit{newVariant("Mop-1", 1)}})

		text := func(column string) (text string) {
			s.Helper()
			s.Read(func(tx store.Tx) error {
				return database.QueryRow(s.Context(), tx.Unscoped(), "SELECT "+column+" FROM products WHERE key = $1",
					[]any{p.Key},
					&text)
			})
			return text
		}

		s.mustEdit(p.ID, ProductEdit{Name: new("Große  BÜRSTE!")})

		if name, words := text("sort_name"), text("words"); name != " grosse bürste" ||
			words != " grosse bürste erp 7 mop 1" {
			s.Errorf("the sort name is %q, the search text %q", name, words)
		}
	})
}
