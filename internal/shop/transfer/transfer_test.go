package transfer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/imagefile"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
)

// schemaColumns has the columns with their types, and the text computed after those that the database computes.
var schemaColumns = map[string]string{
	database.SQLite: `
SELECT m.name, c.name, c.type || CASE WHEN c.hidden > 1 THEN ' computed' ELSE '' END
FROM sqlite_schema AS m, pragma_table_xinfo(m.name) AS c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND m.name <> 'goose_db_version'`,
	database.Postgres: `
SELECT table_name::text, column_name::text,
	data_type || CASE WHEN is_generated = 'ALWAYS' THEN ' computed' ELSE '' END
FROM information_schema.columns
WHERE table_schema = current_schema() AND table_name <> 'goose_db_version'`,
}

// A table or a column that this test does not know is missing in archives: add it to tables.go, or to tablesLeftOut.
func TestTables_areThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		real := map[string]map[string]string{}
		err := db.Read(t.Context(), func(q database.Querier) error {
			return database.QueryEach(t.Context(), q, schemaColumns[db.Engine()], nil, func(rows database.Rows) error {
				var name, columnName, kind string
				err := rows.Scan(&name, &columnName, &kind)
				if real[name] == nil {
					real[name] = map[string]string{}
				}
				real[name][columnName] = strings.ToLower(kind)
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}

		sqliteKinds := map[database.ColumnType]string{database.UUID: "blob", database.Bytes: "blob",
			database.Bool: "integer", database.BigInt: "integer", database.Text: "text", database.Double: "real"}
		for _, tb := range tables() {
			known := map[string]string{}
			for _, c := range tb.columns {
				known[c.name] = string(c.kind)
				if db.Engine() == database.SQLite {
					known[c.name] = sqliteKinds[c.kind]
				}
				if c.role == computed && strings.HasSuffix(real[tb.name][c.name], " computed") {
					known[c.name] = real[tb.name][c.name]
				}
			}
			if diff := cmp.Diff(known, real[tb.name]); diff != "" {
				t.Errorf("columns of %s in tables.go (-) and in the schema (+):\n%s", tb.name, diff)
			}
			delete(real, tb.name)
		}
		for name := range tablesLeftOut() {
			if real[name] == nil {
				t.Errorf("there is no table %s to leave out", name)
			}
			delete(real, name)
		}
		for name := range real {
			t.Errorf("tables.go does not know the table %s", name)
		}
	})
}

// Each table has a row, which comes from SQLite to PostgreSQL and back.
func TestImport_keepsEachTableOnTheWayToPostgresAndBack(t *testing.T) {
	t.Parallel()
	databasetest.Require(t, database.Postgres)
	laptop := newInstallation(t, database.SQLite, "a")
	server := newInstallation(t, database.Postgres, "b")
	back := newInstallation(t, database.SQLite, "c")
	storeID := laptop.fill()
	want := laptop.content(storeID)

	from := laptop
	for _, to := range []*installation{server, back} {
		other := to.fill()
		otherContent := to.content(other)
		sum := to.mustImport(from.export(storeID, testPassphrase), testPassphrase)
		if sum.Images.Files != 1 || len(sum.Lost) > 0 {
			t.Errorf("import: %+v", sum)
		}

		wantMoved := want
		if to.Vault != laptop.Vault { // their requests cannot be recognised with another secret key
			delete(wantMoved, "idempotency")
			delete(wantMoved, "idempotency_pieces")
		}
		to.wantContent(storeID, wantMoved)
		to.wantContent(other, otherContent)
		to.wantImage(storeID)
		to.wantCombination(storeID)
		from = to
	}
}

func (in *installation) wantImage(storeID store.ID) {
	in.t.Helper()
	file, err := in.Blobs.Open(in.t.Context(), imagefile.BlobName(storeID, imagefile.ID(storeID), "original.png"))
	if err != nil {
		in.t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if b, err := io.ReadAll(file); err != nil || string(b) != "picture" {
		in.t.Errorf("the image has the bytes %q, %v", b, err)
	}
}

// wantCombination checks that the combination of the variant is the digest of the key that its value has now.
func (in *installation) wantCombination(storeID store.ID) {
	in.t.Helper()
	var combination []byte
	var value int64
	err := in.DB.Read(in.t.Context(), func(q database.Querier) error {
		return database.QueryRow(in.t.Context(), q, `SELECT v.combination, x.value_key FROM variants v
			JOIN variant_values x ON x.store_id = $1 AND x.variant_key = v.key WHERE v.store_id = $1`, []any{storeID},
			&combination, &value)
	})
	if err != nil {
		in.t.Fatal(err)
	}
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(value)))
	if !bytes.Equal(combination, sum[:16]) {
		in.t.Errorf("the combination is not that of the value %d", value)
	}
}

