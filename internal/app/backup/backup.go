// Package backup copies a SQLite database and the files of images to a directory or a bucket, and restores them. A
// manifest with checksums completes a backup. PostgreSQL has its own programs for backups.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vitrine/internal/app"
	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/imagefile"
)

// The names in a backup.
const (
	backupDatabase = "vitrine.db"
	backupImages   = "images"
)

// unfinishedSuffix marks a backup that is being written. A backup with its final name is complete and durable.
const unfinishedSuffix = ".unfinished"

// Report says what a backup contains.
type Report struct {
	DatabaseBytes int64
	Images        int // files of images, thumbnails included
	ImageBytes    int64
}

// Options say where a backup is and what it has.
type Options struct {
	// Target is an s3:// URL like the URL of --blob, or else a directory. AccessKey and SecretKey are the credentials
	// of the bucket if the URL has none.
	Target               string
	AccessKey, SecretKey string
	// NoImages leaves out the images.
	NoImages bool
	// Version is the version of the program.
	Version string
}

func (o Options) bucket() blob.Config {
	return blob.Config{URL: o.Target, AccessKey: o.AccessKey, SecretKey: o.SecretKey}
}

// Create copies the SQLite database and then the files of images, from a folder or a bucket, to a target, which must
// not exist. The manifest is written last. A server may be running; the copy is a snapshot of the database. The secret
// key is never part of a backup. It returns a fault.Invalid for PostgreSQL.
func Create(
	ctx context.Context, cfg config.Storage, files config.Files, o Options,
) (r Report, err error) {
	if _, ok := database.SQLiteFile(cfg.DatabaseURL()); !ok {
		return r, errBackupPostgres(cfg, files)
	}
	if err := app.RequireDatabase(cfg); err != nil {
		return r, err
	}

	var images blob.Store
	if !o.NoImages {
		if images, err = openImageSource(ctx, cfg, files); err != nil {
			return r, err
		}
		defer func() { err = errors.Join(err, images.Close()) }()
	}

	out, err := createBackup(ctx, cfg, files, o)
	if err != nil {
		return r, err
	}
	manifest, err := newManifestWriter(out.tempDir())
	if err != nil {
		return r, errors.Join(err, out.discard())
	}
	defer manifest.close()

	manifest.sum = manifestSummary{Format: 1, Program: o.Version, CreatedAt: time.Now().UTC().Truncate(time.Second)}
	err = copyDatabase(ctx, cfg, out, manifest, &r)
	if err == nil && images != nil {
		err = copyImages(ctx, images, out, manifest, &r)
	}

	if err == nil {
		err = manifest.addTo(out)
	}

	if err != nil {
		return r, errors.Join(err, out.discard())
	}

	return r, out.finish()
}

