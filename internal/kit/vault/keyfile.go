package vault

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxKeyFile limits the bytes that are read if the path names a file that is no key. All forms of a key are shorter.
const maxKeyFile = 1024

// Read reads the key file at path. It returns an error that wraps fs.ErrNotExist if there is none, and refuses a file
// that users other than its owner may access.
func Read(path string) (*Vault, error) {
	v, err := readKeyFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the secret key file %s: %w", path, err)
	}
	return v, nil
}

// Load reads the key file at path. If there is none it creates one with a random key; processes that do so concurrently
// all get the same key. Otherwise it is like Read. The folder must exist.
func Load(path string) (*Vault, error) {
	v, err := Read(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return v, err
	}
	if err := createKeyFile(path); err != nil {
		return nil, fmt.Errorf("create the secret key file %s: %w", path, err)
	}
	return Read(path)
}

func readKeyFile(path string) (*Vault, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()

	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a regular file")
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("others than its owner may access it (mode %04o); run: chmod 600 %s", mode, path)
	}

	text, err := io.ReadAll(io.LimitReader(f, maxKeyFile))
	if err != nil {
		return nil, err
	}

	return ParseKey(string(text))
}

// createKeyFile writes a new key to path and calls fsync, unless a file exists there. Its last step is a link and not a
// rename, since a rename would replace a key that another process has created in the meantime.
func createKeyFile(path string) error {
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, ".secret-key-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp.Name()) }()
	if err := writeRandomKey(temp); err != nil {
		return err
	}
	if err := os.Link(temp.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncKeyFolder(dir)
}

func writeRandomKey(f *os.File) error {
	var key [KeySize]byte
	_, _ = rand.Read(key[:]) // never returns an error: it ends the program instead
	_, err := f.WriteString(hex.EncodeToString(key[:]) + "\n")
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncKeyFolder calls fsync on a folder, so that the key file survives a power loss. Sealed data needs its key.
func syncKeyFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