// New rows after an import have keys of their own.
func TestImport_reservesItsKeys(t *testing.T) {
	t.Parallel()
	source := newInstallation(t, database.SQLite, "a")
	storeID := source.fill()
	archive := source.export(storeID, "")

	databasetest.Each(t, func(t *testing.T, _ *database.DB) {
		engine := t.Name()[strings.LastIndexByte(t.Name(), '/')+1:]
		in := newInstallation(t, engine, "a")
		in.mustImport(archive, "")

		in.write(func(ctx context.Context, q database.Querier) error {
			before, err := lastKey(ctx, q)
			if err != nil {
				return err
			}
			_, err = q.Exec(ctx, `INSERT INTO mailbox (store_id, id, recipient, subject, text, created_at)
				VALUES ($1, $2, '', '', $3, 0)`, storeID, id.New[table](), []byte("x"))
			if err != nil {
				return err
			}
			var key int64
			err = database.QueryRow(ctx, q, "SELECT MAX(key) FROM mailbox", nil, &key)
			if err == nil && key == filledKey || before < filledKey {
				t.Errorf("the key %d after %d", key, before)
			}
			return err
		})
	})
}

// With the same secret key no passphrase is needed, and requests that are repeated are recognised.
func TestImport_keepsSecretsWithTheSameSecretKey(t *testing.T) {
	t.Parallel()
	source, target := newInstallation(t, database.SQLite, "a"), newInstallation(t, database.SQLite, "a")
	storeID := source.fill()
	want := source.content(storeID)
	if sum := target.mustImport(source.export(storeID, ""), ""); len(sum.Lost) > 0 {
		t.Errorf("lost %v", sum.Lost)
	}
	target.wantContent(storeID, want)
}

