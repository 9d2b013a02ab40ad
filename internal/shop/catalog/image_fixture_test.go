package catalog_test

import (
	"bytes"
	"log/slog"
	"testing"
	"time"

	. "vitrine/internal/shop/catalog" // the tests use packages that import it
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/blobtest"
)

// imageFixture is a fixture with images on a disk that can fail.
type imageFixture struct {
	*catalogFixture
	files *imagefile.Files
	blobs *blobtest.Disk
}

func eachImageFixture(t *testing.T, fn func(s *imageFixture)) {
	t.Helper()
	eachEngine(t, func(p *catalogFixture) {
		s := &imageFixture{catalogFixture: p, blobs: blobtest.NewDisk(p)}
		s.files = imagefile.New(imagefile.Deps{DB: p.DB, Blobs: s.blobs, Now: p.Clock.Now,
			Log: slog.New(slog.DiscardHandler)})
		fn(s)
	})
}

func (s *imageFixture) store(content []byte) imagefile.Upload {
	s.Helper()
	u, err := s.files.Store(s.Context(), s.Store.ID, bytes.NewReader(content))
	if err != nil {
		s.Fatal(err)
	}
	return u
}

func (s *imageFixture) create(u imagefile.Upload, e ImageEdit) (im Image, err error) {
	err = s.TryWrite(func(tx store.Tx) (err error) {
		im, err = s.Images.Create(s.Context(), tx, u, e)
		return err
	})
	return im, err
}

// upload creates an image with bytes of its own.
func (s *imageFixture) upload() Image {
	s.Helper()
	im, err := s.create(s.store(blobtest.EncodePNG(4, 4, byte(s.blobs.Puts.Load()))), ImageEdit{})
	if err != nil {
		s.Fatal(err)
	}
	return im
}

func (s *imageFixture) image(imageID ImageID) (im Image) {
	s.Helper()
	s.Read(func(tx store.Tx) (err error) {
		im, err = s.Images.Find(s.Context(), tx, imageID, true)
		return err
	})
	return im
}

func (s *imageFixture) deleteImage(imageID ImageID) error {
	return s.TryWrite(func(tx store.Tx) error {
		return s.Images.Delete(s.Context(), tx, imageID, nil)
	})
}

// removeOrphans advances the clock and removes the orphans that are then due.
func (s *imageFixture) removeOrphans(later time.Duration) {
	s.Helper()
	s.Clock.Advance(later)
	if err := s.files.RemoveOrphans(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// wantFiles checks that the stored files are exactly the originals of these images.
func (s *imageFixture) wantFiles(images ...Image) {
	s.Helper()
	want := make([]string, len(images))
	for i, im := range images {
		want[i] = im.ID.String() + "/" + im.File(imagefile.Original)
	}
	s.blobs.WantFiles(want...)
}

// withImages returns an edit that sets the images of a product.
func withImages(images ...Image) ProductEdit {
	return ProductEdit{Images: new(idsOf(images...))}
}
