package app_test

import (
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// vitrine health succeeds while the server is ready, and fails when it is not or does not run.
func TestHealth_asksTheServer(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	p := inst.Serve()
	health := func(args ...string) *apitest.Process {
		cmd := inst.Command("health")
		cmd.Args = append(cmd.Args[:2], args...) // without --data, which it does not have
		return apitest.Launch(t, cmd)
	}

	admin := strings.TrimPrefix(p.AdminURL, "http://")
	if h := health("--admin-addr", admin); h.Wait() != 0 || !strings.Contains(h.Stdout.String(), `"status":"ok"`) {
		t.Errorf("vitrine health exits with %d and prints %s%s", h.Wait(), h.Stdout, h.Stderr)
	}
	if h := health(p.AdminURL + "/healthz"); h.Wait() != 0 {
		t.Errorf("vitrine health with a URL exits with %d: %s", h.Wait(), h.Stderr)
	}
	if h := health(p.AdminURL + "/v2/missing"); h.Wait() != 1 || !strings.Contains(h.Stderr.String(), "404") {
		t.Errorf("vitrine health with 404 exits with %d: %s", h.Wait(), h.Stderr)
	}

	p.Kill()
	if h := health("--admin-addr", admin); h.Wait() != 1 || !strings.Contains(h.Stderr.String(), "does not respond") {
		t.Errorf("vitrine health without a server exits with %d: %s", h.Wait(), h.Stderr)
	}
}
