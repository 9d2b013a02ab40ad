package transfer

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
)

const testPassphrase = "correct horse battery"

// filledKey is the key of each row of a filled store.
const filledKey = int64(7)

// installation is a database with an image storage and a secret key.
type installation struct {
	*Service
	t *testing.T
}

func newInstallation(t *testing.T, engine string, secretDigit string) *installation {
	t.Helper()
	v, err := vault.ParseKey(strings.Repeat(secretDigit, 64))
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.Open(t.Context(), blob.Config{URL: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = blobs.Close() })

	now := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	return &installation{t: t, Service: New(Deps{DB: databasetest.Open(t, engine), Blobs: blobs, Vault: v,
		Now: func() time.Time { return now }, Program: "test"})}
}

// filledRow returns a row of a store in which each integer and each key is 7, and all ids, bytes and texts come from
// the id of the store: so the rows of all tables refer to each other.
func (in *installation) filledRow(tb *table, storeID store.ID) []any {
	list := tb.stored()
	row := make([]any, len(list))
	for i, c := range list {
		switch {
		case c.role == secret:
			row[i] = in.Vault.Seal(c.purpose, []byte("secret of "+tb.name))
		case c.role == ofRows:
			row[i] = binary.BigEndian.AppendUint64(nil, uint64(filledKey))
		case c.role == ofJob:
			row[i] = binary.BigEndian.AppendUint64(bytes.Clone(storeID[:]), uint64(filledKey))
		case c.role == nameOfJob:
			row[i] = "7"
		case c.role == inJSON:
			row[i] = `{"session":7,"text":"7"}`
		case c.kind == database.UUID:
			row[i] = rowID(storeID)
		case c.kind == database.Text:
			row[i] = storeID.String()
		case c.kind == database.BigInt:
			row[i] = filledKey
		case c.kind == database.Bool:
			row[i] = true
		case c.kind == database.Double:
			row[i] = 7.5
		default:
			row[i] = bytes.Clone(storeID[:])
		}
	}

	set := func(name string, value any) { row[tb.index(name)] = value }
	switch tb.name {
	case "categories":
		set("parent_key", nil)
	case "images":
		set("format", "png")
	case "pending_references": // without a variant, whose combination would depend on it
		set("variant_key", nil)
	case "jobs":
		set("kind", "exchange.commerceml")
	case "parked_jobs":
		set("kind", "mail.send")
		set("unique_name", storeID.String())
		set("payload", in.Vault.Seal("queued message", []byte("a mail")))
	}
	return row
}

// fill creates a store with a row in each table, and an image.
func (in *installation) fill() store.ID {
	in.t.Helper()
	storeID := id.New[store.Store]()
	in.write(func(ctx context.Context, q database.Querier) error {
		for _, tb := range tables() {
			batch := tb.newBatch()
			batch.Add(in.filledRow(&tb, storeID)...)
			if tb.name == "categories" { // a child whose key is lower than that of its parent
				child := in.filledRow(&tb, storeID)
				child[tb.index("key")] = filledKey - 1
				child[tb.index("parent_key")] = filledKey
				child[tb.index("id")] = id.New[table]()
				child[tb.index("external_id")] = nil
				batch.Add(child...)
			}
			if err := tb.insertRows(ctx, q, batch); err != nil {
				return errors.Join(errors.New(tb.name), err)
			}
		}
		return nil
	})

	name := imagefile.BlobName(storeID, imagefile.ID(storeID), "original.png")
	if err := in.Blobs.Put(in.t.Context(), name, []byte("picture")); err != nil {
		in.t.Fatal(err)
	}
	return storeID
}

func (in *installation) write(fn func(context.Context, database.Querier) error) {
	in.t.Helper()
	err := in.DB.Write(in.t.Context(), func(q database.Querier) error { return fn(in.t.Context(), q) })
	if err != nil {
		in.t.Fatal(err)
	}
}

func (in *installation) export(storeID store.ID, passphrase string) []byte {
	in.t.Helper()
	var b bytes.Buffer
	if _, err := in.Export(in.t.Context(), storeID, &b, passphrase); err != nil {
		in.t.Fatal(err)
	}
	return b.Bytes()
}

func (in *installation) mustImport(archive []byte, passphrase string) Summary {
	in.t.Helper()
	sum, err := in.Import(in.t.Context(), bytes.NewReader(archive), passphrase)
	if err != nil {
		in.t.Fatal(err)
	}
	return sum
}

// content is what an archive has: rows by table, and images by name.
type content map[string][][]any

