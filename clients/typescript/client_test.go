package typescript_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"vitrine/internal/kit/captcha"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/browsertest"
	"vitrine/internal/testkit/captchatest"
)

// maxPackedBytes is how large the JavaScript of the package may be, packed by gzip.
const maxPackedBytes = 8 << 10

// environment is what test/suite.mjs needs to know.
type environment struct {
	URL     string `json:"url"`
	Key     string `json:"key"`
	Harness string `json:"harness"`
	// ClockError is by how many milliseconds the clock of the client is wrong.
	ClockError int64 `json:"clockError"`
}

// newShop starts a store with three products and protects all four actions by a captcha. The harness serves the files
// of the client, captcha tokens, and the codes that were sent by mail.
func newShop(t *testing.T) environment {
	t.Helper()
	provider := captchatest.New(t)
	site := provider.Site(captcha.RecaptchaV3, "shop.example")
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.Dev, c.CaptchaVerifyURL = true, provider.URL()
	}))
	actions := []map[string]any{{"id": "order_submission"}, {"id": "passwordless_request"}, {"id": "feedback_request"},
		{"id": "callback_request"}}
	protected := s.DoAdmin("PUT", "/api/store/settings", map[string]any{"name": "North",
		"site_url": "https://shop.example", "recaptcha": map[string]any{"active": true, "public_key": site.PublicKey,
			"secret_key": site.SecretKey, "actions": actions}})
	if protected.Status != http.StatusOK {
		t.Fatalf("the response to the settings is %s", protected.Body)
	}

	for _, push := range [][2]string{
		{"categories", `{"payload": [{"id": "light", "name": "Lighting"}]}`},
		{"features", `{"payload": [{"id": "m", "name": "Material", "filterable": true, "values": [{"id": "c", ` +
			`"name": "Cotton"}, {"id": "w", "name": "Wool"}]}, {"id": "p", "name": "Power, W", "filterable": true, ` +
			`"field_type": "range", "values": [{"id": 5, "name": 5}]}]}`},
		{"variant-options", `{"payload": [{"id": "s", "name": "Size", "values": [{"id": "s", "name": "S"}, ` +
			`{"id": "l", "name": "L"}]}]}`},
		{"products", `{"payload": [
			{"id": 1, "name": "Cotton shirt", "single_variant": true, "variant_price": 20,
				"features": [{"id": "m", "value_id": "c"}], "modifiers": [{"id": "wrap", "name": "Gift wrap", "max": 1,
					"items": [{"id": "paper", "name": "Paper", "price": 2}]}]},
			{"id": 2, "name": "Wool shirt", "features": [{"id": "m", "value_id": "w"}], "variants": [
				{"id": 1, "sku": "W-S", "price": 30, "options": [{"id": "s", "value_id": "s"}]},
				{"id": 2, "sku": "W-L", "price": 35.5, "options": [{"id": "s", "value_id": "l"}],
					"remainders": [{"stock_id": "near", "quantity": 3}]}]},
			{"id": 3, "name": "Lamp", "single_variant": true, "variant_price": 10, "categories": ["light"],
				"features": [{"id": "p", "value_id": 5}]}]}`},
	} {
		run := s.OK(200, "POST", "/v2/sync-gate/"+push[0], push[1], apitest.As(s.Exchange))
		if run.Text("data.failed") != "0" || run.Text("data.warnings") != "0" {
			t.Fatalf("the response to the push of %s is %s", push[0], run.Body)
		}
	}

	s.OK(http.StatusCreated, "POST", "/v2/redirects", `{"from": "/lighting", "to": "/c/lighting"}`,
		apitest.As(s.Secret))

	return environment{URL: s.URL, Key: s.Publishable, Harness: newHarness(t, s, site)}
}

// newHarness serves what only a test can do, and returns its address.
func newHarness(t *testing.T, s *apitest.Server, site *captchatest.Site) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServer(http.Dir(".")))
	mux.HandleFunc("GET /captcha.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, `window.grecaptcha = {
			ready: (then) => then(),
			execute: (key, { action }) => key === %q && fetch("/token?action=" + action).then((answer) => answer.text()),
		}`, r.FormValue("render"))
	})

	mux.HandleFunc("GET /token", func(w http.ResponseWriter, r *http.Request) {
		answer := site.GoodAnswer(r.FormValue("action"))
		if r.FormValue("bad") != "" {
			answer.Score = "0.1"
		}
		_, _ = io.WriteString(w, site.TokenFor(answer))
	})

	code := regexp.MustCompile(`\b\d{6}\b`)
	mux.HandleFunc("GET /code", func(w http.ResponseWriter, _ *http.Request) {
		text := s.DoAdmin("GET", "/api/store/mailbox", nil).Text("data.0.text")
		_, _ = io.WriteString(w, code.FindString(text))
	})

	harness := httptest.NewServer(mux)
	t.Cleanup(harness.Close)
	return harness.URL
}

// outcome is what test/suite.mjs returns.
type outcome struct {
	Passed   int      `json:"passed"`
	Failures []string `json:"failures"`
}

func (o outcome) check(t *testing.T) {
	t.Helper()
	for _, failure := range o.Failures {
		t.Error(failure)
	}
	if o.Passed < 10 && len(o.Failures) == 0 {
		t.Errorf("only %d tests ran", o.Passed)
	}
}

// The clock of this visitor is ten years ahead, as on a machine whose battery has failed it is years behind.
func TestClient_worksInBrowserWithAWrongClock(t *testing.T) {
	t.Parallel()
	env := newShop(t)
	env.ClockError = (10 * 365 * 24 * time.Hour).Milliseconds()
	text, err := json.Marshal(env)
	if err != nil {
		t.Fatal(err)
	}

	tab := browsertest.Open(t)
	if err := chromedp.Do(tab, chromedp.Navigate(env.Harness+"/test/")); err != nil {
		t.Fatal(err)
	}

	got, err := chromedp.Run(tab, chromedp.Evaluate[outcome](
		fmt.Sprintf(`import("/test/suite.mjs").then(({ run }) => run(%s))`, text), chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	got.check(t)
}

// Debian 12 has Node 18, which the client does not support, so make test does not need Node: make clients does.
func TestClient_worksInNode(t *testing.T) {
	t.Parallel()
	node, err := exec.Command("node", "--print", "parseInt(process.versions.node) >= 20").Output()
	if err != nil || string(node) != "true\n" {
		if os.Getenv("VITRINE_CLIENTS") != "" {
			t.Fatalf("Node 20 is not installed: %s %v", node, err)
		}
		t.Log("Node 20 is not installed, so the client is tested in Chromium only; make clients tests it in Node")
		return
	}

	text, err := json.Marshal(newShop(t))
	if err != nil {
		t.Fatal(err)
	}

	command := exec.Command("node", "test/node.mjs", string(text))
	command.Stderr = t.Output()
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}

	var got outcome
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got.check(t)
}

// byteCount counts what is written to it.
type byteCount int

func (c *byteCount) Write(p []byte) (int, error) {
	*c += byteCount(len(p))
	return len(p), nil
}

func TestClient_isSmall(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("src/*.js")
	if err != nil || len(files) < 2 {
		t.Fatalf("the files are %v: %v", files, err)
	}

	var packed byteCount
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}

		z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := z.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	}

	t.Logf("%v have %d bytes, packed", files, packed)
	if packed > maxPackedBytes {
		t.Errorf("%v have %d bytes, packed; at most %d are promised", files, packed, maxPackedBytes)
	}
}
