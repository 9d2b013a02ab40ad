package demo_test

import (
	"bytes"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/demo"
	"vitrine/internal/demo/drawing"
	"vitrine/internal/kit/blob"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// imageFiles stores images in a temporary directory.
func (s *fixture) imageFiles() *imagefile.Files {
	s.Helper()
	blobs, err := blob.Open(s.Context(), blob.Config{URL: s.TempDir()})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() {
		if err := blobs.Close(); err != nil {
			s.Error(err)
		}
	})
	return imagefile.New(
		imagefile.Deps{DB: s.DB, Blobs: blobs, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
}

// images returns the images of a product.
func (s *fixture) images(externalID string) []catalog.Image {
	s.Helper()
	var images []catalog.Image

	s.Read(func(tx store.Tx) error {
		keys, err := s.catalog.Products.KeysByExternalID(s.Context(), tx, []string{externalID})
		if err != nil {
			return err
		}
		products, err := s.catalog.Products.ByKeys(s.Context(), tx, []int64{keys[externalID]})
		if err != nil {
			return err
		}

		err = s.catalog.Products.FillImages(s.Context(), tx, products)
		images = products[0].Images
		return err
	})

	return images
}

// The first products get the generator's pictures once. A later run adds pictures only to products without any.
func TestFill_uploadsPicturesOnce(t *testing.T) {
	g := demo.NewGenerator(1)
	drawn := [][][]byte{drawPictures(t, g, 1), drawPictures(t, g, 2), nil} // the third product gets no pictures

	eachDatabase(t, func(s *fixture) {
		files := s.imageFiles()
		var progress []int
		o := demo.Options{
			Products: 3, Seed: 1, Pictures: 1, Files: files,
			PictureProgress: func(done int) { progress = append(progress, done) },
		}
		if report := s.fill(o); report.Pictures != len(drawn[0]) || progress != nil {
			s.Errorf("Fill reports %+v, want %d pictures; the progress is %v", report, len(drawn[0]), progress)
		}

		before := s.images(demo.ExternalID(1))
		o.Pictures = 2

		if report := s.fill(o); report.Pictures != len(drawn[1]) || report.Created != 0 ||
			!slices.Equal(progress, []int{2}) {
			s.Errorf("the run with one more product reports %+v; the progress is %v", report, progress)
		}
		if report := s.fill(o); report.Pictures != 0 {
			s.Errorf("the third run reports %+v", report)
		}

		for i, want := range drawn {
			images := s.images(demo.ExternalID(i + 1))
			if len(images) != len(want) {
				s.Fatalf("product %d has %d images, want %d", i+1, len(images), len(want))
			}

			for k, im := range images {
				if im.Alt == nil || !strings.HasPrefix(*im.Alt, g.Product(i+1).Name) {
					s.Errorf("image %d of product %d has the text %v", k, i+1, im.Alt)
				}
				if im.Width != drawing.Side || im.Height != drawing.Side || im.Format != "jpeg" ||
					!bytes.Equal(s.content(files, im), want[k]) {
					s.Errorf("image %d of product %d is %+v, or its content differs from the drawn picture", k, i+1, im)
				}
			}
		}

		if after := s.images(demo.ExternalID(1)); after[0].ID != before[0].ID {
			s.Error("an image was replaced")
		}

		var total int64
		err := s.TryRead(func(tx store.Tx) (err error) {
			_, total, err = s.catalog.Images.List(s.Context(), tx, true, 1, 0)
			return err
		})
		if all := len(drawn[0]) + len(drawn[1]); err != nil || total != int64(all) {
			s.Errorf("the store has %d images, want %d: %v", total, all, err)
		}
	})
}

// content returns the stored file of an image.
func (s *fixture) content(files *imagefile.Files, im catalog.Image) []byte {
	s.Helper()
	file, _, err := files.Open(s.Context(), s.Store.ID, im.ID, im.File(imagefile.Original))
	if err != nil {
		s.Fatal(err)
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		s.Fatal(err)
	}
	return content
}

// Variants show the picture in their colour, those of new products and those of products that get pictures later.
func TestFill_namesThePicturesOfVariants(t *testing.T) {
	const products, early = 24, 12

	eachDatabase(t, func(s *fixture) {
		o := demo.Options{Products: products, Seed: 1, Pictures: early, Files: s.imageFiles()}
		s.fill(o)
		o.Pictures = products
		s.fill(o)

		named := [2]int{}
		for i := 1; i <= products; i++ {
			images := s.images(demo.ExternalID(i))
			for _, v := range s.variants(demo.ExternalID(i)) {
				for _, shown := range v.Images {
					at := slices.IndexFunc(images, func(im catalog.Image) bool { return im.ID == shown.ID })
					if at < 0 || !slices.ContainsFunc(v.Options, func(o catalog.AttributeValue) bool {
						return strings.HasSuffix(*images[at].Alt, " – "+o.Value.Name)
					}) {
						s.Errorf("variant %s of product %d shows image %d of %d", v.SKU, i, at, len(images))
					}
					if i <= early {
						named[0]++
					} else {
						named[1]++
					}
				}
			}
		}
		if named[0] == 0 || named[1] == 0 {
			s.Errorf("%v variants have pictures", named)
		}
	})
}

// variants returns the variants of a product.
func (s *fixture) variants(externalID string) (variants []catalog.Variant) {
	s.Helper()
	s.Read(func(tx store.Tx) error {
		keys, err := s.catalog.Products.KeysByExternalID(s.Context(), tx, []string{externalID})
		if err != nil {
			return err
		}
		products, err := s.catalog.Products.ByKeys(s.Context(), tx, []int64{keys[externalID]})
		if err != nil {
			return err
		}
		variants, _, err = s.catalog.Products.ListVariants(s.Context(), tx, products[0], catalog.Live, 100, 0)
		return err
	})
	return variants
}
