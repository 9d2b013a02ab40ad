package app

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
)

// Restore replaces the SQLite database by that of a backup and adds the images of the backup. source is the directory
// or the tar file that Backup wrote. Restore refuses while a server runs, and to replace a database unless force is
// true. The new database takes its place at the end, after its integrity and its secret key were checked: if Restore
// fails, the old one is unchanged.
func Restore(
	ctx context.Context, cfg config.Storage, files config.Files, source string, force bool,
) (r BackupReport, err error) {
	target, ok := database.SQLiteFile(cfg.DatabaseURL())
	if !ok {
		return r, errBackupPostgres(cfg, files)
	}
	if err := makeDataDir(cfg); err != nil {
		return r, err
	}
	unlock, err := database.Lock(target)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if info, err := os.Stat(target); err == nil && info.Size() > 0 && !force {
		return r, fmt.Errorf("the database %s exists already; --force replaces it, and all that is in it is lost", target)
	}
	v, err := readVault(cfg)
	if errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("the secret key is missing: it is not part of a backup. Copy the key file of the server that "+
			"was backed up to %s, or name it with --secret-key-file", cfg.KeyFile())
	}
	if err != nil {
		return r, err
	}
	folder, onDisk, err := blob.Config{URL: files.BlobURL(cfg)}.Folder()
	if err != nil {
		return r, fmt.Errorf("--blob: %w", err)
	}
	r.ImagesElsewhere = !onDisk
	staged := target + ".restore"
	if err := removeStaged(staged); err != nil { // of a restore that was killed
		return r, err
	}
	defer func() { err = errors.Join(err, removeStaged(staged)) }()
	err = eachBackupFile(ctx, source, func(name string, content io.Reader, size int64) error {
		if name == backupDatabase {
			r.DatabaseBytes = size
			return stageDatabase(ctx, staged, content, v)
		}
		if r.DatabaseBytes == 0 {
			return notABackup(source)
		}
		image, ok := strings.CutPrefix(name, backupImages+"/")
		if !ok || !onDisk {
			return nil
		}
		r.Images++
		r.ImageBytes += size
		return restoreImage(folder, image, content, size)
	})
	if err != nil {
		return r, err
	}
	if r.DatabaseBytes == 0 {
		return r, notABackup(source)
	}
	if r.Images > 0 {
		if err := syncFiles(folder); err != nil {
			return r, err
		}
	}
	if err := os.RemoveAll(cfg.SearchDir()); err != nil { // columns of the replaced database
		return r, err
	}
	return r, database.ReplaceFile(target, staged)
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
		"%s is not a backup: it must begin with %s. vitrine backup writes a directory or a .tar file.", source,
		backupDatabase)
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

// restoreImage writes a file of an image, unless it is there already. The content of an image never changes.
func restoreImage(folder, name string, content io.Reader, size int64) error {
	if !fs.ValidPath(name) {
		return fmt.Errorf("the backup contains the invalid name %q", name)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Stat(name); err == nil && info.Size() == size {
		return nil
	}
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

// eachBackupFile calls fn for each file of a backup, for the database first.
func eachBackupFile(
	ctx context.Context, source string, fn func(name string, content io.Reader, size int64) error,
) error {
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return eachTarFile(ctx, source, fn)
	}
	f, err := os.Open(filepath.Join(source, backupDatabase))
	if errors.Is(err, fs.ErrNotExist) {
		return notABackup(source)
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if info, err = f.Stat(); err != nil {
		return err
	}
	if err := fn(backupDatabase, f, info.Size()); err != nil {
		return err
	}
	return eachImageFile(ctx, filepath.Join(source, backupImages), func(name string, f *os.File, size int64) error {
		return fn(path.Join(backupImages, name), f, size)
	})
}

func eachTarFile(
	ctx context.Context, source string, fn func(name string, content io.Reader, size int64) error,
) error {
	f, err := os.Open(source)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	archive := tar.NewReader(f)
	for first := true; ; first = false {
		header, err := archive.Next()
		switch {
		case errors.Is(err, io.EOF):
			return ctx.Err()
		case err != nil && first:
			return notABackup(source)
		case err != nil || ctx.Err() != nil:
			return errors.Join(err, ctx.Err())
		case header.Typeflag != tar.TypeReg:
			continue
		}
		if err := fn(header.Name, archive, header.Size); err != nil {
			return err
		}
	}
}
