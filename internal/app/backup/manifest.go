package backup

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// backupManifest is the name of the last file of a backup. It has a line of JSON for each other file, in the order in
// which these were written, and then one with the manifestSummary. A backup without it is not complete.
const backupManifest = "manifest.ndjson"

// maxManifestLine limits a line when a manifest is read. The summary, with the counts of all tables, has some KiB.
const maxManifestLine = 1 << 20

// manifestFile is a line of a manifest.
type manifestFile struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// manifestSummary is the last line of a manifest.
type manifestSummary struct {
	Format     int              `json:"format"` // 1
	Program    string           `json:"program"`
	Schema     int64            `json:"schema"`
	DatabaseID store.DatabaseID `json:"database_id"`
	CreatedAt  time.Time        `json:"created_at"`
	Files      int64            `json:"files"`
	Rows       map[string]int64 `json:"rows"` // by table
}

// describe adds what the manifest says of a database: its schema, its id and its rows.
func (m *manifestSummary) describe(ctx context.Context, db *database.DB) error {
	var err error
	if m.DatabaseID, err = store.FindDatabaseID(ctx, db); err != nil {
		return err
	}
	schema, err := db.SchemaStatus(ctx)
	if m.Schema = schema.Version; err != nil {
		return err
	}
	m.Rows, err = db.CountRows(ctx)
	return err
}

// manifestWriter writes a manifest to a temporary file, so that a backup of millions of files takes little memory.
type manifestWriter struct {
	file *os.File
	out  *bufio.Writer
	sum  manifestSummary
}

func newManifestWriter(dir string) (*manifestWriter, error) {
	f, err := os.CreateTemp(dir, ".vitrine-manifest-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(f.Name()) // it stays readable by f
	return &manifestWriter{file: f, out: bufio.NewWriter(f)}, nil
}

func (m *manifestWriter) add(name string, size int64, sum hash.Hash) error {
	m.sum.Files++
	return m.writeLine(manifestFile{name, size, hex.EncodeToString(sum.Sum(nil))})
}

func (m *manifestWriter) writeLine(v any) error {
	line, err := json.Marshal(v, json.Deterministic(true))
	if err == nil {
		_, err = m.out.Write(append(line, '\n'))
	}
	return err
}

// addTo writes the summary and adds the manifest to the backup.
func (m *manifestWriter) addTo(out backup) error {
	if err := errors.Join(m.writeLine(m.sum), m.out.Flush()); err != nil {
		return err
	}
	size, err := m.file.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = m.file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	return out.add(backupManifest, m.file, size)
}

func (m *manifestWriter) close() { _ = m.file.Close() }

// addHashed adds a file to a backup and to its manifest.
func addHashed(out backup, m *manifestWriter, name string, content io.Reader, size int64) error {
	sum := sha256.New()
	if err := out.add(name, io.TeeReader(content, sum), size); err != nil {
		return err
	}
	return m.add(name, size, sum)
}

// addFileHashed does the same for a file on disk, which it may move.
func addFileHashed(out backup, m *manifestWriter, name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	sum := sha256.New()
	size, err := io.Copy(sum, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := out.addFile(name, file); err != nil {
		return err
	}
	return m.add(name, size, sum)
}

// manifestReader reads a manifest line by line.
type manifestReader struct{ lines *bufio.Scanner }

func newManifestReader(r io.Reader) *manifestReader {
	s := bufio.NewScanner(r)
	s.Buffer(nil, maxManifestLine)
	return &manifestReader{s}
}

// next returns the next file. At the end it returns nil and the summary.
func (m *manifestReader) next() (*manifestFile, *manifestSummary, error) {
	if !m.lines.Scan() {
		return nil, nil, errors.Join(errors.New("the manifest of the backup is cut off"), m.lines.Err())
	}

	if !bytes.Contains(m.lines.Bytes(), []byte(`"sha256"`)) {
		var s manifestSummary
		if err := json.Unmarshal(m.lines.Bytes(), &s); err != nil {
			return nil, nil, fmt.Errorf("the manifest of the backup: %w", err)
		}

		if s.Format != 1 {
			return nil, nil, fmt.Errorf("the manifest of the backup has the format %d, "+
				"and this program knows 1; use the "+
				"version that made it (%s) or a newer one", s.Format, s.Program)
		}

		return nil, &s, nil
	}

	var f manifestFile
	if err := json.Unmarshal(m.lines.Bytes(), &f); err != nil {
		return nil, nil, fmt.Errorf("the manifest of the backup: %w", err)
	}

	return &f, nil, nil
}

// hashedFile is the content of a file whose bytes are hashed while it is read.
type hashedFile struct {
	content io.Reader
	sum     hash.Hash
	size    int64
	want    *manifestFile // the end of the content is an error unless it is what the manifest says
}

func newHashedFile(content io.Reader, want *manifestFile) *hashedFile {
	return &hashedFile{content: content, sum: sha256.New(), want: want}
}

func (h *hashedFile) Read(b []byte) (int, error) {
	n, err := h.content.Read(b)
	h.sum.Write(b[:n])
	h.size += int64(n)
	if errors.Is(err, io.EOF) {
		if damage := h.compare(); damage != nil {
			return n, damage
		}
	}
	return n, err
}

// check reads what was not read yet, and compares the content with the manifest.
func (h *hashedFile) check() error {
	if _, err := io.Copy(io.Discard, h); err != nil {
		return fmt.Errorf("read %s of the backup: %w", h.want.Name, err)
	}
	return h.compare()
}

// compare compares what was read with the manifest.
func (h *hashedFile) compare() error {
	if got := hex.EncodeToString(h.sum.Sum(nil)); h.size != h.want.Size || got != h.want.SHA256 {
		return fmt.Errorf("%s of the backup is damaged: it has %d bytes and the SHA-256 %s, "+
			"and the manifest says %d and %s",
			h.want.Name, h.size, got, h.want.Size, h.want.SHA256)
	}
	return nil
}
