package app_test

import (
	"os"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// migrate --status says what is pending and changes nothing. serve --no-migrate starts only after vitrine migrate.
func TestMigrate_statusAndServeWithoutMigrating(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		status := func() database.SchemaStatus {
			return apitest.ParseJSON[database.SchemaStatus](t, inst.Run("migrate", "--status", "--json"))
		}
		s := status()
		if s.Version != 0 || s.Known < 1 || len(s.Pending) != int(s.Known) || s.Pending[0].Name != "schema" {
			t.Errorf("an empty database has the status %+v", s)
		}

		if text := inst.Run("migrate", "--status"); !strings.Contains(text, "\n  1 schema\n") ||
			!strings.Contains(text, "Run vitrine migrate") {
			t.Errorf("vitrine migrate --status prints %s", text)
		}

		if _, err := os.Stat(inst.Data); err == nil {
			t.Error("vitrine migrate --status created the data directory")
		}

		inst.WantFailure(1, []string{"has the schema 0", "Run vitrine migrate"}, "serve", "--no-migrate",
			"--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0")
		if s := status(); s.Version != 0 {
			t.Errorf("serve --no-migrate migrated the database to %d", s.Version)
		}

		inst.Run("migrate")
		if s := status(); s.Version != s.Known || len(s.Pending) != 0 {
			t.Errorf("after vitrine migrate the status is %+v", s)
		}
		if text := inst.Run("migrate", "--status"); !strings.Contains(text, "that of this program") {
			t.Errorf("vitrine migrate --status prints %s", text)
		}

		inst.Serve("--no-migrate")
	})
}

// A database that was made before the first release has other migrations with the same numbers.
func TestMigrate_refusesADatabaseFromBeforeTheFirstRelease(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		inst.Run("migrate")
		inst.WriteDB(func(q database.Querier) error {
			return database.Exec(t.Context(), q, "DELETE FROM meta WHERE name = 'first_migration'")
		})

		words := []string{"before the first release", "Nothing was changed", "vitrine copy"}
		inst.WantFailure(1, words, "migrate")
		inst.WantFailure(1, words, "migrate", "--status")
		inst.WantFailure(1, words, "store", "list")
		inst.WantFailure(1, words, "serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0")
		inst.WantFailure(1, words, "serve", "--no-migrate", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0")
	})
}
