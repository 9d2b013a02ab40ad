package database_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
)

// The columns of all tables, as table|column|type.
var columnsSQL = map[string]string{
	database.SQLite: `SELECT m.name || '|' || c.name || '|' || lower(c.type)
		FROM sqlite_master AS m, pragma_table_info(m.name) AS c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'goose_db_version'
		ORDER BY m.name, c.cid`,
	database.Postgres: `SELECT table_name || '|' || column_name || '|' || data_type
		FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name <> 'goose_db_version' AND is_generated = 'NEVER'
		ORDER BY table_name, ordinal_position`,
}

// deferKeysSQL lets one transaction insert rows in any order.
var deferKeysSQL = map[string]string{
	database.SQLite:   "PRAGMA defer_foreign_keys = ON",
	database.Postgres: "SET LOCAL session_replication_role = replica",
}

// validateKeysSQL makes PostgreSQL check all foreign keys again.
const validateKeysSQL = `DO $$ DECLARE c RECORD; BEGIN
	FOR c IN SELECT oid, conrelid::regclass AS t, conname FROM pg_constraint WHERE contype = 'f' LOOP
		UPDATE pg_constraint SET convalidated = false WHERE oid = c.oid;
		EXECUTE format('ALTER TABLE %s VALIDATE CONSTRAINT %I', c.t, c.conname);
	END LOOP;
END $$`

// column is a column of a table.
type column struct{ table, name, kind string }

// columns returns the columns of each table.
func (d oldDB) columns(t *testing.T) map[string][]column {
	t.Helper()
	var lines []string
	err := d.Read(t.Context(), func(q database.Querier) error {
		lines = nil
		return database.QueryEach(t.Context(), q, columnsSQL[d.Engine()], nil, database.AppendColumn(&lines))
	})
	if err != nil {
		t.Fatal(err)
	}
	tables := map[string][]column{}
	for _, line := range lines {
		p := strings.Split(line, "|")
		tables[p[0]] = append(tables[p[0]], column{p[0], p[1], p[2]})
	}
	return tables
}

// literal returns the value of a column in row n. It depends on the type and n alone, so that a reference to another
// table finds row n there. Texts are numbers, which are words and valid JSON.
func (c column) literal(n int64) string {
	hex := fmt.Sprintf("%032x", n)
	switch c.kind {
	case "uuid":
		return "'" + hex + "'::uuid"
	case "bytea":
		return `'\x` + hex + `'::bytea`
	case "blob":
		return "x'" + hex + "'"
	case "text":
		return fmt.Sprintf("'%d'", n)
	case "boolean":
		return "true"
	default:
		return fmt.Sprint(n)
	}
}

// fill inserts row n into every table.
func (d oldDB) fill(t *testing.T, n int64) {
	t.Helper()
	tables := d.columns(t)

	err := d.Write(t.Context(), func(q database.Querier) error {
		if _, err := q.Exec(t.Context(), deferKeysSQL[d.Engine()]); err != nil {
			return err
		}

		for _, name := range slices.Sorted(maps.Keys(tables)) {
			var names, values []string
			for _, c := range tables[name] {
				names = append(names, `"`+c.name+`"`)
				values = append(values, c.literal(n))
			}

			sql := fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", name, strings.Join(names, ", "),
				strings.Join(values, ", "))
			if _, err := q.Exec(t.Context(), sql); err != nil {
				return fmt.Errorf("%s: %w", sql, err)
			}
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// values returns the values of each column, sorted, with NULL as "-".
func (d oldDB) values(t *testing.T, tables map[string][]column) map[column][]string {
	t.Helper()
	all := map[column][]string{}

	err := d.Read(t.Context(), func(q database.Querier) error {
		for _, columns := range tables {
			for _, c := range columns {
				text := `CAST("` + c.name + `" AS TEXT)`
				if c.kind == "blob" {
					text = `hex("` + c.name + `")`
				}

				var rows []string
				sql := "SELECT COALESCE(" + text + ", '-') FROM " + c.table + " ORDER BY 1"
				if err := database.QueryEach(t.Context(), q, sql, nil, database.AppendColumn(&rows)); err != nil {
					return err
				}

				all[c] = rows
			}
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	return all
}

// checkKeys checks that all foreign keys hold.
func (d oldDB) checkKeys(t *testing.T) {
	t.Helper()
	if d.Engine() == database.Postgres {
		mustExec(t, d.DB, validateKeysSQL)
		return
	}

	var violations []string
	err := d.Read(t.Context(), func(q database.Querier) error {
		const sql = `SELECT "table" || ' ' || parent FROM pragma_foreign_key_check`
		return database.QueryEach(t.Context(), q, sql, nil, database.AppendColumn(&violations))
	})
	if err != nil || len(violations) > 0 {
		t.Errorf("foreign keys that do not hold: %q, %v", violations, err)
	}
}

// Every table gets a row at every version of the schema, and each migration keeps the rows of all versions before it.
// So a database of any version comes to the last one with its data. The last migration is one of the test.
func TestMigrate_keepsTheRowsOfEveryVersion(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			files := withNext("ALTER TABLE stores ADD COLUMN motto TEXT;\n" + incompatibleSQL)
			last := known(t) + 1
			db := oldDB{openDB(t, database.Config{URL: databasetest.NewURL(t, engine)})}

			var before map[column][]string
			for version := int64(1); version <= last; version++ {
				db.SetMigrations(upTo(files, version))
				db.migrate(t)
				if s := db.status(t); s.Version != version || len(s.Pending) != 0 {
					t.Fatalf("the status is %+v, want the version %d", s, version)
				}
				db.compare(t, version, before)
				db.fill(t, 100+version)
				before = db.values(t, db.columns(t))
			}

			db.checkKeys(t)
		})
	}
}

// upTo returns the migrations up to a version.
func upTo(files fstest.MapFS, version int64) fstest.MapFS {
	older := maps.Clone(files)
	maps.DeleteFunc(older, func(name string, _ *fstest.MapFile) bool {
		return path.Base(name) > fmt.Sprintf("%05d_~", version)
	})
	return older
}

// rewritten are the columns that a migration writes on purpose.
var rewritten = map[string]bool{"schema_compatibility.oldest_program": true}

// compare checks that the columns before a migration exist after it, and have the same values.
func (d oldDB) compare(t *testing.T, version int64, before map[column][]string) {
	t.Helper()
	after := d.values(t, d.columns(t))
	for c, rows := range before {
		got, kept := after[c]
		switch {
		case !kept:
			t.Errorf("at version %d, %s.%s does not exist any more", version, c.table, c.name)
		case kept && !slices.Equal(got, rows) && !rewritten[c.table+"."+c.name]:
			t.Errorf("at version %d, %s.%s has %v, and had %v", version, c.table, c.name, got, rows)
		}
	}
}

// A process that migrates is killed several times, each time after it has applied at least one more migration. The next
// one continues, and all rows are there at the end. On a busy machine a process may complete before it is killed, so
// there are several tries.
func TestMigrate_continuesAfterKills(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			for range 10 {
				if migrateWithKills(t, engine) {
					return
				}
			}
			t.Error("no process was killed in the middle")
		})
	}
}

