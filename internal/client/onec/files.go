package onec

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vitrine/internal/kit/fault"
)

// archiveName is the name under which 1C sends an archive.
const archiveName = "import.zip"

// directory has the files of a directory, as paths with slashes below root.
type directory struct {
	root  string
	files []string
}

func listFiles(root string) (directory, error) {
	d := directory{root: root}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		below, err := filepath.Rel(root, name)
		d.files = append(d.files, filepath.ToSlash(below))
		return err
	})
	if err != nil {
		return d, fault.New(fault.NotFound, "no_directory", "The directory %s cannot be read.", root).Because(err)
	}

	slices.SortFunc(d.files, func(a, b string) int {
		return cmp.Or(documentOrder(a)-documentOrder(b), strings.Compare(a, b))
	})
	return d, nil
}

// documentOrder returns the position in which 1C imports a document: classifier and goods, offers, prices, rests.
func documentOrder(name string) int {
	base := strings.ToLower(path.Base(name))
	for i, prefix := range []string{"references", "import", "goods", "offers", "prices", "rests"} {
		if strings.HasPrefix(base, prefix) {
			return i
		}
	}
	return 6
}

// documents returns the XML files in the order in which 1C imports them.
func (d directory) documents() []string {
	return slices.DeleteFunc(slices.Clone(d.files), func(name string) bool {
		return !strings.EqualFold(path.Ext(name), ".xml")
	})
}

func (d directory) open(name string) (*os.File, error) {
	return os.Open(filepath.Join(d.root, filepath.FromSlash(name)))
}

func (s *Session) sendFiles(ctx context.Context, d directory) error {
	for _, name := range d.files {
		f, err := d.open(name)
		if err != nil {
			return err
		}
		if err := errors.Join(s.Upload(ctx, name, f), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// sendArchive sends all files as one archive. It is written while it is sent, so that it needs no room on the disk.
func (s *Session) sendArchive(ctx context.Context, d directory) error {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.CloseWithError(d.writeArchive(w))
	}()
	err := s.Upload(ctx, archiveName, r)
	_ = r.CloseWithError(errors.New("the upload has ended")) // stops writeArchive
	<-done
	return err
}

func (d directory) writeArchive(w io.Writer) error {
	archive := zip.NewWriter(w)
	for _, name := range d.files {
		if err := d.addToArchive(archive, name); err != nil {
			return fmt.Errorf("add %s to the archive: %w", name, err)
		}
	}
	return archive.Close()
}

func (d directory) addToArchive(archive *zip.Writer, name string) error {
	f, err := d.open(name)
	if err != nil {
		return err
	}
	entry, err := archive.Create(name)
	if err == nil {
		_, err = io.Copy(entry, f)
	}
	return errors.Join(err, f.Close())
}
