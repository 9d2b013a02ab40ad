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

// registerVFS makes the storage known to SQLite.
var registerVFS = sync.OnceFunc(func() {
	vfs.Register(vfsName, fixedVFS{vfs.Find("os")})
})

// fixedVFS is the driver's own file access with two of its faults mended: a full disk is reported as SQLITE_FULL (the
// driver says SQLITE_IOERR and loses the cause before a COMMIT returns, so that no room looked like a broken disk), and
// the name of a new write-ahead log is made durable (the driver opens the folder, then syncs the file a second time).
type fixedVFS struct{ vfs.VFS }

func (s fixedVFS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpen(s.VFS, name, flags)
	return wrapFile(f, name, flags), flags, err
}

func (s fixedVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(s.VFS, name, flags)
	return wrapFile(f, name.String(), flags), flags, err
}

func wrapFile(f vfs.File, name string, flags vfs.OpenFlag) vfs.File {
	if f == nil {
		return nil
	}
	s := &fixedFile{File: f}
	if name != "" && flags&vfs.OPEN_CREATE != 0 && flags&(vfs.OPEN_WAL|vfs.OPEN_MAIN_JOURNAL) != 0 {
		s.unsyncedDir = filepath.Dir(name)
	}
	return s
}

// fixedFile is one file; what it does not change it hands through.
type fixedFile struct {
	vfs.File
	// unsyncedDir is the folder whose entry for this file may not be durable yet, "" once it is.
	unsyncedDir string
}

func (f *fixedFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, asFullError(err)
}

func (f *fixedFile) Truncate(size int64) error { return asFullError(f.File.Truncate(size)) }

// Sync leaves every error what it is, a full disk too: after a failed fsync nobody knows what is on the disk.
func (f *fixedFile) Sync(flags vfs.SyncFlag) error {
	if err := f.File.Sync(flags); err != nil {
		return err
	}
	if f.unsyncedDir == "" {
		return nil
	}
	if err := syncDir(f.unsyncedDir); err != nil {
		return vfs.SystemError(err, sqlite3.IOERR_DIR_FSYNC)
	}
	f.unsyncedDir = ""
	return nil
}

func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// asFullError gives an error for want of space SQLite's own name.
func asFullError(err error) error {
	if isOutOfSpace(err) {
		return vfs.SystemError(err, sqlite3.FULL)
	}
	return err
}

// isOutOfSpace reports a full disk, a used-up quota, or a file at its largest size.
func isOutOfSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

func (f *fixedFile) Unwrap() vfs.File               { return f.File }
func (f *fixedFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }
func (f *fixedFile) MemoryMapper() vfs.MemoryMapper { return vfsutil.WrapMemoryMapper(f.File) }
func (f *fixedFile) LockState() vfs.LockLevel       { return vfsutil.WrapLockState(f.File) }
func (f *fixedFile) PersistWAL() bool               { return vfsutil.WrapPersistWAL(f.File) }
func (f *fixedFile) SetPersistWAL(keep bool)        { vfsutil.WrapSetPersistWAL(f.File, keep) }
func (f *fixedFile) PowersafeOverwrite() bool       { return vfsutil.WrapPowersafeOverwrite(f.File) }
func (f *fixedFile) SetPowersafeOverwrite(psow bool) {
	vfsutil.WrapSetPowersafeOverwrite(f.File, psow)
}
func (f *fixedFile) SizeHint(size int64) error { return vfsutil.WrapSizeHint(f.File, size) }
func (f *fixedFile) HasMoved() (bool, error)   { return vfsutil.WrapHasMoved(f.File) }
