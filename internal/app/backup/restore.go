package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
)

// Restore replaces the SQLite database by the database of a backup and adds the images of the backup. o.Target is what
// Create wrote. Restore refuses while a server runs, and to replace a database unless force is true. The new database
// takes its place at the end, after its integrity, its secret key and the checksums of all files were checked: if
// Restore fails, the old one is unchanged. Just before that, the image storage is claimed for the new database.
func Restore(
	ctx context.Context, cfg config.Storage, files config.Files, o Options, force bool,
) (r Report, err error) {
	target, ok := database.SQLiteFile(cfg.DatabaseURL())
	if !ok {
		return r, errBackupPostgres(cfg, files)
	}
	if err := app.MakeDataDir(cfg); err != nil {
		return r, err
	}

	unlock, err := database.Lock(target)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	if info, err := os.Stat(target); err == nil && info.Size() > 0 && !force {
		return r, fmt.Errorf("the database %s exists already; --force replaces it, and all that is in it is lost",
			target)
	}

	v, err := app.ReadVault(cfg)
	if errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("the secret key is missing: it is not part of a backup. Copy the key file of the server "+
			"that "+
			"was backed up to %s, or name it with --secret-key-file", cfg.KeyFile())
	}

	if err != nil {
		return r, err
	}

	images, err := newImageRestore(ctx, cfg, files, o.NoImages)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, images.close()) }()

	staged := target + ".restore"
	if err := removeStaged(staged); err != nil { // of a restore that was killed
		return r, err
	}
	defer func() { err = errors.Join(err, removeStaged(staged)) }()

	err = eachBackupFile(ctx, o, func(name string, content io.Reader, size int64) error {
		switch {
		case name == backupDatabase:
			r.DatabaseBytes = size
			if err := stageDatabase(ctx, staged, content, v); err != nil {
				return err
			}
			return images.check(ctx, staged, target)
		case r.DatabaseBytes == 0:
			return notABackup(o.Target)
		}

		added, err := images.add(ctx, name, content, size)
		if added {
			r.Images++
			r.ImageBytes += size
		}

		return err
	})
	if err != nil {
		return r, err
	}

	if r.DatabaseBytes == 0 {
		return r, notABackup(o.Target)
	}
	if err := os.RemoveAll(cfg.SearchDir()); err != nil { // columns of the replaced database
		return r, err
	}
	if err := images.finish(ctx, staged); err != nil {
		return r, err
	}

	return r, database.ReplaceFile(target, staged)
}

// imageRestore adds the images of a backup to the image storage.
type imageRestore struct {
	location string     // of the storage, for messages
	folder   string     // of a storage on disk, or ""
	blobs    blob.Store // nil if the images are left out
	none     bool
	added    bool
}

func newImageRestore(ctx context.Context, cfg config.Storage, files config.Files, none bool) (*imageRestore, error) {
	folder, _, err := blob.Config{URL: files.BlobURL(cfg)}.Folder()
	if err != nil {
		return nil, fmt.Errorf("--blob: %w", err)
	}
	i := &imageRestore{location: app.WithoutCredentials(files.BlobURL(cfg)), folder: folder, none: none}
	if !none {
		i.blobs, err = app.OpenBlobs(ctx, cfg, files)
	}
	return i, err
}

// check refuses a storage that belongs to another database than the staged one. The storage of the database that is
// being replaced is taken over.
func (i *imageRestore) check(ctx context.Context, staged, replaced string) error {
	if i.none {
		return nil
	}

	owner, ok, err := imagefile.StorageOwner(ctx, i.blobs)
	if err != nil {
		return fmt.Errorf("--blob: %w", err)
	}
	if !ok {
		return nil
	}

	restored, err := fileDatabaseID(ctx, staged)
	if err != nil {
		return err
	}
	if owner == restored {
		return nil
	}
	if old, err := fileDatabaseID(ctx, replaced); err == nil && owner == old {
		return nil
	}

	return fmt.Errorf("--blob: %s has the images of another database than the backup. Name an empty folder, or a new "+
		"prefix of a bucket, with --blob; or restore with --no-images. Nothing was changed", i.location)
}

