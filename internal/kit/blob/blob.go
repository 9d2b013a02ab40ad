// Package blob stores files under names, on a disk or in an S3-compatible bucket. It does not interpret their content.
//
// A name is a slash-separated path such as store/image/small.jpg. Files are removed by folder, never one by one. The
// caller records their names; Each is for backups and checks.
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

// ErrNotFound is returned by Open if there is no file with the given name.
var ErrNotFound = errors.New("no such blob")

// Store stores files. It is safe for concurrent use. Its errors are ErrNotFound, the error of a cancelled ctx, an error
// for an invalid name, or a fault.Unavailable.
type Store interface {
	// Put stores content under name and replaces an existing file. When it returns nil, the whole content is durable.
	// Readers see the old or the new content, never a part.
	Put(ctx context.Context, name string, content []byte) error
	// PutFrom is like Put, for a content that is read from a reader and has the given size.
	PutFrom(ctx context.Context, name string, content io.Reader, size int64) error
	// Each calls fn for each stored file, in no particular order. Files that are put or removed meanwhile may be left
	// out.
	Each(ctx context.Context, fn func(name string, size int64) error) error
	// Open opens a file for reading, or returns ErrNotFound. The caller closes it.
	Open(ctx context.Context, name string) (File, error)
	// Remove removes a folder and all files in it. A missing folder is no error. A file that is put while Remove runs
	// may survive, unless its Put returned before Remove deleted the first file.
	Remove(ctx context.Context, folder string) error
	// Check reports whether files can be stored now. It is cheap, but may not notice everything that lets a Put fail.
	Check(ctx context.Context) error
	// Close releases the store's resources. The store must not be used afterwards.
	Close() error
}

// File is an open file.
type File interface {
	io.ReadSeekCloser
	// Size returns the length in bytes.
	Size() int64
}

// checkBlobName returns an error for a name that could escape the store, such as one with "..". Names come from our own
// code, so an invalid name is a programming error and not a fault.
func checkBlobName(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.ContainsAny(name, "\\\x00") {
		return errors.New("invalid blob name: " + name)
	}
	return nil
}

// checkNameWithFolder also requires that the name contains a folder.
func checkNameWithFolder(name string) error {
	if err := checkBlobName(name); err != nil {
		return err
	}
	if path.Dir(name) == "." {
		return errors.New("blob name without a folder: " + name)
	}
	return nil
}

// storageUnavailable wraps an error of the storage in a fault.Unavailable, so that the client retries. If ctx was
// cancelled, it returns err unchanged.
func storageUnavailable(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return err
	}
	return fault.New(fault.Unavailable, "file_storage_unavailable",
		"The storage of files cannot be reached; nothing was changed. Try again shortly.").
		After(5 * time.Second).Because(err)
}
