package catalog

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/blob"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/blobtest"
)

// imageFixture is a fixture with images on a disk that can fail.
type imageFixture struct {
	*fixture
	files  *imagefile.Files
	blobs  *blobtest.Hooked
	folder string
}

func eachImageFixture(t *testing.T, fn func(s *imageFixture)) {
	t.Helper()
	eachEngine(t, func(p *fixture) {
		s := &imageFixture{fixture: p, folder: p.TempDir()}
		disk, err := blob.Open(p.Context(), blob.Config{URL: s.folder})
		if err != nil {
			p.Fatal(err)
		}
		p.Cleanup(func() { _ = disk.Close() })
		s.blobs = &blobtest.Hooked{Store: disk}
		s.files = imagefile.New(imagefile.Deps{DB: p.DB, Blobs: s.blobs, Now: p.Clock.Now,
			Log: slog.New(slog.DiscardHandler)})
		fn(s)
	})
}

// encodePNG returns a PNG whose bytes depend on its size and shade.
func encodePNG(w, h int, shade byte) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	img.SetNRGBA(0, 0, color.NRGBA{shade, shade, 0, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
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
	im, err := s.create(s.store(encodePNG(4, 4, byte(s.blobs.Puts.Load()))), ImageEdit{})
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

// removeOrphans advances the clock and removes the orphans that are due then.
func (s *imageFixture) removeOrphans(later time.Duration) {
	s.Helper()
	s.Clock.Advance(later)
	if err := s.files.RemoveOrphans(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// storedFiles returns the stored files as "image id/file name".
func (s *imageFixture) storedFiles() (names []string) {
	s.Helper()
	err := filepath.WalkDir(s.folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			parts := strings.Split(path, string(filepath.Separator))
			names = append(names, strings.Join(parts[len(parts)-2:], "/"))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Fatal(err)
	}
	return names
}

// wantFiles checks that the stored files are exactly the originals of these images.
func (s *imageFixture) wantFiles(images ...Image) {
	s.Helper()
	want := map[string]bool{}
	for _, im := range images {
		want[im.ID.String()+"/"+im.File(imagefile.Original)] = true
	}
	got := s.storedFiles()
	for _, name := range got {
		if !want[name] {
			s.Errorf("the file %s is stored", name)
		}
	}
	if len(got) != len(want) {
		s.Errorf("the files %q are stored, want %d files", got, len(want))
	}
}

// withImages returns an edit that sets the images of a product.
func withImages(images ...Image) ProductEdit {
	ids := make([]ImageID, len(images))
	for i, im := range images {
		ids[i] = im.ID
	}
	return ProductEdit{Images: &ids}
}