// manyMigrations returns the migrations of this program and twenty more, each of which takes some milliseconds.
func manyMigrations() fstest.MapFS {
	var next []string
	for n := range 20 {
		next = append(next, fmt.Sprintf(`CREATE TABLE next_%[1]d (n bigint);
INSERT INTO next_%[1]d
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
SELECT n FROM numbers;
`, n))
	}
	return withNext(next...)
}

// migrateWithKills migrates a filled database with processes that are killed, and checks the result. It returns false
// if the migrations were complete before the last kill.
func migrateWithKills(t *testing.T, engine string) bool {
	t.Helper()
	kills := promise.Sample(promise.Repeat(1, 2), 4)
	url := databasetest.NewMigratedURL(t, engine)
	db := oldDB{openDB(t, database.Config{URL: url, Readers: 2})}
	db.SetMigrations(manyMigrations())
	db.fill(t, 101)
	db.fill(t, 102)
	before := db.values(t, db.columns(t))

	for range kills {
		if killMigrator(t, db, url); len(db.status(t).Pending) == 0 {
			return false
		}
	}

	if err := roleCommand(t, "next migrator", url).Run(); err != nil {
		t.Fatalf("the migration after the kills: %v", err)
	}

	status := db.status(t)
	if len(status.Pending) > 0 {
		t.Errorf("%v is still pending", status.Pending)
	}

	db.compare(t, status.Version, before)
	db.checkKeys(t)

	reference := newOldDB(t, engine)
	reference.SetMigrations(manyMigrations())
	reference.migrate(t)
	if got, want := schemaLines(t, db.DB), schemaLines(t, reference.DB); !equal(got, want) {
		t.Errorf("the schema is\n%q, want\n%q", got, want)
	}
	if got, want := queryInts(t, db.DB, versionsSQL), queryInts(t, reference.DB, versionsSQL); !equal(got, want) {
		t.Errorf("applied %v, want %v", got, want)
	}

	return true
}

func (d oldDB) status(t *testing.T) database.SchemaStatus {
	t.Helper()
	status, err := d.SchemaStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return status
}

// killMigrator starts a process that migrates, and kills it a moment after it has applied a migration.
func killMigrator(t *testing.T, db oldDB, url string) {
	t.Helper()
	version := db.status(t).Version
	cmd := roleCommand(t, "next migrator", url)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}

	for deadline := time.Now().Add(time.Minute); db.status(t).Version <= version; {
		if time.Now().After(deadline) {
			_ = cmd.Process.Kill()
			t.Fatalf("the version is still %d after a minute", version)
		}
		// Another process makes progress in real time.
		time.Sleep(time.Millisecond)
	}

	// The kill comes at a random moment of the next migration.
	time.Sleep(rand.N(3 * time.Millisecond))
	_ = cmd.Process.Kill() // it may have completed
	_ = cmd.Wait()
}
