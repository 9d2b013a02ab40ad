package catalog_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/store"
)

// listImageIDs returns one page of the ids of the store's images.
func (s *imageFixture) listImageIDs(archived bool, limit, offset int64) (ids []ImageID, total int64) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		list, n, err := s.Images.List(s.Context(), tx, archived, limit, offset)
		ids = nil
		total = n
		for _, im := range list {
			ids = append(ids, im.ID)
		}
		return err
	})
	return ids, total
}

func TestImages_areListedInTheOrderOfCreation(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		var want []ImageID
		for range 5 {
			want = append(want, s.upload().ID)
		}

		for _, c := range []struct{ limit, offset, from, to int64 }{{10, 0, 0, 5}, {2, 2, 2, 4}, {2, 4, 4, 5},
			{2, 6, 5, 5}} {
			if got, total := s.listImageIDs(true, c.limit, c.offset); total != 5 ||
				!slices.Equal(got, want[c.from:c.to]) {
				s.Errorf("limit %d, offset %d: got %v of %d", c.limit, c.offset, got, total)
			}
		}

		other := s.otherStore()

		other.Read(func(tx store.Tx) error {
			_, total, err := s.Images.List(s.Context(), tx, true, 10, 0)
			if total != 0 {
				s.Errorf("another store lists %d images", total)
			}
			if _, err := s.Images.Find(s.Context(), tx, want[0], true); fault.KindOf(err) != fault.NotFound {
				s.Errorf("finding an image of another store: got %v, want fault.NotFound", err)
			}
			return err
		})
	})
}

func TestImages_ofArchivedProductsAreHidden(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		free, shown, hidden := s.upload(), s.upload(), s.upload()
		s.mustCreate(withImages(shown))
		p := s.mustCreate(withImages(hidden))
		s.Write(func(tx store.Tx) error {
			_, err := s.Products.Archive(s.Context(), tx, p.ID, nil)
			return err
		})

		if got, total := s.listImageIDs(false, 10, 0); total != 2 || !slices.Equal(got, []ImageID{free.ID, shown.ID}) {
			s.Errorf("without archived products: %v of %d are listed", got, total)
		}
		if got, total := s.listImageIDs(true, 10, 0); total != 3 || len(got) != 3 {
			s.Errorf("with archived products: %v of %d are listed, want 3", got, total)
		}

		s.Read(func(tx store.Tx) error {
			if _, err := s.Images.Find(s.Context(), tx, hidden.ID, false); fault.KindOf(err) != fault.NotFound {
				s.Errorf("finding the image of an archived product: got %v, want fault.NotFound", err)
			}
			im, err := s.Images.Find(s.Context(), tx, shown.ID, false)
			if im.ProductID == nil {
				s.Error("the image of a product has no owner")
			}
			return err
		})
	})
}

func TestEditImage_changesItsExternalID(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		im, other := s.upload(), s.upload()
		edit := func(e ImageEdit, pre fault.Precondition) (Image, error) {
			return inTx(s.catalogFixture, func(tx store.Tx) (Image, error) {
				return s.Images.Edit(s.Context(), tx, im.ID, e, pre)
			})
		}
		got, err := edit(ImageEdit{ExternalID: new("7")}, nil)
		if err != nil || *got.ExternalID != "7" || got.Version != 2 || !got.UpdatedAt.After(im.UpdatedAt) {
			s.Errorf("the image is %+v: %v", got, err)
		}

		if got, err = edit(ImageEdit{}, nil); err != nil || *got.ExternalID != "7" || got.Version != 3 {
			s.Errorf("the image is %+v: %v", got, err)
		}

		if _, err := edit(ImageEdit{},
			func(version int64) bool { return version == 2 }); fault.KindOf(err) != fault.Stale {
			s.Errorf("with an old version: got %v, want fault.Stale", err)
		}

		s.Write(func(tx store.Tx) error {
			_, err := s.Images.Edit(s.Context(), tx, other.ID, ImageEdit{ExternalID: new("8")}, nil)
			return err
		})
		_, err = edit(ImageEdit{ExternalID: new("8")}, nil)
		s.wantExternalIDTaken(err, "external_id")
		if got, err = edit(ImageEdit{ExternalID: new("")}, nil); err != nil || got.ExternalID != nil {
			s.Errorf("the image is %+v: %v", got, err)
		}
	})
}

// imageIDsOf returns the ids of a product's images in display order.
func (s *imageFixture) imageIDsOf(p fullProduct) []ImageID {
	s.Helper()
	return idsOf(s.load(p.ID).Images...)
}

