package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"vitrine/internal/kit/fault"
)

const (
	// tempFolder holds what is being written or removed.
	tempFolder = "tmp"
	// orphanAge is after which time something in it is of no use to anybody: its writer is gone.
	orphanAge = time.Hour
)

// disk keeps files in a folder. os.Root keeps it inside, whatever a name says.
type disk struct{ root *os.Root }

func openDisk(folder string) (Store, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for files: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, fmt.Errorf("open the folder for files: %w", err)
	}
	d := &disk{root}
	if err := d.prepareTempFolder(); err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the folder for files: %w", err), root.Close())
	}
	return d, nil
}

// prepareTempFolder clears away what crashed writers left. Other processes may be writing now, so what is new stays.
func (d *disk) prepareTempFolder() error {
	if err := d.root.MkdirAll(tempFolder, 0o700); err != nil {
		return err
	}
	entries, err := fs.ReadDir(d.root.FS(), tempFolder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) || err == nil && time.Since(info.ModTime()) < orphanAge {
			continue
		}
		if err := errors.Join(err, d.root.RemoveAll(path.Join(tempFolder, e.Name()))); err != nil {
			return err
		}
	}
	return nil
}

// shardedPath is where a folder lies: one level deeper than its name says, since a file system is slow with a million folders in one.
func shardedPath(folder string) string {
	parent, leaf := path.Split(folder)
	sum := sha256.Sum256([]byte(leaf))
	return path.Join(parent, hex.EncodeToString(sum[:])[:3], leaf)
}

func (d *disk) Put(ctx context.Context, name string, content []byte) error {
	if err := errors.Join(ctx.Err(), checkFileName(name)); err != nil {
		return err
	}
	temp := path.Join(tempFolder, rand.Text())
	if err := d.writeSynced(temp, content); err != nil {
		_ = d.root.Remove(temp) // prepare does it otherwise
		return diskFault(ctx, err)
	}
	if err := d.renameDurably(temp, shardedPath(path.Dir(name)), path.Base(name)); err != nil {
		_ = d.root.Remove(temp)
		return diskFault(ctx, err)
	}
	return nil
}

// writeSynced writes a file and waits until it is on the disk.
func (d *disk) writeSynced(name string, content []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// renameDurably gives a file its place, and waits until its name and those of all folders above it are on the disk.
func (d *disk) renameDurably(temp, folder, base string) error {
	const attempts = 100
	for attempt := 1; ; attempt++ {
		err := d.root.MkdirAll(folder, 0o700)
		if err == nil {
			err = d.root.Rename(temp, path.Join(folder, base))
		}
		if err == nil {
			break
		}
		// Somebody may have removed the folder between two looks at it: it was there, then it was not.
		if (!errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist)) || attempt == attempts {
			return err
		}
	}
	for ; ; folder = path.Dir(folder) {
		err := d.syncFolder(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // again somebody removed it
			return err
		}
		if folder == "." {
			return nil
		}
	}
}

func (d *disk) syncFolder(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d *disk) Open(ctx context.Context, name string) (File, error) {
	if err := errors.Join(ctx.Err(), checkFileName(name)); err != nil {
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

// Remove takes the folder away whole before it removes the files, so that nobody sees a part of them.
func (d *disk) Remove(ctx context.Context, folder string) error {
	if err := errors.Join(ctx.Err(), checkBlobName(folder)); err != nil {
		return err
	}
	temp := path.Join(tempFolder, rand.Text())
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
	if err != nil {
		return diskFault(ctx, err)
	}
	return nil
}

// removeAll removes a folder that was taken away. Who opened it before may still put a file into it, which then goes with the others.
func (d *disk) removeAll(temp string) error {
	const attempts = 100
	for attempt := 1; ; attempt++ {
		err := d.root.RemoveAll(temp)
		if !errors.Is(err, syscall.ENOTEMPTY) || attempt == attempts {
			return err
		}
	}
}

func (d *disk) Close() error { return d.root.Close() }

func diskFault(ctx context.Context, err error) error {
	// The limits of a user and of a process look like a full disk to those who wait for it.
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG) {
		return fault.New(fault.Unavailable, "disk_full", "The disk is full; nothing was changed. The service goes on when there is room again.").
			After(30 * time.Second).Because(err)
	}
	return storageUnavailable(ctx, err)
}
