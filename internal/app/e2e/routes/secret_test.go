package routes

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/tracetest"
)

// tokenPattern matches what responses show of tokens and secrets: a prefix such as sk_ or whsec_, and random text.
// Publishable keys are no secrets.
var tokenPattern = regexp.MustCompile(`\b([a-z]{2,6})_[A-Za-z0-9+/=_-]{30,}`)

// Requests to every route, with the secrets that the program takes or gives out, leave none of them in the log, in the
// metrics, in a trace, in an error or in a backup, neither as text nor as hexadecimal digits.
func TestSecrets_areInNoLogMetricTraceErrorOrBackup(t *testing.T) {
	t.Parallel()
	const metricsToken, captchaSecret = "canaryMetricsToken0123", "canaryCaptchaSecret0123"
	const collectorToken = "canaryCollectorToken0123"
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := &routeWalk{t: t}
			collector := tracetest.Start(t)

			c.Server = apitest.StartServer(t, engine, apitest.DevMode(),
				apitest.WithConfig(func(s *config.Serve) {
					s.OTLPEndpoint = collector.URL
					s.TraceSample = 1
				}),
				apitest.WithConfig(func(s *config.Serve) {
					s.MetricsToken = metricsToken
					s.OTLPHeaders = "authorization=Bearer%20" + collectorToken
				}))

			c.createOperator("owner@shop.example")
			c.DoAdmin("PUT", "/api/store/settings", `{"recaptcha": {"public_key": "p", "secret_key": "`+captchaSecret+
				`"}}`)
			secrets := map[string]bool{metricsToken: true, captchaSecret: true, collectorToken: true,
				apitest.OperatorPassword: true,
				c.Secret:                 true, c.Exchange: true, c.session: true}
			failures := c.collectSecrets(secrets)
			if len(secrets) < 10 {
				t.Fatalf("only %d secrets are found; the test proves nothing", len(secrets))
			}

			metrics := c.DoAdmin("GET", "/metrics", nil, apitest.As(metricsToken))
			if metrics.Status != http.StatusOK || !strings.Contains(string(metrics.Body), "vitrine_") {
				t.Fatalf("/metrics returns %d %s", metrics.Status, metrics.Body)
			}
			backup := c.backupText()
			if !strings.Contains(backup, c.email) {
				t.Fatal("the backup lacks the address of the operator; the test proves nothing")
			}

			c.Stop() // sends the rest of the traces
			traces := collector.Bodies()
			if got := collector.Header().Get("Authorization"); got != "Bearer "+collectorToken ||
				!strings.Contains(traces, "/v2/sync-gate/{token}") || !strings.Contains(traces, "INSERT INTO") {
				t.Fatalf("the collector got %d bytes with the authorization %q; the test proves nothing", len(traces),
					got)
			}

			for where, text := range map[string]string{"the log": c.Log.String(), "the metrics": string(metrics.Body),
				"a trace": traces, "an error": failures, "a backup": backup} {
				if len(text) < 200 {
					t.Errorf("%s has only %d bytes", where, len(text))
				}

				for secret := range secrets {
					part := secret[strings.Index(secret, "_")+1:]
					for _, form := range []string{part, hex.EncodeToString([]byte(part))} {
						if at := strings.Index(text, form); at >= 0 {
							t.Errorf("%s has the secret %s: …%q…", where, secret,
								text[max(0, at-150):min(len(text), at+80)])
						}
					}
				}
			}

			t.Logf("%d secrets", len(secrets))
		})
	}
}

// collectSecrets sends a request to every route, or to a sample without VITRINE_PROVE: once as it should be, and once
// with parameters that are refused. It adds the secrets in the responses to the set and returns the bodies of all
// errors.
func (c *routeWalk) collectSecrets(secrets map[string]bool) string {
	c.t.Helper()
	var failures strings.Builder
	for i, route := range c.listRoutes() {
		if route.Path == "/metrics" || strings.HasPrefix(route.Path, "/debug/pprof") || !promise.ProveAll() && i%4 > 0 {
			continue
		}

		route.request = c.request(route.Route)
		o := c.do(route, c.t.Context())
		for _, m := range tokenPattern.FindAllStringSubmatch(fmt.Sprint(o.header, o.body), -1) {
			if o.succeeded() && m[1] != "pk" && m[1] != "Host" {
				secrets[m[0]] = true
			}
		}

		if !o.succeeded() {
			c.t.Errorf("%s: the request of the test returns %d %s, want a success", route.name, o.status, o.body)
		}

		valid := route.request
		route.request = func() *http.Request {
			r := valid()
			r.URL.RawQuery = "page=" + c.Secret
			r.Header.Set("If-Match", c.Exchange)
			return r
		}

		if o := c.do(route, c.t.Context()); o.status >= 400 {
			fmt.Fprintln(&failures, o.body)
		}
	}

	return failures.String()
}

// backupText returns all that a backup contains: the file on SQLite, and all rows.
func (c *routeWalk) backupText() string {
	c.t.Helper()
	var text strings.Builder
	for table, rows := range c.Dump() {
		fmt.Fprintln(&text, table, strings.Join(rows, "\n"))
	}

	if c.Engine != database.SQLite {
		return text.String()
	}

	path := filepath.Join(c.t.TempDir(), "backup.db")
	if err := c.App.DB.Backup(c.t.Context(), path); err != nil {
		c.t.Fatal(err)
	}

	content, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}

	text.Write(content)
	return text.String()
}