func TestImport_saysWhichSecretsToEnterAgain(t *testing.T) {
	t.Parallel()
	source, target := newInstallation(t, database.SQLite, "a"), newInstallation(t, database.SQLite, "b")
	storeID := source.fill()
	sum := target.mustImport(source.export(storeID, ""), "")
	want := map[string]int64{"receivers": 1, "feeds": 1, "captcha": 1, "codes": 1, "mail_server": 1, "mailbox": 1,
		"messages": 1}
	if diff := cmp.Diff(want, sum.Lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	for what := range want {
		if LostTexts()[what] == "" {
			t.Errorf("no text says what to do about %s", what)
		}
	}

	got := target.content(storeID) // fails if a secret cannot be opened
	for _, gone := range []string{"mail_servers", "mailbox", "parked_jobs", "idempotency", "idempotency_pieces"} {
		if len(got[gone]) > 0 {
			t.Errorf("%s has rows that need the former secret key", gone)
		}
	}
	for _, tb := range tables() {
		if tb.name == "receivers" && got[tb.name][0][tb.index("enabled")] != false {
			t.Error("the receiver is enabled, though nobody knows its secret")
		}
	}
}

// A person who has an account here keeps it, and administers the store with it.
func TestImport_usesAccountsOfTheSamePeople(t *testing.T) {
	t.Parallel()
	source, target := newInstallation(t, database.SQLite, "a"), newInstallation(t, database.SQLite, "a")
	storeID, other := source.fill(), target.fill()
	target.write(func(ctx context.Context, q database.Querier) error {
		_, err := q.Exec(ctx, "UPDATE accounts SET email = $1 WHERE id = $2", storeID.String(), other)
		return err
	})
	before := target.content(other)
	target.mustImport(source.export(storeID, ""), "")
	target.wantContent(other, before)

	var account rowID
	err := target.DB.Read(t.Context(), func(q database.Querier) error {
		return database.QueryRow(t.Context(), q, "SELECT account_id FROM operators WHERE store_id = $1", []any{storeID},
			&account)
	})
	if err != nil || account != rowID(other) {
		t.Errorf("the operator has the account %s, %v, want %s", account, err, other)
	}
}

func TestImport_refusesWhatItCannotImport(t *testing.T) {
	t.Parallel()
	source, target := newInstallation(t, database.SQLite, "a"), newInstallation(t, database.SQLite, "b")
	storeID := source.fill()
	archive := source.export(storeID, testPassphrase)
	replaced := func(old, by string) []byte { return bytes.Replace(archive, []byte(old), []byte(by), 1) }

	for name, c := range map[string]struct {
		archive          []byte
		passphrase, want string
	}{
		"nothing":                {nil, "", "no archive"},
		"another file":           {bytes.Repeat([]byte("PNG"), 1000), "", "no archive"},
		"no passphrase":          {archive, "", "--passphrase-file"},
		"another passphrase":     {archive, "wrong horse battery", "not that of the archive"},
		"a newer schema":         {replaced(`"schema": 3`, `"schema": 9`), "", "schema 9"},
		"a newer format":         {replaced(`"version": 1`, `"version": 2`), "", "format 2"},
		"a file of another kind": {replaced(formatName, "another shop."), "", "no archive"},
	} {
		_, err := target.Import(t.Context(), bytes.NewReader(c.archive), c.passphrase)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	target.wantNothing(storeID)

	if _, err := source.Import(t.Context(), bytes.NewReader(archive), testPassphrase); err == nil ||
		!strings.Contains(err.Error(), "exists") {
		t.Errorf("a store that exists: %v", err)
	}
	source.wantImage(storeID)
}

func TestExport_refusesAShortPassphrase(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, database.SQLite, "a")
	if _, err := in.Export(t.Context(), in.fill(), io.Discard, "short"); !errors.Is(err, errPassphraseShort) {
		t.Errorf("%v, want %v", err, errPassphraseShort)
	}
}

// An archive that is cut or altered anywhere leaves neither rows nor images.
func TestImport_leavesNothingOfADamagedArchive(t *testing.T) {
	t.Parallel()
	source, target := newInstallation(t, database.SQLite, "a"), newInstallation(t, database.SQLite, "a")
	storeID := source.fill()
	archive := source.export(storeID, "")
	// A tar file ends with empty blocks, which nobody needs.
	end := len(bytes.TrimRight(archive, "\x00"))
	step := promise.Repeat(end/40, 700)

	for at := 0; at < end; at += step {
		if _, err := target.Import(t.Context(), bytes.NewReader(archive[:at]), ""); err == nil {
			t.Fatalf("an archive that ends after %d of %d bytes is imported", at, end)
		}
		if archive[at] == 0 { // padding
			continue
		}
		altered := bytes.Clone(archive)
		altered[at] ^= 1
		if _, err := target.Import(t.Context(), bytes.NewReader(altered), ""); err == nil {
			t.Fatalf("an archive with another byte at %d is imported: %q", at, archive[max(0, at-500):at+1])
		}
	}

	target.wantNothing(storeID)
	more := slices.Concat(archive[:end+512-end%512], archive)
	if _, err := target.Import(t.Context(), bytes.NewReader(more), ""); !errors.Is(err, errAltered) {
		t.Errorf("an archive with more after its manifest: %v", err)
	}
	target.wantNothing(storeID)
	target.mustImport(archive, "")
}

// writeHook calls fn before the first byte is written.
type writeHook struct {
	io.Writer
	fn func()
}

func (w writeHook) Write(b []byte) (int, error) {
	w.fn()
	return w.Writer.Write(b)
}

// What changes while an export runs is not in the archive.
func TestExport_readsTheStateOfOneMoment(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, _ *database.DB) {
		engine := t.Name()[strings.LastIndexByte(t.Name(), '/')+1:]
		in := newInstallation(t, engine, "a")
		storeID := in.fill()
		var archive bytes.Buffer
		change := sync.OnceFunc(func() {
			in.write(func(ctx context.Context, q database.Querier) error {
				_, err := q.Exec(ctx, "INSERT INTO daily_counts (store_id, name, day, count) VALUES ($1, 'x', 1, 1)",
					storeID)
				return err
			})
		})

		if _, err := in.Export(t.Context(), storeID, writeHook{&archive, change}, ""); err != nil {
			t.Fatal(err)
		}
		if n := len(rowsOf(t, archive.Bytes())["daily_counts"]); n != 1 {
			t.Errorf("the archive has %d counts, want the one from before", n)
		}
	})
}

