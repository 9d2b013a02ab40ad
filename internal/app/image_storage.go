package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/imagefile"
)

// CheckImageStorage returns an error with advice if the image storage does not belong to the database and cannot be
// claimed for it.
func CheckImageStorage(ctx context.Context, db *database.DB, blobs blob.Store, location string) error {
	state, err := imagefile.FindStorageState(ctx, db, blobs)
	if err != nil {
		return fmt.Errorf("--blob: %w", err)
	}
	return ImageStorageError(state, location)
}

// ImageStorageError returns nil for the storage of the database, and for one that may become it.
func ImageStorageError(state imagefile.StorageState, location string) error {
	const share = "All nodes of one database use the same --blob: mount one folder on all of them, or use a bucket " +
		"(s3://…). "
	switch state {
	case imagefile.StorageOwn, imagefile.StorageNew:
		return nil
	case imagefile.StorageUnmarked:
		return fmt.Errorf("--blob: the images of this database are in another place than %s, "+
			"which belongs to no database. "+
			share+"If a file system is not mounted, mount it. If you have moved the images to this place, or lost the "+
			"other one, stop all servers and run vitrine blob accept with the settings of this one. Nothing was "+
			"written",
			location)

	case imagefile.StorageOther:
		return fmt.Errorf("--blob: %s has images of this database or of a copy of it, "+
			"but the database says that its images "+
			"are in another place. "+share+
			"If this is the right place, stop all servers and run vitrine blob accept with "+
			"the settings of this one. Nothing was written", location)
	case imagefile.StorageForeign:
		return fmt.Errorf("--blob: %s has the images of another database. Each database needs a folder, "+
			"or a prefix of a "+
			"bucket, of its own. If that other database is gone for good, run vitrine blob accept --force with the "+
			"settings of this server. Nothing was written", location)
	}

	return fmt.Errorf("--blob: the image storage is in the unknown state %q", state)
}

// claimImageStorage claims the image storage for the database if the database has none, and returns an error with
// advice if the database has another one. A storage that cannot be reached now is claimed later, by its Check.
func claimImageStorage(
	ctx context.Context, db *database.DB, blobs blob.Store, log *slog.Logger, location string,
) (blob.Store, error) {
	claim := func(ctx context.Context) error {
		state, err := imagefile.ClaimStorage(ctx, db, blobs)
		if err != nil {
			return fmt.Errorf("--blob: %w", err)
		}
		return ImageStorageError(state, location)
	}

	err := claim(ctx)
	switch {
	case err == nil:
		return blobs, nil
	case fault.KindOf(err) != fault.Unavailable:
		return nil, err
	}

	log.WarnContext(ctx, "the image storage cannot be compared with the database yet; images are refused until then",
		"error", err)
	return &unclaimedStore{Store: blobs, claim: claim, log: log}, nil
}

// unclaimedStore is an image storage that could not be reached at the start. It refuses files until Check, which
// watchBlobs calls, has claimed it, so that none is stored or removed in a wrong place.
type unclaimedStore struct {
	blob.Store
	claim func(ctx context.Context) error
	log   *slog.Logger

	claimed, logged atomic.Bool
}

// Check claims the storage, and fails if it is a wrong one, which it logs once.
func (u *unclaimedStore) Check(ctx context.Context) error {
	if !u.claimed.Load() {
		if err := u.claim(ctx); err != nil {
			if fault.KindOf(err) != fault.Unavailable && ctx.Err() == nil && !u.logged.Swap(true) {
				u.log.ErrorContext(ctx, "images are refused: this is not the image storage of the database", "error",
					err)
			}
			return err
		}
		u.claimed.Store(true)
	}
	return u.Store.Check(ctx)
}

// usable returns the fault of a request for files before the storage is claimed.
func (u *unclaimedStore) usable() error {
	if u.claimed.Load() {
		return nil
	}
	return fault.New(fault.Unavailable, "file_storage_unavailable",
		"The storage of files cannot be reached; nothing was changed. Try again shortly.").After(5 * time.Second)
}

func (u *unclaimedStore) Put(ctx context.Context, name string, content []byte) error {
	if err := u.usable(); err != nil {
		return err
	}
	return u.Store.Put(ctx, name, content)
}

func (u *unclaimedStore) PutFrom(ctx context.Context, name string, content io.Reader, size int64) error {
	if err := u.usable(); err != nil {
		return err
	}
	return u.Store.PutFrom(ctx, name, content, size)
}

func (u *unclaimedStore) Open(ctx context.Context, name string) (blob.File, error) {
	if err := u.usable(); err != nil {
		return nil, err
	}
	return u.Store.Open(ctx, name)
}

func (u *unclaimedStore) Remove(ctx context.Context, folder string) error {
	if err := u.usable(); err != nil {
		return err
	}
	return u.Store.Remove(ctx, folder)
}

// AcceptImageStorage claims the storage of --blob for the database. It refuses the storage of another database unless
// force is true, and to do so while a server runs on a SQLite file.
func (c *Core) AcceptImageStorage(
	ctx context.Context, cfg config.Storage, files config.Files, force bool,
) (err error) {
	unlock, err := lockDatabase(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	blobs, err := OpenBlobs(ctx, cfg, files)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()

	state, err := imagefile.AcceptStorage(ctx, c.DB, blobs, force)
	if err != nil {
		return fmt.Errorf("--blob: %w", err)
	}
	return ImageStorageError(state, WithoutCredentials(files.BlobURL(cfg)))
}

// CopiedImages says what CopyImages did.
type CopiedImages struct {
	Copied, Present int // files
	Bytes           int64
}

// CopyImages copies the files of images from --blob to another folder or bucket. Files that are there already are
// skipped: a file never changes under its name. A server may be running; a file that is added meanwhile may be missed.
func (c *Core) CopyImages(
	ctx context.Context, cfg config.Storage, files config.Files, target blob.Config,
) (r CopiedImages, err error) {
	from, err := OpenBlobs(ctx, cfg, files)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()

	if err := CheckImageStorage(ctx, c.DB, from, WithoutCredentials(files.BlobURL(cfg))); err != nil {
		return r, err
	}

	overlap, err := blob.Overlap(blob.Config{URL: files.BlobURL(cfg)}, target)
	if err != nil {
		return r, err
	}

	if overlap {
		return r, fmt.Errorf("%s and --blob are the same place, or one is inside the other; name another one",
			WithoutCredentials(target.URL))
	}

	to, err := blob.Open(ctx, target)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()

	state, err := imagefile.FindStorageState(ctx, c.DB, to)
	if err != nil {
		return r, err
	}

	if state == imagefile.StorageForeign {
		return r, fmt.Errorf("%s has the images of another database; name another place",
			WithoutCredentials(target.URL))
	}

	return r, from.Each(ctx, func(name string, size int64) error {
		if !imagefile.IsImage(name) {
			return nil
		}

		copied, err := copyFile(ctx, from, to, name, size)
		switch {
		case err != nil:
			return err
		case copied:
			r.Copied++
			r.Bytes += size
		default:
			r.Present++
		}

		return nil
	})
}

// copyFile copies a file unless the target has it. It does nothing if the file was removed meanwhile.
func copyFile(ctx context.Context, from, to blob.Store, name string, size int64) (copied bool, err error) {
	present, err := to.Open(ctx, name)
	if err == nil {
		same := present.Size() == size
		if err := present.Close(); err != nil || same {
			return false, err
		}
	} else if !errors.Is(err, blob.ErrNotFound) {
		return false, err
	}

	f, err := from.Open(ctx, name)
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()

	return true, to.PutFrom(ctx, name, f, f.Size())
}
