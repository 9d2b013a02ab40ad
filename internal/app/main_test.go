package app_test

import (
	"os"
	"testing"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m)) }

// installation is an installation of the program with what the tests of this package ask of it.
type installation struct{ *apitest.Installation }

func newInstallation(t *testing.T, engine string) *installation {
	t.Helper()
	return &installation{apitest.NewInstallation(t, engine)}
}

// eachEngine runs fn on both engines, in parallel, each time with an empty database.
func eachEngine(t *testing.T, fn func(t *testing.T, inst *installation)) {
	t.Helper()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, newInstallation(t, engine))
		})
	}
}

// sampledEngine is eachEngine on the engine that databasetest.SampledEngines chooses, with a migrated database.
func sampledEngine(t *testing.T, fn func(t *testing.T, inst *installation)) {
	t.Helper()
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, &installation{apitest.NewMigratedInstallation(t, engine)})
		})
	}
}
