package check_test

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// readBundle returns the files of a diagnostics bundle by name.
func readBundle(t *testing.T, path string) map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()

	compressed, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}

	files := map[string]string{}
	for archive := tar.NewReader(compressed); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}

		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}

		name := strings.TrimPrefix(h.Name, "vitrine-diagnose/")
		if strings.HasSuffix(name, ".pprof") {
			content = gunzip(t, string(content))
		}

		files[name] = string(content)
	}
}

func gunzip(t *testing.T, text string) []byte {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// fillWithSecrets stores a secret or a personal datum wherever a store can have one, and returns them by what they are.
func fillWithSecrets(t *testing.T, p *apitest.Process, shop *apitest.Server) map[string]string {
	t.Helper()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "canary-response-of-receiver")
	}))
	t.Cleanup(receiver.Close)
	first, _ := p.FirstRunKeys()

	secrets := map[string]string{
		"secret key": shop.Secret, "publishable key": shop.Publishable, "exchange token": shop.Exchange,
		"password of the owner": first.AdminPassword, "e-mail of the owner": first.AdminEmail,
		"captcha secret": "canary-captcha-secret", "path of a receiver": "canary-receiver-path",
		"response of a receiver": "canary-response-of-receiver", "name of a customer": "Canaria Customer",
		"e-mail of a customer": "canaria@mail.example", "phone of a customer": "4915112345",
		"message of a customer": "canary-message", "name of a product": "canary-product",
		"name of the store": "canary-store", "id of a failed item": "canary-item",
	}

	settings := shop.DoAdmin("PUT", "/api/store/settings",
		`{"name": "canary-store", "recaptcha": {"public_key": "6Lc", "secret_key": "canary-captcha-secret"}}`)
	if settings.Status != 200 {
		t.Fatalf("settings: %d %s", settings.Status, settings.Body)
	}

	r := shop.DoAdmin("POST", "/api/store/webhook-receivers",
		`{"url": "`+receiver.URL+`/canary-receiver-path", "webhook_types": ["*"]}`)
	if r.Status != 201 {
		t.Fatalf("receiver: %d %s", r.Status, r.Body)
	}

	secrets["webhook secret"] = r.Text("data.secret")
	variant := shop.OK(201, "POST", "/v2/products",
		`{"name": "canary-product", "variants": [{"sku": "S", "price": 10}]}`).Text("data.variants.0.id")
	order := "/v2/orders/" + shop.OK(201, "POST", "/v2/orders", `{}`).Text("data.id")
	shop.OK(201, "POST", order+"/items", `{"variant_id": "`+variant+`", "quantity": 1}`)
	shop.OK(200, "POST", order+"/submit", `{"contact": {"name": "Canaria Customer", "phone": "+4915112345",
		"email": "canaria@mail.example"}}`)
	shop.OK(201, "POST", "/v2/feedback", `{"name": "Canaria Customer", "email": "canaria@mail.example",
		"message": "canary-message"}`)
	shop.OK(201, "POST", "/v2/interactions/callback", `{"name": "Canaria Customer", "phone": "+4915112345"}`)
	shop.OK(200, "POST", "/v2/sync-gate/products", `{"payload": [{"id": "canary-item", "name": {}}]}`,
		apitest.As(shop.Exchange))
	storetest.Eventually(t, "an attempt is stored", func() bool {
		list := shop.DoAdmin("GET", "/api/store/webhook-deliveries", nil)
		return strings.Contains(string(list.Body), "418")
	})

	return secrets
}

