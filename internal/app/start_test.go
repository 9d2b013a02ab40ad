package app_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// A second server on one SQLite file started, and each took the other for dead. Other commands still work, and so does
// a server after the first was killed.
func TestFirstHour4_refusesASecondServerOnOneFile(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	p, shop := inst.FirstRun()
	second := []string{"serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"}
	inst.WantFailure(1, []string{"in use by another server (process ", filepath.Join(inst.Data, "vitrine.db"),
		"Stop that server first"}, second...)

	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(filepath.Join(inst.Data, "vitrine.db"), link); err != nil {
		t.Fatal(err)
	}

	inst.WantFailure(1, []string{"in use by another server"}, append(second, "--database", link)...)
	inst.Run("store", "create", "--json")
	shop.Get("/v2/store")
	p.Kill()
	p = inst.Serve()
	p.Signal(syscall.SIGTERM)
	p.Wait()
	inst.Serve()
}

// Several servers share a PostgreSQL database.
func TestServe_runsTwiceOnPostgreSQL(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		if inst.Engine == database.SQLite {
			return
		}
		inst.FirstRun()
		inst.Serve()
	})
}

// With a lost secret.key a new one was written beside the old database, and the message did not say that the file was
// missing.
func TestL7_lostSecretKeyIsNamedAndNotReplaced(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, _ := inst.FirstRun()
		p.Signal(syscall.SIGTERM)
		p.Wait()
		key := filepath.Join(inst.Data, "secret.key")

		kept := filepath.Join(t.TempDir(), "secret.key")
		if err := os.Rename(key, kept); err != nil {
			t.Fatal(err)
		}

		before := apitest.FileModes(t, inst.Data)

		for _, command := range [][]string{{"serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0"},
			{"store", "list"}, {"store", "create", "--json"}, {"key", "create"}, {"migrate"}, {"demo"}} {
			inst.WantFailure(1, []string{key + " is missing", "--secret-key-file", "Nothing was written"}, command...)
		}

		if after := apitest.FileModes(t, inst.Data); !maps.Equal(after, before) {
			t.Errorf("the data directory had the files %v, and has %v", before, after)
		}

		inst.Serve("--secret-key-file", kept)
	})
}

// A damaged file was noticed only when the damaged page was read. What is not damaged can still be read.
func TestL7_damagedFileIsNotReadyToWrite(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	p, _ := inst.FirstRun()
	p.Signal(syscall.SIGTERM)
	p.Wait()
	path := filepath.Join(inst.Data, "vitrine.db")
	apitest.DestroyTable(t, path, "feedback")
	p = inst.Serve()
	storetest.Eventually(t, "the damage is reported", func() bool {
		status, _ := p.GetAdmin("/readyz/write")
		return status == http.StatusServiceUnavailable && strings.Contains(p.Stderr.String(),
			"the database file is damaged")
	})
	if status, body := p.GetAdmin("/readyz"); status != http.StatusOK ||
		!strings.Contains(body, `"database":"read_only"`) {
		t.Errorf("/readyz returns %d %s", status, body)
	}

	if status, _ := p.GetAdmin("/healthz"); status != http.StatusOK {
		t.Errorf("/healthz returns %d", status)
	}
}

// All files of the data directory had mode 0644 where the driver created them.
func TestM6_filesOfTheDataDirectoryArePrivate(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	if err := os.Mkdir(inst.Data, 0o755); err != nil {
		t.Fatal(err)
	}

	p, shop := inst.FirstRun()
	shop.OK(201, "POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type", "image/png"))

	for path, mode := range apitest.FileModes(t, inst.Data) {
		if mode&0o077 != 0 {
			t.Errorf("%s has the mode %v", path, mode)
		}
	}

	log := p.Stderr.String()
	if !strings.Contains(log, "access the data directory") || !strings.Contains(log, "0755") ||
		!strings.Contains(log, "chmod 700 "+inst.Data) {
		t.Errorf("the log does not warn of the data directory: %s", log)
	}

	fresh := newInstallation(t, database.SQLite)
	p, _ = fresh.FirstRun()
	if info, err := os.Stat(fresh.Data); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a new data directory has the mode %v, %v", info, err)
	}
	if strings.Contains(p.Stderr.String(), "chmod") {
		t.Errorf("the log warns of a private data directory: %s", p.Stderr)
	}
}

// The first run printed the secret key and the password, which are then in the journal.
func TestL8_firstRunPrintsNoSecretsUnlessOnATerminal(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p := inst.Serve()
		keys, ok := p.FirstRunKeys()
		if !ok {
			t.Fatalf("the first run names no file with keys: %s", p.Stdout)
		}
		if info, err := os.Stat(app.FirstRunFile(inst.Data)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file with keys has the mode %v, %v", info, err)
		}

		for _, secret := range []string{keys.SecretKey, keys.ExchangeToken, keys.AdminPassword} {
			if strings.Contains(p.Stdout.String()+p.Stderr.String(), secret) {
				t.Error("the output contains a secret")
			}
		}

		p.Server(keys.Keys(t)).Get("/v2/store")
		if p.SignIn(keys.AdminEmail, keys.AdminPassword) == "" {
			t.Error("the password in the file does not sign in")
		}
	})
}

