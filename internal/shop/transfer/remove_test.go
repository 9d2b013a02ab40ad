package transfer

import (
	"context"
	"errors"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// A store goes with all its rows and images, also after an interruption, and another store stays as it is.
func TestRemove_leavesNothingOfTheStoreAndAllOfOthers(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			in := newInstallation(t, engine, "a")
			source := newInstallation(t, database.SQLite, "a")
			storeID, other := in.fill(), source.fill()
			in.mustImport(source.export(other, ""), "")
			want := in.content(other)

			ctx, cancel := context.WithCancel(t.Context())
			in.Progress = func(p Progress) {
				if p.Table == "orders" {
					cancel()
				}
			}
			if _, err := in.Remove(ctx, storeID); !errors.Is(err, context.Canceled) {
				t.Errorf("an interrupted removal returns %v", err)
			}
			if n := len(in.content(storeID)["credentials"]); n > 0 {
				t.Errorf("%d keys of the store are valid while it is removed", n)
			}

			in.Progress = nil
			if rows, err := in.Remove(t.Context(), storeID); err != nil || rows == 0 {
				t.Fatalf("%d rows, %v", rows, err)
			}
			in.wantNothing(storeID)
			in.wantContent(other, want)
			in.wantImage(other)

			var accounts int64
			err := in.DB.Read(t.Context(), func(q database.Querier) error {
				return database.QueryRow(t.Context(), q, "SELECT COUNT(*) FROM accounts", nil, &accounts)
			})
			if err != nil || accounts != 1 {
				t.Errorf("%d accounts are left, %v, want that of the other store", accounts, err)
			}
		})
	}
}

// Each table with rows of stores is emptied in short transactions.
func TestRemovable_hasEachTableOfStores(t *testing.T) {
	t.Parallel()
	in := newInstallation(t, database.SQLite, "a")
	var missing []string
	err := in.DB.Read(t.Context(), func(q database.Querier) error {
		return database.QueryEach(t.Context(), q, `SELECT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
			WHERE m.type = 'table' AND c.name = 'store_id' ORDER BY m.name`, nil, database.AppendColumn(&missing))
	})
	if err != nil {
		t.Fatal(err)
	}

	known := map[string]bool{"operator_sessions": true} // they go with the operators
	for _, part := range removable() {
		known[part.name] = true
	}
	for _, name := range missing {
		if !known[name] {
			t.Errorf("removable lacks the table %s", name)
		}
	}
}