// A diagnostics bundle has what it lists, and none of the secrets and personal data that the program knows.
func TestDiagnose_hasNoSecretsAndNoPersonalData(t *testing.T) {
	apitest.EachInstallation(t, func(t *testing.T, inst *apitest.Installation) {
		if inst.Engine == database.Postgres {
			address, err := url.Parse(inst.Database)
			if err != nil {
				t.Fatal(err)
			}
			address.User = url.UserPassword(address.User.Username(), "canary-database-password")
			inst.Database = address.String()
		}

		p, shop := inst.FirstRun("--dev", "--metrics-token", "canary-metrics-token")
		first, _ := p.FirstRunKeys()
		secrets := fillWithSecrets(t, p, shop)
		_, session, _ := strings.Cut(p.SignIn(first.AdminEmail, first.AdminPassword), "=")

		key, err := os.ReadFile(filepath.Join(inst.Data, "secret.key"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(inst.Data, "canary-file"), []byte("canary-content"), 0o600); err != nil {
			t.Fatal(err)
		}

		secrets["session"], secrets["key of the vault"] = session, strings.TrimSpace(string(key))
		if session == "" || secrets["webhook secret"] == "" {
			t.Fatal("there is no session or no webhook secret")
		}

		file := filepath.Join(t.TempDir(), "bundle.tar.gz")
		cmd := inst.Command("diagnose", file, "--admin-addr", strings.TrimPrefix(p.AdminURL, "http://"), "--dev",
			"--listen-database", "postgres://canary-user:canary-listen-password@canary-host/canary-database",
			"--blob", "s3://canary-bucket/?endpoint=https://canary-host", "--captcha-verify-url",
			"https://canary-captcha/",
			"--sms-url", "https://canary-sms/?token=canary-sms-token", "--public-writes-per-minute", "77",
			"--api-addr", "canary-listener:8443")
		cmd.Env = append(cmd.Env, "VITRINE_METRICS_TOKEN=canary-metrics-token",
			"VITRINE_SMTP=smtp://canary-mail-user:canary-mail-password@canary-mail:587?from=canary-from@mail.example",
			"VITRINE_BLOB_ACCESS_KEY=canary-access", "VITRINE_BLOB_SECRET_KEY=canary-blob-secret",
			"VITRINE_DATABASE_REPLICA=postgres://u:canary-replica-password@canary-replica/x")

		run := apitest.Launch(t, cmd)
		if code := run.Wait(); code != 0 {
			t.Fatalf("vitrine diagnose exits with %d: %s", code, run.Stderr)
		}
		if run.Stderr.String() != "" {
			t.Errorf("vitrine diagnose prints %s", run.Stderr)
		}

		files := readBundle(t, file)
		files["standard output"] = strings.ReplaceAll(run.Stdout.String(), file, "")
		for name, content := range files {
			for what, secret := range secrets {
				if strings.Contains(strings.ToLower(content), strings.ToLower(secret)) {
					t.Errorf("%s contains %s: %s", name, what, secret)
				}
			}

			if at := regexp.MustCompile(`(?i).{0,40}canar.{0,40}`).FindString(content); at != "" {
				t.Errorf("%s contains %q", name, at)
			}
			if strings.Contains(content, inst.Data) {
				t.Errorf("%s contains the path of the data directory", name)
			}
		}

		for name, pattern := range map[string]string{
			"README.txt": "no secrets and no personal data", "version.json": `"go": "go1\.`,
			"settings.json": `"value": "loopback:\d+"(?s:.*)"api-addr",\s+"value": "hidden:8443"(?s:.*)` +
				`"public-writes-per-minute",\s+"value": "77"(?s:.*)"name": "smtp"\s+\}`,
			"system.json": `"free_bytes": \d+`, "files.json": `"other": \{\s+"files": 1,\s+"bytes": 14`,
			"schema.json": `"engine": "` + inst.Engine + `"(?s:.*)"pending": \[\]`, "rows.json": `"orders": 1\b`,
			"jobs.json": `"state": "`, "runs.json": `"count": 1`, "deliveries.json": `"code": "418"`,
			"attempts.json": `"code": "418"`, "integrity.json": `"quick_check": "`, "readyz.json": `"database":"ok"`,
			"readyz-write.json": `"write":"ok"`, "metrics.txt": `vitrine_http_requests_total\{`,
			"goroutines.txt": `goroutine profile: total \d+`, "heap.pprof": `inuse_space`,
			"standard output": "no secrets and no personal data",
		} {
			if !regexp.MustCompile(pattern).MatchString(files[name]) {
				t.Errorf("%s does not match %s: %.600s", name, pattern, files[name])
			}
		}

		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the bundle has the mode %v, %v", info.Mode(), err)
		}

		inst.WantFailure(1, []string{"exists"}, "diagnose", file)
		inst.WantFailure(1, []string{"must end in .tar.gz"}, "diagnose", file+".zip")
	})
}

// Without a server, and without a database, the bundle has the rest. The command names what is missing and creates no
// database. The bundle has no text of an error, which may contain addresses.
func TestDiagnose_worksWithoutServerAndDatabase(t *testing.T) {
	inst := apitest.NewInstallation(t, database.SQLite)
	inst.Data = filepath.Join(t.TempDir(), "canary-data")
	file := filepath.Join(t.TempDir(), "bundle.tar.gz")
	run := apitest.Launch(t, inst.Command("diagnose", file, "--admin-addr", "127.0.0.1:1"))
	if code := run.Wait(); code != 0 {
		t.Fatalf("vitrine diagnose exits with %d: %s", code, run.Stderr)
	}

	for _, name := range []string{"schema.json", "rows.json", "integrity.json", "readyz.json", "metrics.txt"} {
		if !strings.Contains(run.Stderr.String(), name+" is missing: ") {
			t.Errorf("the command does not say that %s is missing: %s", name, run.Stderr)
		}
	}

	files := readBundle(t, file)
	if files["rows.json"] != "" || files["system.json"] == "" || files["settings.json"] == "" {
		t.Errorf("the bundle has %v", files)
	}
	if !regexp.MustCompile(`rows.json .*\(missing`).MatchString(files["README.txt"]) {
		t.Errorf("README.txt does not say what is missing: %s", files["README.txt"])
	}

	for name, content := range files {
		if strings.Contains(content, "canary") {
			t.Errorf("%s contains the path of the data directory", name)
		}
	}

	if _, err := os.Stat(inst.Data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data directory was created: %v", err)
	}
}

func TestDiagnose_namesTheStateOfTheImageStorage(t *testing.T) {
	t.Parallel()
	inst := apitest.NewInstallation(t, database.SQLite)
	p, shop := inst.FirstRun()
	shop.OK(201, "POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type", "image/png"))
	p.Signal(syscall.SIGTERM)
	p.Wait()

	empty := t.TempDir()
	for folder, want := range map[string]string{
		filepath.Join(inst.Data, "blobs"): "own", empty: "unmarked", filepath.Join(empty, "missing"): "missing",
	} {
		file := filepath.Join(t.TempDir(), "bundle.tar.gz")
		inst.Run("diagnose", "--blob", folder, "--admin-addr", "127.0.0.1:1", file)
		if got := readBundle(t, file)["images.json"]; !strings.Contains(got, `"storage": "`+want+`"`) ||
			!strings.Contains(got, `"place": "folder"`) || strings.Contains(got, folder) {
			t.Errorf("images.json of %s is %s, want %s", folder, got, want)
		}
	}

	if _, err := os.Stat(filepath.Join(empty, "missing")); !os.IsNotExist(err) {
		t.Errorf("diagnose created the folder: %v", err)
	}
}
