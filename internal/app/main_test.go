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

// eachEngine runs fn on both engines, in parallel.
func eachEngine(t *testing.T, fn func(t *testing.T, inst *installation)) {
	t.Helper()
	onEngines(t, databasetest.Engines(), fn)
}

// sampledEngine is eachEngine on the engine that databasetest.SampledEngines chooses.
func sampledEngine(t *testing.T, fn func(t *testing.T, inst *installation)) {
	t.Helper()
	onEngines(t, databasetest.SampledEngines(t), fn)
}

func onEngines(t *testing.T, engines []string, fn func(t *testing.T, inst *installation)) {
	t.Helper()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			fn(t, newInstallation(t, engine))
		})
	}
}