func idsOf(images ...Image) (list []ImageID) {
	for _, im := range images {
		list = append(list, im.ID)
	}
	return list
}

func TestProduct_showsItsImagesInTheOrderSent(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		a, b, c := s.upload(), s.upload(), s.upload()
		s.Clock.Advance(time.Minute)
		p := s.mustCreate(withImages(c, a))
		if got := s.imageIDsOf(p); !slices.Equal(got, idsOf(c, a)) {
			s.Errorf("the images are %v", got)
		}

		if im := s.image(c.ID); im.ProductID == nil || *im.ProductID != p.ID || im.Version != 2 ||
			!im.UpdatedAt.After(c.UpdatedAt) {
			s.Errorf("an attached image is %+v", im)
		}

		s.mustEdit(p.ID, withImages(b, a, c))
		if got := s.imageIDsOf(p); !slices.Equal(got, idsOf(b, a, c)) {
			s.Errorf("the images are %v", got)
		}
		if im := s.image(c.ID); im.Version != 2 {
			s.Errorf("an image that only moved has version %d", im.Version)
		}

		s.mustEdit(p.ID, withImages(b))
		if im := s.image(c.ID); im.ProductID != nil || im.Version != 3 {
			s.Errorf("a detached image is %+v", im)
		}

		s.mustEdit(p.ID, withName("Other", ProductEdit{}))
		if got := s.imageIDsOf(p); !slices.Equal(got, idsOf(b)) {
			s.Errorf("after an edit without images, the images are %v", got)
		}
	})
}

func TestDeleteImage_detachesItFromItsProduct(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		a, b := s.upload(), s.upload()
		p := s.mustCreate(withImages(a, b))
		s.must(s.deleteImage(a.ID))
		now := s.load(p.ID)
		if len(now.Images) != 1 || now.Images[0].ID != b.ID || now.Version != p.Version+1 ||
			!now.UpdatedAt.Equal(p.UpdatedAt) {
			s.Errorf("the product has %d images and version %d", len(now.Images), now.Version)
		}
		if err := s.deleteImage(b.ID); err != nil || len(s.imageIDsOf(p)) != 0 {
			s.Errorf("deleting the last image: %v", err)
		}
	})
}

// Two edits give the same image to two products, while the image and one of the products are deleted. There is no
// deadlock, and the other product does not show the deleted image.
func TestDeleteImage_doesNotDeadlockWithEdits(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		for range 5 {
			wanted, first := s.upload(), s.upload()
			products := []fullProduct{s.mustCreate(withImages(first)), s.mustCreate(ProductEdit{})}

			errs := concurrently(4, func(i int) error {
				switch i {
				case 2:
					return s.deleteImage(wanted.ID)
				case 3:
					return s.TryWrite(func(tx store.Tx) error {
						return s.Products.Delete(s.Context(), tx, products[0].ID, nil)
					})
				}

				return s.edit(products[i].ID, withImages(wanted))
			})
			for i, err := range errs {
				if kind := fault.KindOf(err); err != nil && kind != fault.Invalid && kind != fault.NotFound {
					s.Errorf("writer %d: %v", i, err)
				}
			}

			if got := s.imageIDsOf(products[1]); len(got) != 0 {
				s.Errorf("a product shows the deleted image %v", got)
			}
		}
	})
}

// The deletion of an image, an edit of its product and the deletion of the product take their locks in the same order.
// So there is no deadlock, and no transaction has to be repeated.
func TestDeleteImage_locksInTheSameOrderAsProductWrites(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		var runs atomic.Int64
		write := func(fn func(tx store.Tx) error) error {
			return s.TryWrite(func(tx store.Tx) error {
				runs.Add(1)
				return fn(tx)
			})
		}
		const rounds = 10
		for range rounds {
			shown := []Image{s.upload(), s.upload()}
			wanted := s.upload()
			p := s.mustCreate(withImages(shown...))

			errs := concurrently(4, func(i int) error {
				return write(func(tx store.Tx) error {
					switch i {
					case 0, 1:
						return s.Images.Delete(s.Context(), tx, shown[i].ID, nil)
					case 2:
						return s.Products.Delete(s.Context(), tx, p.ID, nil)
					}
					_, err := s.Products.Edit(s.Context(), tx, p.ID, withImages(wanted), nil)
					return err
				})
			})
			for i, err := range errs {
				if err != nil && fault.KindOf(err) != fault.NotFound {
					s.Errorf("writer %d: %v", i, err)
				}
			}
		}

		if n := runs.Load(); n != 4*rounds {
			s.Errorf("%d transactions ran %d times, want no repetition", 4*rounds, n)
		}
	})
}
