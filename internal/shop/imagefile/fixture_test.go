package imagefile

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
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/blobtest"
	"vitrine/internal/testkit/storetest"
)

// fixture is a store with image files on a disk that can fail.
type fixture struct {
	*storetest.Fixture
	files  *Files
	blobs  *blobtest.Hooked
	folder string
}

// eachFixture runs fn with a new fixture on each database engine.
func eachFixture(t *testing.T, fn func(s *fixture)) {
	t.Helper()
	storetest.Each(t, func(f *storetest.Fixture) {
		s := &fixture{Fixture: f, folder: f.TempDir()}
		disk, err := blob.Open(f.Context(), blob.Config{URL: s.folder})
		if err != nil {
			f.Fatal(err)
		}
		f.Cleanup(func() { _ = disk.Close() })
		s.blobs = &blobtest.Hooked{Store: disk}
		s.files = New(Deps{DB: f.DB, Blobs: s.blobs, Now: f.Clock.Now, Log: slog.New(slog.DiscardHandler)})
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

func (s *fixture) store(content []byte) Upload {
	s.Helper()
	u, err := s.files.Store(s.Context(), s.Store.ID, bytes.NewReader(content))
	if err != nil {
		s.Fatal(err)
	}
	return u
}

// unmarkOrphan does what the transaction that creates an image does with its orphan row.
func (s *fixture) unmarkOrphan(u Upload) Upload {
	s.Helper()
	s.Write(func(tx store.Tx) error {
		kept, err := UnmarkOrphan(s.Context(), tx, u.ID)
		if err == nil && !kept {
			err = errors.New("the upload has expired")
		}
		return err
	})
	return u
}

// upload stores the bytes of an image and keeps them.
func (s *fixture) upload() Upload {
	s.Helper()
	return s.unmarkOrphan(s.store(encodePNG(4, 4, byte(s.blobs.Puts.Load()))))
}

// deleteImage does what the transaction that deletes an image does with its orphan row.
func (s *fixture) deleteImage(imageID ID) error {
	return s.TryWrite(func(tx store.Tx) error {
		return MarkOrphan(s.Context(), tx, imageID, s.Clock.Now())
	})
}

// removeOrphans advances the clock and removes the orphans that are due then.
func (s *fixture) removeOrphans(later time.Duration) {
	s.Helper()
	s.Clock.Advance(later)
	if err := s.files.RemoveOrphans(s.Context()); err != nil {
		s.Fatal(err)
	}
}

// storedFiles returns the stored files as "image id/file name".
func (s *fixture) storedFiles() (names []string) {
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

// wantFiles checks that the stored files are exactly the originals of these uploads.
func (s *fixture) wantFiles(uploads ...Upload) {
	s.Helper()
	want := map[string]bool{}
	for _, u := range uploads {
		want[u.ID.String()+"/original.png"] = true
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
