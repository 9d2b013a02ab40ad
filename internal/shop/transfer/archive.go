package transfer

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"vitrine/internal/shop/store"
)

// An archive is a tar file. Its entries are header.json, the files of images, the rows of each table in chunks, and
// manifest.json, in this order.
const (
	headerName   = "header.json"
	manifestName = "manifest.json"
	imagesFolder = "images/"
	rowsFolder   = "rows/"
	rowsSuffix   = ".ndjson.zst"

	formatName    = "vitrine store"
	formatVersion = 1
	// maxDocument limits the size of the header and of the manifest.
	maxDocument = 1 << 20
)

// The reasons why an archive is refused.
var (
	errForeign = errors.New("this is no archive of vitrine store export")
	errTorn    = errors.New("the archive is torn: its end is missing. Export the store again, or copy the file again")
	errAltered = errors.New("the archive is damaged: its content is not what its manifest says. Export the store " +
		"again, or copy the file again")
)

// header is the first entry of an archive.
type header struct {
	Format     string    `json:"format"`
	Version    int64     `json:"version"`
	Program    string    `json:"program"`
	Schema     int64     `json:"schema"`
	ExportedAt time.Time `json:"exported_at"`
	StoreID    store.ID  `json:"store_id"`
	StoreName  string    `json:"store_name"`
	// LastKey is not lower than any key of a row.
	LastKey int64      `json:"last_key"`
	Secrets secretInfo `json:"secrets"`
}

// manifest is the last entry of an archive.
type manifest struct {
	Entries int64            `json:"entries"`
	SHA256  string           `json:"sha256"`
	Rows    map[string]int64 `json:"rows"`
	// Images has no missing files.
	Images ImageCount `json:"images"`
}

// ImageCount counts the files of images.
type ImageCount struct {
	Files int64 `json:"files"`
	Bytes int64 `json:"bytes"`
	// Missing is the number of images whose files the image storage lacks.
	Missing int64 `json:"missing,omitzero"`
}

// archiveWriter writes an archive. It computes the digest of all entries.
type archiveWriter struct {
	tar     *tar.Writer
	sum     hash.Hash
	entries int64
	now     time.Time
}

func newArchiveWriter(w io.Writer, now time.Time) *archiveWriter {
	return &archiveWriter{tar: tar.NewWriter(w), sum: sha256.New(), now: now.Truncate(time.Second)}
}

// add writes an entry.
func (w *archiveWriter) add(name string, size int64, content io.Reader) error {
	err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: w.now, Typeflag: tar.TypeReg})
	if err != nil {
		return err
	}

	w.entries++
	hashEntry(w.sum, name, size)
	n, err := io.Copy(io.MultiWriter(w.tar, w.sum), content)
	if err == nil && n != size {
		err = fmt.Errorf("%s has %d bytes, not %d", name, n, size)
	}
	return err
}

func (w *archiveWriter) addJSON(name string, v any) error {
	text, err := marshalDocument(v)
	if err != nil {
		return err
	}
	return w.add(name, int64(len(text)), bytes.NewReader(text))
}

// marshalDocument returns the text of the header or of the manifest.
func marshalDocument(v any) ([]byte, error) {
	return json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  "))
}

// digest returns the digest of the entries so far.
func (w *archiveWriter) digest() string { return hex.EncodeToString(w.sum.Sum(nil)) }

func hashEntry(sum hash.Hash, name string, size int64) { fmt.Fprintf(sum, "%s %d\n", name, size) }

// archiveReader reads an archive.
type archiveReader struct {
	tar     *tar.Reader
	sum     hash.Hash
	entries int64
	// before is the digest of the entries before the present one.
	before string
}

func newArchiveReader(r io.Reader) *archiveReader {
	// The struct hides io.Seeker: all bytes must be read.
	return &archiveReader{tar: tar.NewReader(struct{ io.Reader }{r}), sum: sha256.New()}
}

// next returns the next entry. It returns errTorn if there is none.
func (r *archiveReader) next() (name string, size int64, err error) {
	if _, err := io.Copy(io.Discard, r); err != nil {
		return "", 0, err
	}
	h, err := r.tar.Next()
	if err != nil {
		return "", 0, r.classify(err)
	}
	if h.Typeflag != tar.TypeReg {
		return "", 0, errForeign
	}

	r.before = hex.EncodeToString(r.sum.Sum(nil))
	r.entries++
	hashEntry(r.sum, h.Name, h.Size)
	return h.Name, h.Size, nil
}

// classify returns the reason why the archive cannot be read on.
func (r *archiveReader) classify(err error) error {
	switch {
	case r.entries == 0 && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, tar.ErrHeader)):
		return errForeign
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errTorn
	case errors.Is(err, tar.ErrHeader), errors.Is(err, tar.ErrFieldTooLong):
		return errAltered
	}
	return fmt.Errorf("read the archive: %w", err)
}

// Read reads the content of the present entry.
func (r *archiveReader) Read(b []byte) (int, error) {
	if r.entries == 0 {
		return 0, io.EOF
	}
	n, err := r.tar.Read(b)
	r.sum.Write(b[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.classify(err)
	}
	return n, err
}

// readAll returns the content of the present entry, which must not be larger than the limit.
func (r *archiveReader) readAll(size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, errAltered
	}
	return io.ReadAll(r)
}

// readHeader reads the first entry.
func (r *archiveReader) readHeader() (h header, err error) {
	name, size, err := r.next()
	if err != nil {
		return h, err
	}
	if name != headerName {
		return h, errForeign
	}

	text, err := r.readAll(size, maxDocument)
	if err != nil {
		return h, err
	}
	if err := json.Unmarshal(text, &h); err != nil || h.Format != formatName {
		return h, errors.Join(errForeign, err)
	}
	return h, nil
}

// check compares what was read with the manifest, which is the present entry, and makes sure that nothing follows.
func (r *archiveReader) check(size int64, rows map[string]int64, images ImageCount) error {
	text, err := r.readAll(size, maxDocument)
	if err != nil {
		return err
	}
	want, err := marshalDocument(manifest{Entries: r.entries - 1, SHA256: r.before, Rows: rows, Images: images})
	if err != nil || !bytes.Equal(text, want) {
		return errors.Join(errAltered, err)
	}

	if _, err := r.tar.Next(); !errors.Is(err, io.EOF) {
		return errors.Join(errAltered, err)
	}
	return nil
}
