package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"vitrine/internal/kit/blob"
)

// bucketFolder is the folder of a backup below the prefix of its URL.
const bucketFolder = "backup"

// isBucket reports whether a backup is at an s3:// URL.
func isBucket(target string) bool { return strings.HasPrefix(target, "s3://") }

// bucketBackup is a backup in a bucket: an object for each file, and the manifest as the last one. Without a manifest
// it is not complete.
type bucketBackup struct {
	ctx    context.Context //nolint:containedctx // the methods of backup have none
	store  blob.Store
	tempIn string
}

// openBucketBackup begins a backup in a bucket. It refuses one that is complete, and removes one that is not.
func openBucketBackup(ctx context.Context, location blob.Config, tempDir string) (backup, error) {
	s, err := blob.Open(ctx, location)
	if err != nil {
		return nil, err
	}
	b := &bucketBackup{ctx, s, tempDir}
	existing, err := s.Open(ctx, b.name(backupManifest))
	switch {
	case err == nil:
		return nil, errors.Join(existing.Close(), s.Close(), fmt.Errorf(
			"%s exists already; name a new prefix", WithoutCredentials(location.URL)))
	case !errors.Is(err, blob.ErrNotFound):
		return nil, errors.Join(err, s.Close())
	}
	if err := s.Remove(ctx, bucketFolder); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return b, nil
}

func (*bucketBackup) name(file string) string { return path.Join(bucketFolder, file) }

func (b *bucketBackup) tempDir() string { return b.tempIn }

func (b *bucketBackup) add(name string, content io.Reader, size int64) error {
	return b.store.PutFrom(b.ctx, b.name(name), content, size)
}

func (b *bucketBackup) addFile(name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return b.add(name, f, info.Size())
}

func (b *bucketBackup) finish() error { return b.store.Close() }

func (b *bucketBackup) discard() error {
	return errors.Join(b.store.Remove(context.WithoutCancel(b.ctx), bucketFolder), b.store.Close())
}
