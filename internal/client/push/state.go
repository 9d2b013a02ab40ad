package pushclient

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

// savedState is how far a push is.
type savedState struct {
	Identity identity `json:"of"`
	// Entries is how many items and unreadable places of the file are settled, Items how many items of them were sent.
	Entries int64 `json:"entries"`
	Items   int64 `json:"items"`
	// RejectsBytes is how much of the file of rejects is theirs.
	RejectsBytes int64  `json:"rejects_bytes"`
	Report       Report `json:"report"`
}

// identity is what a push must have in common with the one that it goes on with.
type identity struct {
	Fingerprint fingerprint `json:"fingerprint"`
	To          string      `json:"to"`
	Entity      string      `json:"entity"`
	Format      Format      `json:"format"`
}

// fingerprint tells a file from others, and from itself after a change, without reading all of it.
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

// stateFile is where the state of a push is kept. Without a path it is kept nowhere.
type stateFile struct {
	path     string
	identity identity
}

// load returns the state of an earlier push that can be gone on with, or nil and, if there is one that cannot, why.
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
		return nil, "The file has changed since the push that was cut."
	case of.To != f.identity.To || of.Entity != f.identity.Entity || of.Format != f.identity.Format:
		return nil, fmt.Sprintf("The push that was cut was one of %s to %s.", of.Entity, of.To)
	}
	return saved, ""
}

// save replaces the state as one step: whenever the machine stops, there is the old one or the new.
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

// remove forgets the push, which is done.
func (f *stateFile) remove() error {
	if f.path == "" {
		return nil
	}
	if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
