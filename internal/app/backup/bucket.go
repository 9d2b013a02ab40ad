package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/kit/blob"
)

// bucketFolder is the folder of a backup below the prefix of its URL.
const bucketFolder = "backup"

// isBucket reports whether a backup is at an s3:// URL.
func isBucket(target string) bool { return strings.HasPrefix(target, "s3://") }

// unfinishedFolder is in the folder of a backup that is being written, with one object. The folder of the backup was
// empty before, so that all in it may be removed.
const unfinishedFolder = "unfinished"

// bucketBackup is a backup in a bucket: an object for each file, and the manifest as the last one. Without a manifest
// it is not complete.
type bucketBackup struct {
	ctx    context.Context //nolint:containedctx // the methods of backup have none
	store  blob.Store
	tempIn string
}

// openBucketBackup begins a backup in a bucket. It refuses a folder that is not empty, unless a backup was begun there
// and not finished, which it removes.
func openBucketBackup(ctx context.Context, location blob.Config, tempDir string) (backup, error) {
	s, err := blob.Open(ctx, location)
	if err != nil {
		return nil, err
	}
	b := &bucketBackup{ctx, s, tempDir}
	if err := b.begin(app.WithoutCredentials(location.URL)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return b, nil
}

func (b *bucketBackup) begin(target string) error {
	used, unfinished, complete := false, false, false
	err := b.store.Each(b.ctx, func(name string, _ int64) error {
		if strings.HasPrefix(name, bucketFolder+"/") {
			used = true
			unfinished = unfinished || strings.HasPrefix(name, b.name(unfinishedFolder)+"/")
			complete = complete || name == b.name(backupManifest)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case used && (complete || !unfinished):
		return fmt.Errorf("%s exists already; name a new prefix", target)
	case used:
		if err := b.store.Remove(b.ctx, bucketFolder); err != nil {
			return err
		}
	}

	return b.add(path.Join(unfinishedFolder, "begun"), strings.NewReader(""), 0)
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

func (b *bucketBackup) finish() error {
	return errors.Join(b.store.Remove(b.ctx, b.name(unfinishedFolder)), b.store.Close())
}

func (b *bucketBackup) discard() error {
	return errors.Join(b.store.Remove(context.WithoutCancel(b.ctx), bucketFolder), b.store.Close())
}
