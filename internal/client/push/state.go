package push

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
)

type savedState struct {
	Identity pushIdentity `json:"of"`
	// Entries counts the items and unreadable entries processed, Items the items among them.
	Entries int64 `json:"entries"`
	Items   int64 `json:"items"`
	// RejectsBytes is the size of the rejects file when the state was saved.
	RejectsBytes int64  `json:"rejects_bytes"`
	Report       Report `json:"report"`
}

// pushIdentity identifies a push. A push resumes another one only if their identities are equal.
type pushIdentity struct {
	Fingerprint fingerprint `json:"fingerprint"`
	To          string      `json:"to"`
	Entity      string      `json:"entity"`
	Format      Format      `json:"format"`
}

// fingerprint identifies the content of a file without reading all of it.
type fingerprint struct {
	Size       int64     `json:"size"`
	ModifiedAt time.Time `json:"modified_at"`
	EndsDigest string    `json:"ends"` // SHA-256 of the first and the last MiB
}

func fingerprintOf(path string) (result fingerprint, err error) {
	f, err := os.Open(path)
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	info, err := f.Stat()
	if err != nil {
		return result, err
	}

	const end = 1 << 20
	digest := sha256.New()
	for _, from := range []int64{0, max(0, info.Size()-end)} {
		if _, err := io.Copy(digest, io.NewSectionReader(f, from, end)); err != nil {
			return result, err
		}
	}

	return fingerprint{info.Size(), info.ModTime().UTC(), hex.EncodeToString(digest.Sum(nil))}, nil
}

// stateFile is the file with the progress of a push. Without a path nothing is saved.
type stateFile struct {
	path     string
	identity pushIdentity
}

// load returns the state if the push can resume it. Otherwise it returns nil, and the reason if there is a state file.
func (f *stateFile) load() (saved *savedState, reason string) {
	text, err := os.ReadFile(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ""
	}
	saved = &savedState{}
	if err != nil || json.Unmarshal(text, saved) != nil {
		return nil, fmt.Sprintf("%s cannot be read.", f.path)
	}
	switch of := saved.Identity; {
	case of.Fingerprint != f.identity.Fingerprint:
		return nil, "The file has changed since the interrupted push."
	case of.To != f.identity.To || of.Entity != f.identity.Entity || of.Format != f.identity.Format:
		return nil, fmt.Sprintf("The interrupted push was of %s to %s.", of.Entity, of.To)
	}
	return saved, ""
}

// save replaces the state atomically: after a crash the file has the old or the new state.
func (f *stateFile) save(s savedState) (err error) {
	s.Identity = f.identity
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}

	next, err := os.CreateTemp(filepath.Dir(f.path), filepath.Base(f.path)+"-*")
	if err != nil {
		return err
	}

	_, err = next.Write(text)
	err = errors.Join(err, next.Sync(), next.Close())
	if err == nil {
		err = os.Rename(next.Name(), f.path)
	}

	if err != nil {
		return errors.Join(err, os.Remove(next.Name()))
	}

	return nil
}

func (f *stateFile) remove() error {
	if f.path == "" {
		return nil
	}
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
