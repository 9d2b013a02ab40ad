//go:build !linux

package backup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// syncFiles makes all files in a directory durable.
func syncFiles(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
