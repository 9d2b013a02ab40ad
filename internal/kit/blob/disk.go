package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"vitrine/internal/kit/fault"
)

const (
	// TempFolder is the folder of a store on disk for files that are being written and folders that are being removed.
	// A copy of the store can omit it.
	TempFolder = "tmp"
	// orphanAge is the age at which an entry of TempFolder counts as left behind by a crashed process.
	orphanAge = time.Hour
)

// diskStore stores files in a folder. os.Root confines all paths to that folder.
type diskStore struct{ root *os.Root }

func openDisk(folder string) (Store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for files: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the folder for files: %w", err)
	}
	d := &diskStore{root}
	if err := d.prepareTempFolder(); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the folder for files: %w", err), root.Close())
	}
	return d, nil
}

// prepareTempFolder creates the temp folder and removes what crashed processes left in it. Other processes may be
// writing now, so entries younger than orphanAge stay.
func (d *diskStore) prepareTempFolder() error {
	if err := d.root.MkdirAll(TempFolder, 0o700); err != nil {
		return err
	}

	entries, err := fs.ReadDir(d.root.FS(), TempFolder)
	if err != nil {
		return err
	}

	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && time.Since(info.ModTime()) < orphanAge {
			continue
		}
		if err := errors.Join(err, d.root.RemoveAll(path.Join(TempFolder, e.Name()))); err != nil {
			return err
		}
	}

	return nil
}

// shardedPath returns the path of a folder on disk. It inserts a directory level, named by a hash of the folder's last
// element, since file systems are slow with a million entries in one directory.
func shardedPath(folder string) string {
	parent, leaf := path.Split(folder)
	sum := sha256.Sum256([]byte(leaf))
	return path.Join(parent, hex.EncodeToString(sum[:])[:3], leaf)
}

// DiskPath returns the path of a file in the folder of a store on disk, with slashes.
func DiskPath(name string) string { return path.Join(shardedPath(path.Dir(name)), path.Base(name)) }

// Each walks the folder. The last directory but one of each path is the level that shardedPath inserts.
func (d *diskStore) Each(ctx context.Context, fn func(name string, size int64) error) error {
	return fs.WalkDir(d.root.FS(), ".", func(file string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed meanwhile
		case err != nil || ctx.Err() != nil:
			return diskFault(ctx, errors.Join(err, ctx.Err()))
		case e.IsDir() && file == TempFolder:
			return fs.SkipDir
		case !e.Type().IsRegular():
			return nil
		}

		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return diskFault(ctx, err)
		}

		leaf := path.Dir(file)
		name := path.Join(path.Dir(path.Dir(leaf)), path.Base(leaf), path.Base(file))
		if DiskPath(name) != file {
			return nil // not a file of this store
		}

		return fn(name, info.Size())
	})
}

func (d *diskStore) Put(ctx context.Context, name string, content []byte) error {
	return d.PutFrom(ctx, name, bytes.NewReader(content), int64(len(content)))
}

func (d *diskStore) PutFrom(ctx context.Context, name string, content io.Reader, size int64) error {
	if err := errors.Join(ctx.Err(), checkNameWithFolder(name)); err != nil {
		return err
	}
	temp := path.Join(TempFolder, rand.Text())
	err := d.writeSynced(temp, content, size)
	if err == nil {
		err = d.renameDurably(temp, shardedPath(path.Dir(name)), path.Base(name))
	}
	if err != nil {
		_ = d.root.Remove(temp) // if this fails, prepareTempFolder removes the file later
	}
	return diskFault(ctx, err)
}

// writeSynced creates a file and calls fsync on it.
func (d *diskStore) writeSynced(name string, content io.Reader, size int64) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, content)
	if err == nil && n != size {
		err = fmt.Errorf("the content has %d bytes, not %d", n, size)
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// renameDurably moves a temporary file to folder/base. It then calls fsync on that folder and on all its parents, so
// that the name survives a power loss.
func (d *diskStore) renameDurably(temp, folder, base string) error {
	const attempts = 100
	for attempt := 1; ; attempt++ {
		err := d.root.MkdirAll(folder, 0o700)
		if err == nil {
			err = d.root.Rename(temp, path.Join(folder, base))
		}

		if err == nil {
			break
		}

		// A concurrent Remove may delete the folder between MkdirAll and Rename, or during MkdirAll: then retry.
		if (!errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist)) || attempt == attempts {
			return err
		}
	}

	for ; ; folder = path.Dir(folder) {
		err := d.syncFolder(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // ErrNotExist: a concurrent Remove deleted it
			return err
		}
		if folder == "." {
			return nil
		}
	}
}

func (d *diskStore) syncFolder(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d *diskStore) Open(ctx context.Context, name string) (File, error) {
	if err := errors.Join(ctx.Err(), checkNameWithFolder(name)); err != nil {
		return nil, err
	}
	f, err := d.root.Open(path.Join(shardedPath(path.Dir(name)), path.Base(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, diskFault(ctx, err)
	}
	info, err := f.Stat()
	if err != nil {
		return nil, diskFault(ctx, errors.Join(err, f.Close()))
	}
	return diskFile{f, info.Size()}, nil
}

type diskFile struct {
	*os.File
	size int64
}

func (f diskFile) Size() int64 { return f.size }

// Remove renames the folder into TempFolder before it deletes the files, so that readers never see only some of them.
func (d *diskStore) Remove(ctx context.Context, folder string) error {
	if err := errors.Join(ctx.Err(), checkBlobName(folder)); err != nil {
		return err
	}
	temp := path.Join(TempFolder, rand.Text())
	err := d.root.Rename(shardedPath(folder), temp)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = d.syncFolder(path.Dir(shardedPath(folder)))
	}
	if err == nil {
		err = d.removeAll(temp)
	}
	return diskFault(ctx, err)
}

// removeAll deletes a folder that Remove has renamed. A concurrent Put that opened the folder before the rename may
// still create a file in it; the directory is then not empty, and the deletion is retried.
func (d *diskStore) removeAll(temp string) error {
	const attempts = 100
	for attempt := 1; ; attempt++ {
		err := d.root.RemoveAll(temp)
		if !errors.Is(err, syscall.ENOTEMPTY) || attempt == attempts {
			return err
		}
	}
}

// checkBytes is the size of the file that Check writes: a block of the usual file systems.
const checkBytes = 4096

// Check writes a file, without fsync, and removes it.
func (d *diskStore) Check(ctx context.Context) error {
	temp := path.Join(TempFolder, rand.Text())
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = f.Write(make([]byte, checkBytes))
		err = errors.Join(err, f.Close(), d.root.Remove(temp))
	}
	return diskFault(ctx, err)
}

func (d *diskStore) Close() error { return d.root.Close() }

func diskFault(ctx context.Context, err error) error {
	// An exceeded quota or file size limit is treated like a full disk.
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return fault.New(fault.Unavailable, "disk_full",
			"The disk is full; nothing was changed. The service goes on when there is room again.").
			After(30 * time.Second).Because(err)
	}
	return storageUnavailable(ctx, err)
}
