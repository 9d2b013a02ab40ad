package app_test

import (
	"os"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// migrate --status says what is pending and changes nothing. serve --no-migrate starts only after vitrine migrate.
func TestMigrate_statusAndServeWithoutMigrating(t *testing.T) {
	eachEngine(t, func(t *testing.T, inst *installation) {
		status := func() database.SchemaStatus {
			return apitest.ParseJSON[database.SchemaStatus](t, inst.run("migrate", "--status", "--json"))
		}
		s := status()
		if s.Version != 0 || s.Known < 28 || len(s.Pending) != int(s.Known) || s.Pending[27].Name != "writers" {
			t.Errorf("an empty database has the status %+v", s)
		}
		if text := inst.run("migrate", "--status"); !strings.Contains(text, "\n  28 writers\n") ||
			!strings.Contains(text, "Run vitrine migrate") {
			t.Errorf("vitrine migrate --status prints %s", text)
		}
		if _, err := os.Stat(inst.data); err == nil {
			t.Error("vitrine migrate --status created the data directory")
		}
		inst.wantFailure(1, []string{"has the schema 0", "Run vitrine migrate"}, "serve", "--no-migrate",
			"--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0")
		if s := status(); s.Version != 0 {
			t.Errorf("serve --no-migrate migrated the database to %d", s.Version)
		}
		inst.run("migrate")
		if s := status(); s.Version != s.Known || len(s.Pending) != 0 {
			t.Errorf("after vitrine migrate the status is %+v", s)
		}
		if text := inst.run("migrate", "--status"); !strings.Contains(text, "that of this program") {
			t.Errorf("vitrine migrate --status prints %s", text)
		}
		inst.serve("--no-migrate")
	})
}

// A command or a server of the next version changes nothing while a node of this version runs, unless all of its
// migrations are compatible. The test takes away the note that the last migrations were applied.
func TestMigrate_refusesBesideARunningServer(t *testing.T) {
	eachEngine(t, func(t *testing.T, inst *installation) {
		p, _ := inst.firstRun("--dev")
		inst.writeDB(func(q database.Querier) error {
			return database.Exec(t.Context(), q, "DELETE FROM goose_db_version WHERE version_id >= 34")
		})
		storetest.Eventually(t, "the status names the running node", func() bool {
			return strings.Contains(inst.run("migrate", "--status"), "\nRunning: ")
		})
		if text := inst.run("migrate", "--status"); !strings.Contains(text, "\n  34 change marks (not beside older nodes)\n  35 parked jobs\n") ||
			!strings.Contains(text, "Stop all running nodes first") {
			t.Errorf("vitrine migrate --status prints %s", text)
		}

		words := []string{"older nodes are running", "Stop them all", "They cannot run beside the migration"}
		inst.wantFailure(1, words, "migrate")
		inst.wantFailure(1, words, "store", "list")
		if inst.engine == database.SQLite {
			words = []string{"in use by another server"}
		}
		inst.wantFailure(1, words, "serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0")
		inst.wantFailure(1, nil, "serve", "--no-migrate", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0")
		if s := apitest.ParseJSON[database.SchemaStatus](t, inst.run("migrate", "--status", "--json")); s.Version != 33 ||
			len(s.Nodes) != 1 || s.Pending[0].Compatible || !s.Pending[1].Compatible {
			t.Errorf("the status is %+v", s)
		}
		p.Kill()
	})
}
