package database_test

import (
	"slices"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

func TestAnalyzeMissing_analysesTablesWithRowsOnce(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		mustExec(t, db, "INSERT INTO meta (name, value) VALUES ('x', $1)", []byte("y"))
		first := analyzeMissing(t, db)
		if db.Engine() == database.SQLite {
			if len(first) > 0 {
				t.Errorf("AnalyzeMissing analysed %v on SQLite", first)
			}
			return
		}

		if !slices.Contains(first, "meta") || slices.Contains(first, "products") {
			t.Errorf("AnalyzeMissing analysed %v, want meta, which has a row, and not products, which is empty", first)
		}
		if again := analyzeMissing(t, db); len(again) > 0 {
			t.Errorf("AnalyzeMissing analysed %v again", again)
		}
	})
}

func analyzeMissing(t *testing.T, db *database.DB) []string {
	t.Helper()
	tables, err := db.AnalyzeMissing(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return tables
}