func TestNoFirstStore_createsNone(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p := inst.Serve("--no-first-store")
		if _, created := p.FirstRunKeys(); created || strings.Contains(p.Stdout.String(), "first run") {
			t.Errorf("serve --no-first-store prints %s", p.Stdout)
		}
		if stores := apitest.ParseJSON[[]any](t, inst.Run("store", "list", "--json")); len(stores) != 0 {
			t.Errorf("there are %d stores, want 0", len(stores))
		}
		created := apitest.ParseJSON[apitest.Provisioned](t, inst.Run("store", "create", "--json"))
		p.Server(created.Keys(t)).Get("/v2/store")
	})
}

// /metrics answered anybody, with any Host. The health checks still do.
func TestL9_metricsNeedATokenOrThisMachine(t *testing.T) {
	t.Parallel()
	local := apitest.StartServer(t, database.SQLite, apitest.Alone())
	guarded := apitest.StartServer(t, database.SQLite,
		apitest.WithConfig(func(c *config.Serve) { c.MetricsToken = "mt-secret" }))
	for _, c := range []struct {
		server            *apitest.Server
		peer, host, token string
		header            string
		status            int
	}{
		{local, "127.0.0.1:5000", "127.0.0.1:8081", "", "", 200},
		{local, "[::1]:5000", "[::1]:8081", "", "", 200},
		{local, "127.0.0.1:5000", "localhost:8081", "", "", 200},
		{local, "127.0.0.1:5000", "attacker.example:8081", "", "", 403},
		{local, "127.0.0.1:5000", "localhost.attacker.example", "", "", 403},
		{local, "127.0.0.1:5000", "127.0.0.1:8081", "", "X-Forwarded-For", 403},
		{local, "127.0.0.1:5000", "127.0.0.1:8081", "", "X-Real-Ip", 403},
		{local, "192.0.2.7:5000", "192.0.2.1:8081", "", "", 403},
		{local, "192.0.2.7:5000", "127.0.0.1:8081", "", "", 403},
		{guarded, "127.0.0.1:5000", "127.0.0.1:8081", "", "", 401},
		{guarded, "127.0.0.1:5000", "127.0.0.1:8081", "mt-other", "", 401},
		{guarded, "192.0.2.7:5000", "shop.example", "mt-secret", "X-Forwarded-For", 200},
	} {
		for path, want := range map[string]int{"/metrics": c.status, "/healthz": 200, "/readyz": 200,
			"/readyz/write": 200} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.RemoteAddr, r.Host = c.peer, c.host
			if c.token != "" {
				r.Header.Set("Authorization", "Bearer "+c.token)
			}

			if c.header != "" {
				r.Header.Set(c.header, "198.51.100.1")
			}

			w := httptest.NewRecorder()
			c.server.App.Admin().ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%s from %s at %s with %q and %q: %d, want %d: %.200s", path, c.peer, c.host, c.token,
					c.header,
					w.Code, want, w.Body)
			}

			if w.Code == 403 && !strings.Contains(w.Body.String(), "--metrics-token") {
				t.Errorf("the refusal does not name the flag: %s", w.Body)
			}
		}
	}

	if strings.Contains(guarded.Log.String(), "mt-secret") {
		t.Error("the log contains the token")
	}
}

// Behind a proxy that is not trusted, all clients count as one address; nothing said so.
func TestL10_warnsOnceOfAnUntrustedProxy(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite,
		apitest.WithConfig(func(c *config.Serve) { c.TrustedProxy = []string{"10.0.0.0/8"} }))
	send := func(h http.Handler, peer string) {
		r := httptest.NewRequest(http.MethodGet, "/v2/store", nil)
		r.RemoteAddr = peer
		r.Header.Set("X-Forwarded-For", "198.51.100.1")
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	count := func() int { return strings.Count(s.Log.String(), "--trusted-proxy") }
	send(s.App.API(), "10.0.0.1:1000")
	if count() != 0 {
		t.Errorf("a trusted proxy causes a warning: %s", s.Log)
	}

	send(s.App.API(), "192.0.2.9:1000")
	send(s.App.API(), "192.0.2.10:1000")
	send(s.App.Admin(), "192.0.2.9:1000")

	if count() != 1 || !strings.Contains(s.Log.String(), "--trusted-proxy 192.0.2.9/32") {
		t.Errorf("%d warnings, want one that names the peer: %s", count(), s.Log)
	}
}
