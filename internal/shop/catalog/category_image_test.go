package catalog_test

import (
	"strings"
	"testing"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/store"
)

func (s *catalogFixture) findCategory(c Category) (found Category) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		found, err = s.Categories.Find(s.Context(), tx, c.ID)
		return err
	})
	return found
}

func (s *imageFixture) wantPicture(c Category, want *Image) {
	s.Helper()
	found := s.findCategory(c)
	switch {
	case want == nil && found.Image != nil:
		s.Errorf("%s has a picture", c.Name)
	case want != nil && (found.Image == nil || found.Image.ID != want.ID):
		s.Errorf("%s has not the picture %s", c.Name, want.ID)
	}
}

func TestCategoryImage_isReplacedTakenAwayAndDeletedWithTheCategory(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		c, other := s.category("Lamps"), s.category("Chairs")
		first, second := s.upload(), s.upload()
		set := func(im *ImageID) error { return s.editCategory(c, CategoryEdit{Image: &im}) }

		s.must(set(&first.ID))
		s.wantPicture(c, &first)
		if im := s.image(first.ID); im.CategoryID == nil || *im.CategoryID != c.ID {
			t.Errorf("the image belongs to %v", im.CategoryID)
		}
		taken := &first.ID
		if err := s.editCategory(other, CategoryEdit{Image: &taken}); err == nil ||
			!strings.Contains(err.Error(), "image") {
			t.Errorf("another category took the image: %v", err)
		}
		if _, err := inTx(s.catalogFixture, func(tx store.Tx) (Product, error) {
			e := withImages(first)
			e.Name = new("Lamp")
			return s.Products.Create(s.Context(), tx, e)
		}); err == nil {
			t.Error("a product took the image of a category")
		}

		s.must(set(&second.ID))
		s.wantPicture(c, &second)
		if im := s.image(first.ID); im.CategoryID != nil {
			t.Error("the image before still belongs to the category")
		}
		s.must(set(&second.ID))
		s.wantPicture(c, &second)
		s.must(set(nil))
		s.wantPicture(c, nil)

		s.must(set(&second.ID))
		version := s.findCategory(c).Version
		s.must(s.deleteImage(second.ID))
		s.wantPicture(c, nil)
		if got := s.findCategory(c).Version; got != version+1 {
			t.Errorf("deleting the image made version %d of %d", got, version)
		}

		s.must(set(&first.ID))
		s.must(s.deleteCategory(c))
		s.removeOrphans(0)
		s.wantFiles()
	})
}

func TestPushCategories_describesThem(t *testing.T) {
	eachEngine(t, func(s *catalogFixture) {
		item := categoryPush("p", "/")
		item.Description = new("Of oak.")
		s.pushCategories([]CategoryPush{item}, "created")
		item.Digest = digestOf("again")
		s.pushCategories([]CategoryPush{item}, "unchanged")

		item.Digest = digestOf("none")
		item.Description = new("")
		s.pushCategories([]CategoryPush{item}, "updated")

		item.Digest = digestOf("left")
		item.Name, item.Description = new("P"), nil
		s.pushCategories([]CategoryPush{item}, "updated")

		long := categoryPush("q", "/")
		long.Description = new(strings.Repeat("x", MaxDescription+1))
		s.pushCategories([]CategoryPush{long}, "failed description:too_long")
	})
}
