package app_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
)

// curlLines matches the curl commands that the first run prints.
var curlLines = regexp.MustCompile(`(?m)^  curl (?:.*\\\n)*.*$`)

// In a new data directory serve creates one store, one owner and one key of each kind. On a terminal it prints them
// once, with curl commands that work.
func TestFirstRun_printsKeysOnceAndWorkingCurlLines(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		p := apitest.LaunchServerOnTerminal(t, inst.ServeCommand())
		keys, ok := p.PrintedKeys()
		if !ok {
			t.Fatalf("the first run prints no keys: %s", p.Stdout)
		}

		if text := p.Stdout.String(); strings.Contains(text, "only now") ||
			!strings.Contains(text, "also in "+app.FirstRunFile(inst.Data)+"; vitrine env") {
			t.Errorf("the first run does not say where the keys are: %s", text)
		}

		lines := curlLines.FindAllString(p.Stdout.String(), -1)
		if len(lines) != 3 {
			t.Fatalf("%d curl lines are printed, want 3: %s", len(lines), p.Stdout)
		}

		created := runCurlLine(t, lines[0])
		read := runCurlLine(t, lines[1])
		pushed := runCurlLine(t, lines[2])
		if created.Data == nil || !strings.Contains(string(read.Data), `"name":"42"`) {
			t.Errorf("the first curl line returns %s and the second %s", created.Data, read.Data)
		}

		shop := p.Server(keys.Keys(t))
		values := shop.Get("/v2/variant-options?with=values").Texts("data.0.values", "name")
		if !slices.Equal(values, []string{"S", "M", "42"}) {
			t.Errorf("the first curl line created the values %q", values)
		}

		if got := shop.Get("/v2/products?with=variants"); got.Text("data.0.external_id") != "1" ||
			got.Text("data.0.variants.0.price") != "7.5" {
			t.Errorf("the third curl line returns %s, and the products are %s", pushed.Data, got.Body)
		}

		// Each key has the access of its kind.
		shop.Get("/v2/store", apitest.As(keys.PublishableKey))
		if got := shop.Do("GET", "/v2/store", nil, apitest.As(keys.ExchangeToken)).Status; got != 403 {
			t.Errorf("with the exchange token, GET /v2/store returns %d, want 403", got)
		}
		if got := shop.Get("/v2/store").Text("data.id"); got != keys.StoreID {
			t.Errorf("the store has the id %s, printed is %s", got, keys.StoreID)
		}
		if session := p.SignIn(keys.AdminEmail, keys.AdminPassword); session == "" {
			t.Error("the printed password does not sign in")
		}

		// The log, the database and the other files contain no key; first-run.json does.
		for _, secret := range []string{keys.SecretKey, keys.PublishableKey, keys.ExchangeToken, keys.AdminPassword} {
			if strings.Contains(p.Stderr.String(), secret) {
				t.Error("the log contains a secret")
			}
			if inst.Engine == database.SQLite && filesContain(t, inst.Data, secret) {
				t.Error("a file of the data directory contains a secret")
			}
		}

		p.Signal(15)
		if code := p.Wait(); code != 0 {
			t.Errorf("serve exits with %d, want 0", code)
		}

		// The second run prints no keys, and the first ones still work.
		again := apitest.LaunchServerOnTerminal(t, inst.ServeCommand())
		if _, printed := again.PrintedKeys(); printed || strings.Contains(again.Stdout.String(), "sk_") {
			t.Errorf("the second run prints keys: %s", again.Stdout)
		}
		if got := again.Server(keys.Keys(t)).Get("/v2/variant-options").Len("data"); got != 1 {
			t.Errorf("after a restart there are %d options, want 1", got)
		}
		if info, err := os.Stat(filepath.Join(inst.Data, "secret.key")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("secret.key does not have mode 0600: %v %v", info, err)
		}
	})
}

type curlResponse struct{ Data json.RawMessage }

