package database_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// damages returns what FindDamage and FindBrokenReferences find.
func damages(t *testing.T, db *database.DB) (damage, references []string) {
	t.Helper()
	err := db.Snapshot(t.Context(), func(q database.Querier) error {
		err := database.FindDamage(t.Context(), q,
			func(text string) error { damage = append(damage, text); return nil })
		if err != nil {
			return err
		}

		return database.FindBrokenReferences(t.Context(), q, func(text string) error {
			references = append(references, text)
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}

	return damage, references
}

func TestFindDamage_ofASQLiteFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.db")

	exec := func(sql string) {
		t.Helper()
		c, err := sqlite3.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()

		if err := c.Exec("PRAGMA foreign_keys = OFF; " + sql); err != nil {
			t.Fatal(err)
		}
	}

	exec(`CREATE TABLE parents (id INTEGER PRIMARY KEY);
		CREATE TABLE children (parent INTEGER REFERENCES parents (id), n INTEGER);
		CREATE INDEX children_parent ON children (parent);
		CREATE INDEX children_n ON children (n);
		INSERT INTO parents VALUES (1);
		INSERT INTO children VALUES (1, 2), (1, 3)`)

	look := func() (damage, references []string) {
		t.Helper()
		db := openDB(t, database.Config{URL: file, Readers: 1})
		defer db.Close()
		return damages(t, db)
	}
	if damage, references := look(); len(damage)+len(references) != 0 {
		t.Fatalf("a good file: %q, %q", damage, references)
	}

	exec(`INSERT INTO children VALUES (7, 4)`)

	if damage, references := look(); len(damage) != 0 || len(references) != 1 ||
		!strings.Contains(references[0], "children refers to a row of parents") {
		t.Errorf("a child without a parent: %q, %q", damage, references)
	}

	// A row is inserted while the schema does not know of an index.
	exec(`PRAGMA writable_schema = ON;
		CREATE TABLE saved AS SELECT * FROM sqlite_schema WHERE name = 'children_n';
		DELETE FROM sqlite_schema WHERE name = 'children_n'`)
	exec(`INSERT INTO children VALUES (1, 5)`)
	exec(`PRAGMA writable_schema = ON;
		INSERT INTO sqlite_schema SELECT * FROM saved`)

	if damage, _ := look(); len(damage) == 0 || !strings.Contains(strings.Join(damage, " "), "children_n") {
		t.Errorf("indexes that do not fit their table: %q", damage)
	}
}

// amcheck finds an index whose expressions have other values than the table.
func TestCheckIndexes_findsADamagedIndex(t *testing.T) {
	t.Parallel()
	db := openDB(t, database.Config{URL: databasetest.NewURL(t, database.Postgres)})

	exec := func(statements ...string) {
		t.Helper()
		err := db.Write(t.Context(), func(q database.Querier) error {
			for _, sql := range statements {
				if err := database.Exec(t.Context(), q, sql); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	check := func(wantChecked bool) (found []string) {
		t.Helper()
		checked, err := db.CheckIndexes(t.Context(), func(text string) { found = append(found, text) })
		if err != nil || checked != wantChecked {
			t.Fatalf("checked is %t, %v", checked, err)
		}
		return found
	}

	// A function in SQL would be expanded in the cached definition of the index.
	const function = "CREATE OR REPLACE FUNCTION changed(n INTEGER) RETURNS INTEGER IMMUTABLE LANGUAGE plpgsql AS "
	exec(function+"'BEGIN RETURN n; END'", "CREATE TABLE numbers (n INTEGER)", "CREATE INDEX numbers_n ON numbers (n)",
		"CREATE INDEX numbers_changed ON numbers (changed(n))", "INSERT INTO numbers VALUES (1), (2), (3)")
	check(false)
	exec("CREATE EXTENSION amcheck")

	if found := check(true); len(found) != 0 {
		t.Errorf("good indexes: %q", found)
	}

	exec(function + "'BEGIN RETURN n + 100; END'")
	if found := check(true); len(found) != 1 || !strings.Contains(found[0], "numbers_changed") {
		t.Errorf("an index of other values: %q", found)
	}

	exec("UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'numbers_n'::regclass")
	if damage, _ := damages(t, db); len(damage) != 1 || !strings.Contains(damage[0], "numbers_n is not valid") {
		t.Errorf("an index that is not valid: %q", damage)
	}
}