// copyImages copies the files of images, and no others. Files that are removed meanwhile are skipped. A file never
// changes under its name.
func copyImages(ctx context.Context, blobs blob.Store, out backup, m *manifestWriter, r *Report) error {
	return blobs.Each(ctx, func(name string, _ int64) error {
		if !imagefile.IsImage(name) {
			return nil
		}

		f, err := blobs.Open(ctx, name)
		if errors.Is(err, blob.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()

		r.Images++
		r.ImageBytes += f.Size()
		return addHashed(out, m, path.Join(backupImages, name), f, f.Size())
	})
}

// openImageSource opens the image storage of --blob, and refuses the storage of another database.
func openImageSource(ctx context.Context, cfg config.Storage, files config.Files) (_ blob.Store, err error) {
	db, err := database.Open(ctx, database.Config{URL: cfg.DatabaseURL(), Readers: 1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	blobs, err := app.OpenBlobs(ctx, cfg, files)
	if err != nil {
		return nil, err
	}
	if err := app.CheckImageStorage(ctx, db, blobs, app.WithoutCredentials(files.BlobURL(cfg))); err != nil {
		return nil, errors.Join(err, blobs.Close())
	}
	return blobs, nil
}

func errBackupPostgres(cfg config.Storage, files config.Files) error {
	return fault.New(fault.Invalid, "not_sqlite", `This database is PostgreSQL, which has its own programs for backups:
  pg_dump --format=custom --file=vitrine.dump "$VITRINE_DATABASE"
  pg_restore --clean --if-exists --dbname="$VITRINE_DATABASE" vitrine.dump
  psql "$VITRINE_DATABASE" -c ANALYZE
Stop all servers before pg_restore. A database that is too large for pg_dump, or that must be restored to any moment,
needs a base backup and the archive of its write-ahead log:
  pg_basebackup --dbname="$VITRINE_DATABASE" --pgdata=basebackup --format=tar --gzip --checkpoint=fast --progress
Back up the images as well, after the database (%s), and keep the secret key
(%s) in another place.%s`, app.WithoutCredentials(files.BlobURL(cfg)), cfg.KeyFile(), unknownToPostgres(cfg.Database))
}

// unknownToPostgres returns a paragraph that names the parameters of a URL which the programs of PostgreSQL refuse,
// since only the driver of this program knows them; "" if there are none.
func unknownToPostgres(databaseURL string) string {
	u, err := url.Parse(databaseURL)
	if err != nil {
		return ""
	}

	var names []string
	for name := range u.Query() {
		if strings.HasPrefix(name, "pool_") || slices.Contains(driverParameters, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}

	slices.Sort(names)
	return "\nIn these commands leave out of the address what only Vitrine knows: " + strings.Join(names, ", ") + "."
}

// driverParameters are the parameters of a database URL, beside those of the pool, that only the driver knows.
var driverParameters = []string{"default_query_exec_mode", "statement_cache_capacity", "description_cache_capacity"}

// checkBackupTarget refuses a target that exists, and one inside the image storage or around it: to delete the one
// would delete the other, too.
func checkBackupTarget(cfg config.Storage, files config.Files, target string) error {
	overlap, err := blob.Overlap(blob.Config{URL: files.BlobURL(cfg)}, blob.Config{URL: target})
	if err != nil {
		return fmt.Errorf("compare the target with --blob: %w", err)
	}

	if overlap {
		return fmt.Errorf("%s and the images of --blob, %s, are in the same place, or one is inside the other. Choose "+
			"another directory or another prefix, best on another disk or in another bucket",
			app.WithoutCredentials(target), app.WithoutCredentials(files.BlobURL(cfg)))
	}

	if isBucket(target) {
		return nil
	}
	if _, err := os.Stat(target); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s exists already; name a new directory", target))
	}

	return nil
}

func copyDatabase(
	ctx context.Context, cfg config.Storage, out backup, m *manifestWriter, r *Report,
) (err error) {
	db, err := database.Open(ctx, database.Config{URL: cfg.DatabaseURL(), Readers: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	copied, err := os.MkdirTemp(out.tempDir(), ".vitrine-backup-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(copied)) }()

	file := filepath.Join(copied, backupDatabase)
	if err := db.Backup(ctx, file); err != nil {
		return err
	}
	if err := describeCopy(ctx, file, &m.sum); err != nil {
		return err
	}

	info, err := os.Stat(file)
	if err != nil {
		return err
	}

	r.DatabaseBytes = info.Size()
	return addFileHashed(out, m, backupDatabase, file)
}

// describeCopy fills in the schema version, the id and the row counts of the manifest. It reads them from the copy,
// because the original may have changed since.
func describeCopy(ctx context.Context, file string, m *manifestSummary) (err error) {
	db, err := database.Open(ctx, database.Config{URL: file, Readers: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return m.describe(ctx, db)
}

// backup is a backup that is being written, in a directory or a bucket.
type backup interface {
	// tempDir returns a directory for temporary files that are as large as the database.
	tempDir() string
	add(name string, content io.Reader, size int64) error
	// addFile adds a file and may move it into the backup.
	addFile(name, file string) error
	// finish makes the backup durable and gives it its final name. discard removes it.
	finish() error
	discard() error
}

func createBackup(
	ctx context.Context, cfg config.Storage, files config.Files, o Options,
) (backup, error) {
	if err := checkBackupTarget(cfg, files, o.Target); err != nil {
		return nil, err
	}
	if isBucket(o.Target) {
		return openBucketBackup(ctx, o.bucket(), cfg.Data)
	}
	target := filepath.Clean(o.Target) // without a slash at its end
	unfinished := target + unfinishedSuffix
	if err := os.RemoveAll(unfinished); err != nil { // of a backup that was killed
		return nil, err
	}
	return directoryBackup{target}, os.Mkdir(unfinished, 0o700)
}

type directoryBackup struct{ target string }

func (b directoryBackup) path() string { return b.target + unfinishedSuffix }

func (b directoryBackup) tempDir() string { return filepath.Dir(b.target) }

func (b directoryBackup) add(name string, content io.Reader, _ int64) error {
	file := filepath.Join(b.path(), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return writeNewFile(file, content)
}

func writeNewFile(name string, content io.Reader) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Close())
}

func (b directoryBackup) addFile(name, file string) error {
	return os.Rename(file, filepath.Join(b.path(), name))
}

func (b directoryBackup) finish() error {
	if err := syncFiles(b.path()); err != nil {
		return errors.Join(err, b.discard())
	}
	return renameDurably(b.path(), b.target)
}

func (b directoryBackup) discard() error { return os.RemoveAll(b.path()) }

func renameDurably(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	d, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
