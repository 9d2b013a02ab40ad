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

// vfsName is the name under which the VFS is registered with SQLite.
const vfsName = "vitrine"

// registerVFS registers the VFS once.
var registerVFS = sync.OnceFunc(func() {
	vfs.Register(vfsName, fixedVFS{vfs.Find("os")})
})

// fixedVFS wraps the driver's VFS and fixes two bugs.
//
//   - A full disk is reported as SQLITE_FULL. The driver reports SQLITE_IOERR and loses the cause before COMMIT
//     returns, so that a full disk looks like a broken one.
//   - The directory entry of a new write-ahead log is made durable. The driver opens the directory, but then syncs the
//     file a second time instead.
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

// fixedFile is a file of fixedVFS. The methods that it does not change call the wrapped file.
type fixedFile struct {
	vfs.File
	// unsyncedDir is the directory to sync, so that the entry of this new file is durable; empty once it is synced.
	unsyncedDir string
}

func (f *fixedFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, asFullError(err)
}

func (f *fixedFile) Truncate(size int64) error { return asFullError(f.File.Truncate(size)) }

// Sync returns errors unchanged, even for a full disk: after a failed fsync the state on disk is unknown, so it must
// count as a storage failure.
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

// asFullError converts an out-of-space error to SQLITE_FULL.
func asFullError(err error) error {
	if isOutOfSpace(err) {
		return vfs.SystemError(err, sqlite3.FULL)
	}
	return err
}

// isOutOfSpace reports whether err means a full disk, an exhausted quota, or an exceeded file size limit.
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