// A crafted archive changes nothing outside its store: neither accounts and jobs of other stores, nor the sequences of
// the row keys.
func TestImport_refusesArchivesThatReachBeyondTheirStore(t *testing.T) {
	t.Parallel()
	source, target := newInstallation(t, database.SQLite, "a"), newInstallation(t, database.SQLite, "a")
	storeID, other := source.fill(), target.fill()
	archive := source.export(storeID, "")
	before := target.content(other)
	same := func(*header) {}
	all := func(*table, []any) bool { return true }
	set := func(name, columnName string, value any) func(*table, []any) bool {
		return func(tb *table, row []any) bool {
			if tb.name == name {
				row[tb.index(columnName)] = value
			}
			return true
		}
	}

	for name, c := range map[string]struct {
		header func(*header)
		row    func(*table, []any) bool
	}{
		"keys are given again":       {func(h *header) { h.LastKey = -1 << 30 }, all},
		"no keys are left":           {func(h *header) { h.LastKey = 1 << 62 }, all},
		"a key above the last one":   {same, set("mailbox", "key", filledKey+1<<40)},
		"a key below the first one":  {same, set("mailbox", "key", -filledKey)},
		"a key that is missing":      {same, set("mailbox", "key", nil)},
		"a code for another account": {same, set("account_recovery_codes", "account_id", rowID(other))},
		"an account without its row": {same, func(tb *table, _ []any) bool { return tb.name != "accounts" }},
		"an operator of nobody":      {same, set("operators", "account_id", rowID(other))},
		"a job of another store":     {same, set("jobs", "payload", slices.Concat(other[:], other[:]))},
		"a message of another store": {same, set("parked_jobs", "lane", other.String())},
		"a job that names no store":  {same, set("jobs", "payload", []byte{})},
	} {
		_, err := target.Import(t.Context(), bytes.NewReader(forged(t, archive, c.header, c.row)), "")
		if !errors.Is(err, errAltered) {
			t.Errorf("%s: %v", name, err)
		}
	}
	target.wantNothing(storeID)
	target.wantContent(other, before)
	target.mustImport(forged(t, archive, same, all), "")
}

// A tar file can claim an image of any size in a few bytes.
func TestImport_refusesAnImageThatNobodyCanUpload(t *testing.T) {
	t.Parallel()
	source, target := newInstallation(t, database.SQLite, "a"), newInstallation(t, database.SQLite, "a")
	storeID := source.fill()
	r := newArchiveReader(bytes.NewReader(source.export(storeID, "")))
	h, err := r.readHeader()
	if err != nil {
		t.Fatal(err)
	}

	var b bytes.Buffer
	w := newArchiveWriter(&b, h.ExportedAt)
	err = w.addJSON(headerName, h)
	if err == nil {
		err = w.add(imagesFolder+storeID.String()+"/original.png", maxImage+1,
			bytes.NewReader(make([]byte, maxImage+1)))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := target.Import(t.Context(), &b, ""); !errors.Is(err, errAltered) {
		t.Error(err)
	}
	target.wantNothing(storeID)
}

// Quantities and prices that were changed together before the move can be undone after it: their cells name products
// and variants by their new keys.
func TestImport_renumbersTheCellsOfBulkChanges(t *testing.T) {
	t.Parallel()
	source, target := newInstallation(t, database.SQLite, "a"), newInstallation(t, database.SQLite, "a")
	storeID := source.fill()
	target.fill()
	const cells = `[{"p":7,"v":7,"m":"price","f":"5","t":"7"},{"p":7,"m":"name","t":"[7]"}]`
	source.write(func(ctx context.Context, q database.Querier) error {
		_, err := q.Exec(ctx, "UPDATE bulk_chunks SET keys = $1", []byte(cells))
		return err
	})
	want := source.content(storeID)

	target.mustImport(source.export(storeID, ""), "")
	target.wantContent(storeID, want)
	err := target.DB.Read(t.Context(), func(q database.Querier) error {
		var stored []byte
		var product int64
		err := database.QueryRow(t.Context(), q, `SELECT c.keys, p.key FROM bulk_chunks c
			JOIN products p ON p.store_id = c.store_id WHERE c.store_id = $1`, []any{storeID}, &stored, &product)
		if key := fmt.Sprintf(`"p":%d,`, product); product == filledKey || strings.Count(string(stored), key) != 2 {
			t.Errorf("the product has the key %d, the cells are %s", product, stored)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
