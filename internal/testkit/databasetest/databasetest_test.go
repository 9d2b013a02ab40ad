package databasetest_test

import (
	"context"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

func TestEach_providesFreshMigratedDatabasePerEngine(t *testing.T) {
	var engines []string
	for range 2 { // the second round must not see what the first one wrote
		databasetest.Each(t, func(t *testing.T, db *database.DB) {
			engines = append(engines, db.Engine())
			if n := queryCount(t, db, "SELECT COUNT(*) FROM goose_db_version WHERE version_id > 0"); n == 0 {
				t.Error("no migration is recorded: the database is not migrated")
			}

			err := db.Write(t.Context(), func(q database.Querier) error {
				_, err := q.Exec(t.Context(), "CREATE TABLE mark (n INTEGER NOT NULL)")
				return err
			})
			if err != nil {
				t.Errorf("the database is not fresh: %v", err)
			}
		})
	}

	if want := slices.Repeat(databasetest.Engines(), 2); !slices.Equal(engines, want) {
		t.Errorf("ran on %q, want each engine twice", engines)
	}
}

func TestOpen_dropsPostgresDatabaseAfterTest(t *testing.T) {
	var name string

	t.Run("use", func(t *testing.T) {
		db := databasetest.Open(t, database.Postgres)
		err := db.Read(t.Context(), func(q database.Querier) error {
			return database.QueryRow(t.Context(), q, "SELECT CAST(current_database() AS text)", nil, &name)
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := countDatabases(t, name); n != 1 {
			t.Errorf("%d databases are called %s while it is in use, want 1", n, name)
		}
	})
	if n := countDatabases(t, name); n != 0 {
		t.Errorf("%d databases are called %s after the test, want 0", n, name)
	}
}

func TestNewURL_isEmptyAndDroppableInUse(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			url := databasetest.NewURL(t, engine)
			db, err := database.Open(t.Context(), database.Config{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			if db.Engine() != engine {
				t.Errorf("%s was opened with engine %s", url, db.Engine())
			}

			err = db.Read(t.Context(), func(q database.Querier) error {
				_, err := q.Query(t.Context(), "SELECT version_id FROM goose_db_version")
				return err
			})
			if err == nil {
				t.Error("the database is migrated already")
			}

			if engine == database.SQLite {
				if err := db.Close(); err != nil {
					t.Error(err)
				}
			} // the PostgreSQL connection stays open: the drop must succeed nevertheless
		})
	}
}

func TestOpen_worksInParallel(t *testing.T) {
	for _, engine := range databasetest.Engines() {
		for range 8 {
			t.Run(engine, func(t *testing.T) {
				t.Parallel()
				if err := databasetest.Open(t, engine).Ping(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestServerURL_usesServerFromEnvironment(t *testing.T) {
	url := databasetest.ServerURL(t)
	if given := os.Getenv("VITRINE_TEST_POSTGRES"); given != "" && url != given {
		t.Errorf("ServerURL = %s, want %s", url, given)
	}
	if n := countDatabases(t, "postgres"); n != 1 {
		t.Errorf("%d databases are called postgres, want 1", n)
	}
}

func BenchmarkOpen(b *testing.B) {
	for _, engine := range databasetest.Engines() {
		b.Run(engine, func(b *testing.B) {
			for b.Loop() {
				fresh, err := databasetest.CreateMigrated(b.Context(), engine, b.TempDir())
				if err != nil {
					b.Fatal(err)
				}
				db, err := database.Open(b.Context(), database.Config{URL: fresh.URL})
				if err != nil {
					b.Fatal(err)
				}
				if err := db.Close(); err != nil {
					b.Fatal(err)
				}

				if err := fresh.Drop(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func queryCount(t *testing.T, db *database.DB, sql string) (n int) {
	t.Helper()
	err := db.Read(t.Context(), func(q database.Querier) error {
		return database.QueryRow(t.Context(), q, sql, nil, &n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// countDatabases counts the databases of the server with this name.
func countDatabases(t *testing.T, name string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databasetest.ServerURL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	if err := conn.QueryRow(t.Context(),
		"SELECT COUNT(*) FROM pg_database WHERE datname = $1", name).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Two runs of CI have each sampled test on both engines, and one run has tests on both.
func TestSampledEngines_areTheOtherOnesInTheOtherRun(t *testing.T) {
	if len(databasetest.Engines()) < 2 {
		t.Skip(databasetest.EnginesVariable + " leaves out an engine")
	}
	t.Setenv(databasetest.EnginesVariable, "")
	t.Setenv("VITRINE_PROVE", "")

	seen := map[string]int{}
	for i := range 100 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Setenv(databasetest.SampleVariable, "")
			first := databasetest.SampledEngines(t)
			t.Setenv(databasetest.SampleVariable, "other")
			second := databasetest.SampledEngines(t)

			if both := slices.Sorted(slices.Values(append(first, second...))); len(first) != 1 ||
				!slices.Equal(both, []string{database.Postgres, database.SQLite}) {
				t.Errorf("the test runs on %q, and in the other run on %q", first, second)
			}
			seen[first[0]]++
		})
	}

	if seen[database.SQLite] < 50 || seen[database.Postgres] < 20 {
		t.Errorf("100 tests are distributed as %v", seen)
	}
}