// runCurlLine runs a curl command in a shell. Without curl it sends the same request itself.
func runCurlLine(t *testing.T, line string) (response curlResponse) {
	t.Helper()
	var out []byte
	if _, err := exec.LookPath("curl"); err == nil {
		if out, err = exec.Command("/bin/sh", "-c", line).Output(); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	} else {
		out = sendWithoutCurl(t, line)
	}
	if err := json.Unmarshal(out, &response); err != nil {
		t.Fatalf("%s returns %s", line, out)
	}
	return response
}

func sendWithoutCurl(t *testing.T, line string) []byte {
	t.Helper()
	quoted := regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(line, -1)
	method := http.MethodGet
	body := ""

	if strings.Contains(line, " -d ") {
		method = http.MethodPost
		body = quoted[len(quoted)-1][1]
	}

	r, err := http.NewRequestWithContext(t.Context(), method, quoted[0][1], strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	for _, q := range quoted[1:] {
		if name, value, ok := strings.Cut(q[1], ": "); ok && !strings.HasPrefix(q[1], "{") {
			r.Header.Set(name, value)
		}
	}

	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()

	out, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}

	return out
}

// filesContain reports whether a file below dir, other than first-run.json, contains text.
func filesContain(t *testing.T, dir, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || path == app.FirstRunFile(dir) {
			return err
		}
		content, err := os.ReadFile(path)
		found = found || strings.Contains(string(content), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// If an address is in use, serve names the flag and creates no store: the next run is the first one.
func TestFirstRun_createsTheStoreAfterAnAddressWasTaken(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.SQLite)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	address := listener.Addr().String()
	inst.WantFailure(1, []string{"listen for the API", "--api-addr", "address already in use"}, "serve", "--api-addr",
		address,
		"--admin-addr", "127.0.0.1:0")
	inst.WantFailure(1, []string{"listen for the administration", "--admin-addr", "address already in use"}, "serve",
		"--api-addr",
		"127.0.0.1:0", "--admin-addr", address)
	inst.FirstRun()
}

// serve and all other commands refuse to run with a secret key other than the one of the first run.
func TestSecretKey_refusesToStartWithAnother(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, _ := inst.FirstRun()
		p.Signal(15)
		p.Wait()

		other := filepath.Join(t.TempDir(), "other.key")
		if err := os.WriteFile(other, []byte(strings.Repeat("ab", 32)+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}

		inst.WantFailure(1, []string{"secret key"}, "serve", "--api-addr", "127.0.0.1:0", "--admin-addr", "127.0.0.1:0",
			"--secret-key-file", other)

		// Commands other than serve refuse to run, too.
		inst.WantFailure(1, []string{"secret key"}, "store", "list", "--secret-key-file", other)
		if err := os.WriteFile(other, []byte("short"), 0o600); err != nil {
			t.Fatal(err)
		}

		inst.WantFailure(1, []string{other, "32 bytes"}, "serve", "--secret-key-file", other)
		if err := os.Chmod(other, 0o644); err != nil {
			t.Fatal(err)
		}

		inst.WantFailure(1, []string{"chmod 600 " + other}, "serve", "--secret-key-file", other)

		// serve starts with the right key.
		inst.Serve("--secret-key-file", filepath.Join(inst.Data, "secret.key"))
	})
}

// The admin listener serves /healthz, /readyz and /metrics without a credential.
func TestOperations_serveHealthAndMetrics(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun()
		shop.Get("/v2/store")
		for path, want := range map[string]string{"/healthz": `"status":"ok"`, "/readyz": `"database":"ok"`,
			"/readyz/write": `"write":"ok"`,
			"/metrics":      `vitrine_http_requests_total{route="GET /v2/store",status="200"} 1`} {
			if status, body := p.GetAdmin(path); status != 200 || !strings.Contains(body, want) {
				t.Errorf("%s: %d %.200s", path, status, body)
			}
		}

		for _, path := range []string{"/healthz", "/readyz", "/readyz/write", "/metrics"} {
			if got := shop.Do("GET", path, nil).Status; got != 404 {
				t.Errorf("%s on the API listener returns %d, want 404", path, got)
			}
		}

		if status, body := p.GetAdmin("/readyz"); !strings.Contains(body, `"disk":"ok"`) {
			t.Errorf("/readyz: %d %s", status, body)
		}
	})
}
