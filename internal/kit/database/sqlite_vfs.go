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
	vfs.Register(vfsName, sqliteVFS{vfs.Find("os")})
})

// sqliteVFS wraps the driver's VFS and fixes three bugs.
//
//   - A full disk is reported as SQLITE_FULL. The driver reports SQLITE_IOERR and loses the cause before COMMIT
//     returns, so that a full disk looks like a broken one.
//   - The directory entry of a new write-ahead log is made durable. The driver opens the directory, but then syncs the
//     file a second time instead.
//   - A new write-ahead log has mode 0600. The driver uses 0666, less the umask.
type sqliteVFS struct{ vfs.VFS }

func (s sqliteVFS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpen(s.VFS, name, flags)
	return wrapSQLiteFile(f, name, flags), flags, err
}

func (s sqliteVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, flags, err := vfsutil.WrapOpenFilename(s.VFS, name, flags)
	return wrapSQLiteFile(f, name.String(), flags), flags, err
}

func wrapSQLiteFile(f vfs.File, name string, flags vfs.OpenFlag) vfs.File {
	if f == nil {
		return nil
	}
	s := &sqliteFile{File: f}
	if name != "" && flags&vfs.OPEN_CREATE != 0 && flags&(vfs.OPEN_WAL|vfs.OPEN_MAIN_JOURNAL) != 0 {
		s.unsyncedDir = filepath.Dir(name)
		_ = os.Chmod(name, privateMode) // fails for a file of another user; makePrivate reports that at start
	}
	return s
}

// sqliteFile is a file of sqliteVFS. The methods that it does not change call the wrapped file.
type sqliteFile struct {
	vfs.File
	// unsyncedDir is the directory to sync, so that the entry of this new file is durable; empty once it is synced.
	unsyncedDir string
}

func (f *sqliteFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, asFullError(err)
}

func (f *sqliteFile) Truncate(size int64) error { return asFullError(f.File.Truncate(size)) }

// Sync returns errors unchanged, even for a full disk: after a failed fsync the state on disk is unknown, so it must
// count as a storage failure.
func (f *sqliteFile) Sync(flags vfs.SyncFlag) error {
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

func (f *sqliteFile) Unwrap() vfs.File               { return f.File }
func (f *sqliteFile) SharedMemory() vfs.SharedMemory { return vfsutil.WrapSharedMemory(f.File) }
func (f *sqliteFile) MemoryMapper() vfs.MemoryMapper { return vfsutil.WrapMemoryMapper(f.File) }
func (f *sqliteFile) LockState() vfs.LockLevel       { return vfsutil.WrapLockState(f.File) }
func (f *sqliteFile) PersistWAL() bool               { return vfsutil.WrapPersistWAL(f.File) }
func (f *sqliteFile) SetPersistWAL(keep bool)        { vfsutil.WrapSetPersistWAL(f.File, keep) }
func (f *sqliteFile) PowersafeOverwrite() bool       { return vfsutil.WrapPowersafeOverwrite(f.File) }
func (f *sqliteFile) SetPowersafeOverwrite(psow bool) {
	vfsutil.WrapSetPowersafeOverwrite(f.File, psow)
}
func (f *sqliteFile) SizeHint(size int64) error { return vfsutil.WrapSizeHint(f.File, size) }
func (f *sqliteFile) HasMoved() (bool, error)   { return vfsutil.WrapHasMoved(f.File) }
