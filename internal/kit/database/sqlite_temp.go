package database

import (
	"fmt"
	"os"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
)

// tempVFS is the VFS of the connections to the files of one directory. Temporary files, to which SQLite writes what a
// large sort does not hold in memory, are made in that directory: the system's directory may be in memory, too small,
// or missing in a container.
type tempVFS struct {
	vfs.VFS
	dir string
}

// registerTempVFS registers a tempVFS for the directory and returns its name. The name stands in the URI of the
// database, in which SQLite reads a space and other characters not as net/url writes them, so it has none of them.
func registerTempVFS(dir string) string {
	registerVFS()
	name := fmt.Sprintf("%s-%x", vfsName, dir)
	vfs.Register(name, tempVFS{vfs.Find(vfsName), dir})
	return name
}

func (t tempVFS) Open(name string, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if name == "" {
		return t.openTemp(flags)
	}
	return vfsutil.WrapOpen(t.VFS, name, flags)
}

func (t tempVFS) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	if name.String() == "" {
		return t.openTemp(flags)
	}
	return vfsutil.WrapOpenFilename(t.VFS, name, flags)
}

// openTemp creates a file without a name: it disappears when it is closed, or with the process.
func (t tempVFS) openTemp(flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	f, err := os.CreateTemp(t.dir, ".vitrine-sort-*") // mode 0600
	if err != nil {
		return nil, flags, asFullError(err)
	}
	if err := os.Remove(f.Name()); err != nil {
		_ = f.Close()
		return nil, flags, err
	}
	return &tempFile{f}, flags, nil
}

// tempFile is a temporary file of one connection. It needs no locks and no fsync.
type tempFile struct{ *os.File }

func (f *tempFile) WriteAt(p []byte, off int64) (int, error) {
	n, err := f.File.WriteAt(p, off)
	return n, asFullError(err)
}

func (f *tempFile) Truncate(size int64) error { return asFullError(f.File.Truncate(size)) }

func (f *tempFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (*tempFile) Sync(vfs.SyncFlag) error          { return nil }
func (*tempFile) Lock(vfs.LockLevel) error         { return nil }
func (*tempFile) Unlock(vfs.LockLevel) error       { return nil }
func (*tempFile) CheckReservedLock() (bool, error) { return false, nil }
func (*tempFile) SectorSize() int                  { return 4096 }
func (*tempFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return vfs.IOCAP_POWERSAFE_OVERWRITE
}
