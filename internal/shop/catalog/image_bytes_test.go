package catalog_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/blobtest"
)

func TestCreateImage_keepsTheBytes(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		content := blobtest.EncodePNG(40, 30, 1)
		u := s.store(content)
		if u.Digest != sha256.Sum256(content) || u.Size == 0 {
			s.Errorf("the upload is %+v", u)
		}
		im, err := s.create(u, ImageEdit{})
		s.must(err)
		if got := s.image(im.ID); got.Format != "png" || got.Width != 40 || got.Height != 30 || !got.Opaque ||
			got.ProductID != nil || got.ExternalID != nil {
			s.Errorf("the image is %+v", got)
		}
		s.removeOrphans(48 * time.Hour)
		s.wantFiles(im)
	})
}

// An upload expires after an hour, and its bytes are removed. No image may be created from it then.
func TestCreateImage_refusesAnExpiredUpload(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		u := s.store(blobtest.EncodePNG(4, 4, 1))
		s.removeOrphans(2 * time.Hour)
		_, err := s.create(u, ImageEdit{})
		var f *fault.Error
		if !errors.As(err, &f) || f.Kind != fault.Unavailable || f.RetryAfter <= 0 || s.Count("images") != 0 {
			s.Errorf("got %v, want fault.Unavailable and no image", err)
		}
	})
}

func TestDeleteImage_removesItsBytesAtOnce(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		gone, kept := s.upload(), s.upload()

		// Opening a thumbnail makes both thumbnails.
		if _, _, err := s.files.Open(s.Context(), s.Store.ID, gone.ID, gone.File(imagefile.Small)); err != nil {
			s.Fatal(err)
		}

		s.must(s.deleteImage(gone.ID))
		if fault.KindOf(s.deleteImage(gone.ID)) != fault.NotFound {
			s.Error("the deleted image was found")
		}

		s.removeOrphans(0)
		s.wantFiles(kept)
		_, _, err := s.files.Open(s.Context(), s.Store.ID, gone.ID, gone.File(imagefile.Original))
		if fault.KindOf(err) != fault.NotFound {
			s.Errorf("opening the file of a deleted image: got %v, want fault.NotFound", err)
		}
	})
}

// The images of a product are deleted with it, and their bytes are removed.
func TestDeleteProduct_removesTheBytesOfItsImages(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		images := []Image{s.upload(), s.upload(), s.upload()}
		p := s.mustCreate(withImages(images[:2]...))
		s.Write(func(tx store.Tx) error {
			return s.Products.Delete(s.Context(), tx, p.ID, nil)
		})
		s.removeOrphans(0)
		s.wantFiles(images[2])
		if n := s.Count("images"); n != 1 {
			s.Errorf("there are %d images, want 1", n)
		}
	})
}

// If the external id is taken, the upload does not become an image, and its bytes are removed after an hour.
func TestCreateImage_orphansTheBytesIfTheExternalIDIsTaken(t *testing.T) {
	eachImageFixture(t, func(s *imageFixture) {
		kept, err := s.create(s.store(blobtest.EncodePNG(4, 4, 0)), ImageEdit{ExternalID: new("taken")})
		if err != nil {
			s.Fatal(err)
		}

		_, err = s.create(s.store(blobtest.EncodePNG(4, 4, 1)), ImageEdit{ExternalID: new("taken")})
		s.wantExternalIDTaken(err, "external_id")
		s.removeOrphans(59 * time.Minute)

		if n := s.Count("image_leftovers"); n != 1 {
			s.Errorf("there are %d orphan rows, want 1", n)
		}

		s.removeOrphans(2 * time.Minute)
		s.wantFiles(kept)

		if notes, images := s.Count("image_leftovers"), s.Count("images"); notes != 0 || images != 1 {
			s.Errorf("there are %d orphan rows and %d images, want 0 and 1", notes, images)
		}
	})
}