// rows returns the rows of the store, with the keys that it would have if its product had the key 7, and opened
// secrets. It leaves out what an import changes on purpose.
func (in *installation) content(storeID store.ID) content {
	in.t.Helper()
	c := content{}
	offset := int64(0)
	err := in.DB.Snapshot(in.t.Context(), func(q database.Querier) error {
		for _, tb := range tables() {
			err := tb.eachStored(in.t.Context(), q, storeID, func(row []any) error {
				if tb.name == "products" {
					offset = row[tb.index("key")].(int64) - filledKey
				}
				c[tb.name] = append(c[tb.name], slices.Clone(row))
				return nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		in.t.Fatal(err)
	}

	for _, tb := range tables() {
		for _, row := range c[tb.name] {
			if err := renumber(&tb, tb.stored(), row, -offset); err != nil {
				in.t.Fatal(err)
			}
			in.open(&tb, row)
		}
		if tb.name == "audit_entries" && len(c[tb.name]) > 0 {
			c[tb.name] = slices.DeleteFunc(c[tb.name], func(row []any) bool {
				return strings.HasPrefix(row[tb.index("action")].(string), "store.")
			})
		}
		if tb.name == "variants" {
			for _, row := range c[tb.name] {
				row[tb.index("combination")] = nil
			}
		}
	}
	return c
}

// open replaces the secrets of a row by their texts.
func (in *installation) open(tb *table, row []any) {
	in.t.Helper()
	for i, c := range tb.stored() {
		purpose := c.purpose
		if tb.name == "parked_jobs" && c.role == ofJob {
			purpose = "queued message"
		}
		if value, ok := row[i].([]byte); ok && purpose != "" {
			text, err := in.Vault.Open(purpose, value)
			if err != nil {
				in.t.Errorf("%s.%s: %v", tb.name, c.name, err)
			}
			row[i] = string(text)
		}
	}
}

// wantContent compares the rows of a store with earlier ones.
func (in *installation) wantContent(storeID store.ID, want content) {
	in.t.Helper()
	got := in.content(storeID)
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if diff := cmp.Diff(want[name], got[name]); diff != "" {
			in.t.Errorf("table %s (-want +got):\n%s", name, diff)
		}
	}
}

// wantNothing fails the test if there is anything of a store.
func (in *installation) wantNothing(storeID store.ID) {
	in.t.Helper()
	for name, rows := range in.content(storeID) {
		in.t.Errorf("table %s has %d rows of the store", name, len(rows))
	}
	err := in.Blobs.Each(in.t.Context(), func(name string, _ int64) error {
		if strings.HasPrefix(name, storeID.String()) {
			in.t.Errorf("the image storage has %s", name)
		}
		return nil
	})
	if err != nil {
		in.t.Error(err)
	}
}

// rowsOf returns the rows of an archive.
func rowsOf(t *testing.T, archive []byte) content {
	t.Helper()
	c := content{}
	unpacker, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unpacker.Close()

	r := newArchiveReader(bytes.NewReader(archive))
	if _, err := r.readHeader(); err != nil {
		t.Fatal(err)
	}
	for {
		name, size, err := r.next()
		if err != nil {
			t.Fatal(err)
		}
		if name == manifestName {
			return c
		}
		packed, err := r.readAll(size, maxChunk)
		if err != nil || !strings.HasPrefix(name, rowsFolder) {
			continue
		}
		chunk, err := unpacker.DecodeAll(packed, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tb := range tables() {
			if tb.name != strings.Split(name, "/")[1] {
				continue
			}
			err := eachRow(chunk, tb.stored(), func(row []any) error {
				c[tb.name] = append(c[tb.name], row)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// forged returns the archive with another header, other rows, and a manifest that agrees with them. changeRow returns
// false to leave a row out.
func forged(
	t *testing.T, archive []byte, changeHeader func(*header), changeRow func(tb *table, row []any) bool,
) []byte {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	r := newArchiveReader(bytes.NewReader(archive))
	h, err := r.readHeader()
	fatal(err)
	changeHeader(&h)
	packer, err := zstd.NewWriter(nil)
	fatal(err)

	var b bytes.Buffer
	w := newArchiveWriter(&b, h.ExportedAt)
	fatal(w.addJSON(headerName, h))
	changed := rowsOf(t, archive)
	counts := map[string]int64{}
	for _, tb := range tables() {
		var lines []byte
		for _, row := range changed[tb.name] {
			if !changeRow(&tb, row) {
				continue
			}
			lines, err = appendRow(lines, row)
			fatal(err)
			counts[tb.name]++
		}
		if len(lines) > 0 {
			packed := packer.EncodeAll(lines, nil)
			fatal(w.add(rowsFolder+tb.name+"/00000001"+rowsSuffix, int64(len(packed)), bytes.NewReader(packed)))
		}
	}

	fatal(w.addJSON(manifestName, manifest{Entries: w.entries, SHA256: w.digest(), Rows: counts}))
	fatal(w.tar.Close())
	return b.Bytes()
}
