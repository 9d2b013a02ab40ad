package apitest

import (
	"errors"
	"os"
	"testing"

	"vitrine/internal/kit/database"
)

const rootPageSQL = "SELECT rootpage FROM sqlite_schema WHERE name = $1"

// DestroyTable overwrites the first page of a table in a SQLite file.
func DestroyTable(t *testing.T, path, table string) {
	t.Helper()
	db, err := database.Open(t.Context(), database.Config{URL: path})
	if err != nil {
		t.Fatal(err)
	}

	var page int64
	err = db.Read(t.Context(), func(q database.Querier) error {
		return database.QueryRow(t.Context(), q, rootPageSQL, []any{table}, &page)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}

	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	const pageSize = 4096
	if _, err := f.WriteAt(make([]byte, pageSize), (page-1)*pageSize); err != nil {
		t.Fatal(err)
	}
}
