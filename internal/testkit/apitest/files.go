package apitest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// FileModes returns the modes of all files below dir, without the directories.
func FileModes(t *testing.T, dir string) map[string]fs.FileMode {
	t.Helper()
	modes := map[string]fs.FileMode{}

	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			modes[path] = info.Mode().Perm()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	return modes
}

// WritePrivateFile writes a file with the mode 0600, and creates its directory.
func WritePrivateFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
