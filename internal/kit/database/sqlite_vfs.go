package database

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// vfsName is what the addresses of our SQLite files call the storage below.
const vfsName = "vitrine"

// registerStorage makes the storage known to SQLite.
var registerStorage = sync.OnceFunc(func() {
	vfs.Register(vfsName, storage{vfs.Find("os")})
})

// storage is the driver's own file access with two of its faults mended: a full disk is reported as SQLITE_FULL (the
// driver says SQLITE_IOERR and loses the cause before a COMMIT returns, so that no room looked like a broken disk), and
// the name of a new write-ahead log is made durable (the driver opens the folder, then syncs the file a second time).
type storage struct{ vfs.VFS }

func (s storage) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpen(s.VFS, name, flags)
	return stored(f, name, flags), flags, err
}

func (s storage) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(s.VFS, name, flags)
	return stored(f, name.String(), flags), flags, err
}

func stored(f vfs.File, name string, flags vfs.OpenFlag) vfs.File {
	if f == nil {
		return nil
	}
	s := &storedFile{File: f}
	if name != "" && flags&vfs.OPEN_CREATE != 0 && flags&(vfs.OPEN_WAL|vfs.OPEN_MAIN_JOURNAL) != 0 {
		s.newIn = filepath.Dir(name)
	}
	return s
}

// storedFile is one file; what it does not change it hands through.
type storedFile struct {
	vfs.File
	// newIn is the folder whose entry for this file may not be durable yet, "" once it is.
	newIn string
}

func (f *storedFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, noRoom(err)
}

func (f *storedFile) Truncate(size int64) error { return noRoom(f.File.Truncate(size)) }

// Sync leaves every error what it is, a full disk too: after a failed fsync nobody knows what is on the disk.
func (f *storedFile) Sync(flags vfs.SyncFlag) error {
	if err := f.File.Sync(flags); err != nil {
		return err
	}
	if f.newIn == "" {
		return nil
	}
	if err := syncFolder(f.newIn); err != nil {
		return vfs.SystemError(err, sqlite3.IOERR_DIR_FSYNC)
	}
	f.newIn = ""
	return nil
}

func syncFolder(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// noRoom gives an error for want of space SQLite's own name.
func noRoom(err error) error {
	if isNoRoom(err) {
		return vfs.SystemError(err, sqlite3.FULL)
	}
	return err
}

// isNoRoom reports a full disk, a used-up quota, or a file at its largest size.
func isNoRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

func (f *storedFile) Unwrap() vfs.File               { return f.File }
func (f *storedFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }
func (f *storedFile) MemoryMapper() vfs.MemoryMapper { return vfsutil.WrapMemoryMapper(f.File) }
func (f *storedFile) LockState() vfs.LockLevel       { return vfsutil.WrapLockState(f.File) }
func (f *storedFile) PersistWAL() bool               { return vfsutil.WrapPersistWAL(f.File) }
func (f *storedFile) SetPersistWAL(keep bool)        { vfsutil.WrapSetPersistWAL(f.File, keep) }
func (f *storedFile) PowersafeOverwrite() bool       { return vfsutil.WrapPowersafeOverwrite(f.File) }
func (f *storedFile) SetPowersafeOverwrite(psow bool) {
	vfsutil.WrapSetPowersafeOverwrite(f.File, psow)
}
func (f *storedFile) SizeHint(size int64) error { return vfsutil.WrapSizeHint(f.File, size) }
func (f *storedFile) HasMoved() (bool, error)   { return vfsutil.WrapHasMoved(f.File) }
