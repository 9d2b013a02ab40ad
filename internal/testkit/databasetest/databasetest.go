// Package databasetest provides tests with fresh databases on both engines. It is for tests only.
//
// A test that calls Each runs once per engine. A test for one engine calls Open; a test that starts the whole program
// calls NewURL. Migrations run once per engine and test process; every further database is a copy. Without PostgreSQL
// the tests fail and are not skipped: half of the product would go untested. VITRINE_TEST_ENGINES=sqlite leaves
// PostgreSQL out on purpose, for a quick run of a developer.
package databasetest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/promise"
)

// setupTimeout limits the creation and the removal of one database. Both take well under a second.
const setupTimeout = time.Minute

// EnginesVariable names the environment variable that limits the tests to one engine, such as "sqlite", for a quick
// run. With "both", sampled tests run on both engines too.
const EnginesVariable = "VITRINE_TEST_ENGINES"

// SampleVariable names the environment variable that makes sampled tests run on the engine that they do not run on
// without it. `make race` sets it. `make thorough`, which CI runs as well, runs all tests on both.
const SampleVariable = "VITRINE_TEST_SAMPLE"

const (
	// everyEngine is the value of EnginesVariable with which sampled tests run on both engines.
	everyEngine = "both"
	// otherEngine is the value of SampleVariable.
	otherEngine = "other"
)

// Engines returns the names of the supported engines, as database.DB.Engine returns them. EnginesVariable limits them.
func Engines() []string { return engines() }

var engines = sync.OnceValue(func() []string {
	supported := []string{database.SQLite, database.Postgres}
	given := os.Getenv(EnginesVariable)
	if given == "" || given == everyEngine {
		return supported
	}
	if !slices.Contains(supported, given) {
		panic(fmt.Sprintf("%s is %q: it must be %q or one of %q", EnginesVariable, given, everyEngine, supported))
	}
	fmt.Printf("%s=%s: the tests leave out the other engine\n", EnginesVariable, given)
	return []string{given}
})

// postgresShare says that one in three sampled tests runs on PostgreSQL, where it takes two to four times the processor
// time that it takes on SQLite.
const postgresShare = 3

// SampledEngines returns the engines for a test whose subject is not what differs between them: one engine, which the
// name of the test decides. With VITRINE_PROVE and with "both" in EnginesVariable it returns both.
func SampledEngines(t *testing.T) []string {
	t.Helper()
	list := Engines()
	if promise.ProveAll() || os.Getenv(EnginesVariable) == everyEngine || len(list) == 1 {
		return list
	}

	name := fnv.New32a()
	_, _ = name.Write([]byte(t.Name()))
	onPostgres := name.Sum32()%postgresShare == 0
	if os.Getenv(SampleVariable) == otherEngine {
		onPostgres = !onPostgres
	}

	engine := database.SQLite
	if onPostgres {
		engine = database.Postgres
	}
	t.Logf("on %s only, on the other engine with %s=%s", engine, SampleVariable, otherEngine)
	return []string{engine}
}

// Require skips a test for one engine that EnginesVariable leaves out.
func Require(tb testing.TB, engine string) {
	tb.Helper()
	if !slices.Contains(Engines(), engine) && slices.Contains([]string{database.SQLite, database.Postgres}, engine) {
		tb.Skipf("%s leaves out %s", EnginesVariable, engine)
	}
}

// Each runs fn as the subtests "sqlite" and "postgres". Each subtest gets its own fresh, migrated database, which is
// closed and dropped when the subtest ends. fn may call t.Parallel.
func Each(t *testing.T, fn func(t *testing.T, db *database.DB)) {
	t.Helper()
	for _, engine := range Engines() {
		t.Run(engine, func(t *testing.T) { fn(t, Open(t, engine)) })
	}
}

// Open returns a fresh, migrated database. It is closed and dropped when tb ends.
func Open(tb testing.TB, engine string) *database.DB {
	tb.Helper()
	db, err := database.Open(tb.Context(), database.Config{URL: NewMigratedURL(tb, engine)})
	if err != nil {
		tb.Fatalf("open a %s database: %v", engine, err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("close the %s database: %v", engine, err)
		}
	})
	return db
}

// NewURL returns the URL or path of a fresh, empty database without migrations. The database is dropped when tb ends,
// even if connections are still open.
func NewURL(tb testing.TB, engine string) string {
	tb.Helper()
	return newURL(tb, engine, Create)
}

// NewMigratedURL is like NewURL but applies the migrations.
func NewMigratedURL(tb testing.TB, engine string) string {
	tb.Helper()
	return newURL(tb, engine, CreateMigrated)
}

func newURL(
	tb testing.TB, engine string, create func(ctx context.Context, engine, dir string) (FreshDatabase, error),
) string {
	tb.Helper()
	Require(tb, engine)
	ctx, cancel := context.WithTimeout(tb.Context(), setupTimeout)
	defer cancel()

	fresh, err := create(ctx, engine, tb.TempDir())
	if err != nil {
		tb.Fatal(err)
	}

	tb.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
		defer cancel()
		if err := fresh.Drop(ctx); err != nil {
			tb.Error(err)
		}
	})

	return fresh.URL
}

// FreshDatabase is a database that was just created.
type FreshDatabase struct {
	URL string
	// Drop removes the database, even if connections are still open. For SQLite it does nothing: the file is removed
	// with its directory.
	Drop func(context.Context) error
}

// Create creates an empty database for programs that are not tests, such as the benchmarks. A SQLite file is created in
// dir.
func Create(ctx context.Context, engine, dir string) (FreshDatabase, error) {
	switch engine {
	case database.SQLite:
		return createSQLite(dir, nil)
	case database.Postgres:
		return createPostgres(ctx, "")
	}
	return FreshDatabase{}, fmt.Errorf("unknown database engine %q", engine)
}

// CreateMigrated is like Create but applies the migrations.
func CreateMigrated(ctx context.Context, engine, dir string) (FreshDatabase, error) {
	switch engine {
	case database.SQLite:
		template, err := sqliteTemplate()
		if err != nil {
			return FreshDatabase{}, err
		}
		return createSQLite(dir, template)
	case database.Postgres:
		template, err := postgresTemplate()
		if err != nil {
			return FreshDatabase{}, err
		}
		return createPostgres(ctx, template)
	}
	return FreshDatabase{}, fmt.Errorf("unknown database engine %q", engine)
}

// migrate migrates the database at url and closes all connections to it.
func migrate(ctx context.Context, url string) error {
	db, err := database.Open(ctx, database.Config{URL: url})
	if err != nil {
		return err
	}
	return errors.Join(db.Migrate(ctx), db.Close())
}