// fileDatabaseID returns the id of the database in a SQLite file.
func fileDatabaseID(ctx context.Context, file string) (databaseID store.DatabaseID, err error) {
	if _, err := os.Stat(file); err != nil {
		return databaseID, err
	}
	db, err := database.Open(ctx, database.Config{URL: file, Readers: 1})
	if err != nil {
		return databaseID, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return store.LookUpDatabaseID(ctx, db)
}

// add adds a file of a backup, and reports whether it is one of an image.
func (i *imageRestore) add(ctx context.Context, name string, content io.Reader, size int64) (bool, error) {
	image, ok := strings.CutPrefix(name, backupImages+"/")
	if !ok || i.none {
		return false, nil
	}
	if !fs.ValidPath(image) {
		return false, fmt.Errorf("the backup contains the invalid name %q", name)
	}
	i.added = true
	if i.folder == "" {
		return true, i.blobs.PutFrom(ctx, image, content, size)
	}
	return true, restoreImage(i.folder, blob.DiskPath(image), content)
}

// finish makes the added files durable, and claims the storage for the staged database. If the images are left out, the
// database gets its storage from the server that starts next.
func (i *imageRestore) finish(ctx context.Context, staged string) (err error) {
	if i.folder != "" && i.added {
		if err := syncFiles(i.folder); err != nil {
			return err
		}
	}
	db, err := database.Open(ctx, database.Config{URL: staged, Readers: 1})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if i.none {
		return imagefile.ForgetStorage(ctx, db)
	}
	_, err = imagefile.AcceptStorage(ctx, db, i.blobs, true)
	return err
}

func (i *imageRestore) close() error {
	if i.blobs == nil {
		return nil
	}
	return i.blobs.Close()
}

// removeStaged removes a staged database, if there is one.
func removeStaged(staged string) (err error) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if failure := os.Remove(staged + suffix); !errors.Is(failure, fs.ErrNotExist) {
			err = errors.Join(err, failure)
		}
	}
	return err
}

func notABackup(source string) error {
	return fault.New(fault.Invalid, "not_a_backup",
		"%s is not a backup, or not a complete one: it must begin with %s. vitrine backup writes a directory or a "+
			"prefix "+
			"of a bucket, where %s is the last file.", app.WithoutCredentials(source), backupDatabase, backupManifest)
}

// stageDatabase writes the database of a backup to a new file, and checks its integrity and its secret key.
func stageDatabase(ctx context.Context, staged string, content io.Reader, v *vault.Vault) (err error) {
	if err := writeNewFile(staged, content); err != nil {
		return err
	}

	db, err := database.Open(ctx, database.Config{URL: staged, Readers: 1})
	if err != nil {
		return fmt.Errorf("the database of the backup: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	if err := db.IntegrityCheck(ctx); err != nil {
		return fmt.Errorf("the database of the backup: %w", err)
	}

	used, err := store.HasVault(ctx, db)
	if err != nil {
		return err
	}
	if !used {
		return errors.New("the database of the backup is not one of Vitrine")
	}

	return store.CheckVault(ctx, db, v)
}

// restoreImage writes a file of an image. One that is there already is replaced: it may be damaged.
func restoreImage(folder, name string, content io.Reader) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}

	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()

	if err := errors.Join(root.MkdirAll(path.Dir(name), 0o700), root.MkdirAll(blob.TempFolder, 0o700)); err != nil {
		return err
	}

	temp := path.Join(blob.TempFolder, "restore")
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}

	_, err = io.Copy(f, content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}

	return root.Rename(temp, name)
}

// backupFileFunc is called with a file of a backup.
type backupFileFunc = func(name string, content io.Reader, size int64) error

// eachBackupFile calls fn for each file of a backup, for the database first. It compares the files with the manifest.
func eachBackupFile(ctx context.Context, o Options, fn backupFileFunc) error {
	if isBucket(o.Target) {
		return eachBucketFile(ctx, o, fn)
	}

	info, err := os.Stat(o.Target)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return notABackup(o.Target)
	}

	root, err := os.OpenRoot(o.Target)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()

	manifest, err := root.Open(backupManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return notABackup(o.Target)
	}
	if err != nil {
		return err
	}
	defer func() { _ = manifest.Close() }()

	return eachListedFile(ctx, manifest, func(name string) (io.ReadCloser, error) { return root.Open(name) }, fn)
}

func eachBucketFile(ctx context.Context, o Options, fn backupFileFunc) (err error) {
	s, err := blob.Open(ctx, o.bucket())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()

	manifest, err := s.Open(ctx, path.Join(bucketFolder, backupManifest))
	if errors.Is(err, blob.ErrNotFound) {
		return notABackup(o.Target)
	}
	if err != nil {
		return err
	}
	defer func() { _ = manifest.Close() }()

	return eachListedFile(ctx, manifest, func(name string) (io.ReadCloser, error) {
		return s.Open(ctx, path.Join(bucketFolder, name))
	}, fn)
}

// eachListedFile calls fn for each file that a manifest lists.
func eachListedFile(
	ctx context.Context, manifest io.Reader, open func(name string) (io.ReadCloser, error), fn backupFileFunc,
) error {
	lines := newManifestReader(manifest)
	files := int64(0)
	for {
		listed, summary, err := lines.next()
		switch {
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case summary != nil && summary.Files != files:
			return fmt.Errorf("the backup has %d files, and its manifest says %d", files, summary.Files)
		case summary != nil:
			return nil
		}

		files++
		f, err := open(listed.Name)
		if err != nil {
			return fmt.Errorf("%s of the backup is missing: %w", listed.Name, err)
		}

		content := newHashedFile(f, listed)
		err = fn(listed.Name, content, listed.Size)
		if err == nil {
			err = content.check()
		}

		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
}
