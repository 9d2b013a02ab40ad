package blobtest

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/kit/blob"
)

// Disk is a HookedStore in a folder of its own.
type Disk struct {
	HookedStore
	tb   testing.TB
	root string
}

// NewDisk returns an empty Disk. It is closed and removed when the test ends.
func NewDisk(tb testing.TB) *Disk {
	tb.Helper()
	d := &Disk{tb: tb, root: tb.TempDir()}
	disk, err := blob.Open(tb.Context(), blob.Config{URL: d.root})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = disk.Close() })
	d.Store = disk
	return d
}

// Files returns the stored files as "folder/file name", with only the innermost of nested folders.
func (d *Disk) Files() (names []string) {
	d.tb.Helper()
	err := filepath.WalkDir(d.root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			parts := strings.Split(path, string(filepath.Separator))
			names = append(names, strings.Join(parts[len(parts)-2:], "/"))
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.tb.Fatal(err)
	}
	return names
}

// WantFiles checks that exactly these files are stored, named as Files names them.
func (d *Disk) WantFiles(want ...string) {
	d.tb.Helper()
	expected := map[string]bool{}
	for _, name := range want {
		expected[name] = true
	}
	got := d.Files()
	for _, name := range got {
		if !expected[name] {
			d.tb.Errorf("the file %s is stored", name)
		}
	}
	if len(got) != len(expected) {
		d.tb.Errorf("the files %q are stored, want %d files", got, len(expected))
	}
}

// EncodePNG returns a PNG whose bytes depend on its size and shade.
func EncodePNG(w, h int, shade byte) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	img.SetNRGBA(0, 0, color.NRGBA{shade, shade, 0, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err) // not reached: the size is valid and the buffer never fails
	}
	return b.Bytes()
}
