// Package blob keeps files under names, on a disk or in an S3-compatible store. It knows nothing of what is in them.
//
// A name is a path of several words, such as store/image/small.jpg; the folder of a file is its unit of removal. Nothing lists files:
// who keeps them knows their names.
package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
)

// ErrNotFound is returned by Open where there is no file of that name.
var ErrNotFound = errors.New("no such blob")

// Store keeps files. It is safe for concurrent use. All its errors but ErrNotFound and those of ctx are fault.Unavailable.
type Store interface {
	// Put keeps content under a name, in the place of what was there. When it returns nil, the bytes are durable and whole.
	Put(ctx context.Context, name string, content []byte) error
	// Open opens a file for reading, or returns ErrNotFound. The caller closes it.
	Open(ctx context.Context, name string) (File, error)
	// Remove removes a folder with all files in it, if there are any. A file that is put meanwhile may stay; one that was put before
	// another of the folder's files was seen to be gone does not.
	Remove(ctx context.Context, folder string) error
	// Close ends the use of the store.
	Close() error
}

// File is a file being read.
type File interface {
	io.ReadSeekCloser
	// Size is its length in bytes.
	Size() int64
}

// checkBlobName refuses names that would lead elsewhere: they are made by programs, so this is a mistake of ours.
func checkBlobName(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00") {
		return errors.New("invalid blob name: " + name)
	}
	return nil
}

// checkFileName is checkBlobName for a file, which stands in a folder.
func checkFileName(name string) error {
	if err := checkBlobName(name); err != nil {
		return err
	}
	if path.Dir(name) == "." {
		return errors.New("blob name without a folder: " + name)
	}
	return nil
}

// storageUnavailable is what a caller gets if the store fails: to try again may help.
func storageUnavailable(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return err
	}
	return fault.New(fault.Unavailable, "file_storage_unavailable", "The storage of files cannot be reached; nothing was changed. Try again shortly.").
		After(5 * time.Second).Because(err)
}
