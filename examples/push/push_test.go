package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"vitrine/internal/testkit/apitest"
)

// runScript runs push.sh and returns its output.
func runScript(t *testing.T, to, token string) (string, error) {
	cmd := exec.CommandContext(t.Context(), "bash", "push.sh")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "VITRINE_TO=" + to, "VITRINE_EXCHANGE_TOKEN=" + token}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// runProgram runs the Go program and returns its output.
func runProgram(t *testing.T, to, token string) (string, error) {
	var out bytes.Buffer
	err := run(t.Context(), to, token, 150, &out)
	return out.String(), err
}

// Both programs fill a store: the script pushes a small catalogue with products before the entities they refer to, the
// Go program any number of products.
func TestExamples_fillStore(t *testing.T) {
	apitest.Each(t, func(t *testing.T, s *apitest.Server) {
		script := func(token string) (string, error) { return runScript(t, s.URL, token) }
		out, err := script(s.Exchange)
		if err != nil || strings.Count(out, `"failed":0`) != 7 {
			t.Fatalf("the script failed with %v: %s", err, out)
		}

		shirt := s.Get("/v2/products?q=T-shirt&with=variants,categories,features")
		if shirt.Text("data.0.categories.0.name") != "Tops" || shirt.Text("data.0.features.0.value.name") != "Cotton" ||
			shirt.Text("data.0.variants.0.options.0.value.name") != "S" ||
			shirt.Text("data.0.variants.0.price") != "17.5" ||
			shirt.Text("data.0.variants.0.remainders.0.quantity") != "11" {
			t.Errorf("the T-shirt is %s", shirt.Body)
		}

		if out, err = script(s.Exchange); err != nil ||
			!strings.Contains(out, `"created":0,"updated":1,"unchanged":1`) {
			t.Errorf("the second run of the script failed with %v: %s", err, out)
		}

		if out, err = script(s.Secret); err == nil || !strings.Contains(out, "invalid_exchange_token") {
			t.Errorf("with a secret key the script ended with %v: %s", err, out)
		}

		for _, want := range []string{
			"150 received, 150 created", "150 received, 0 created, 0 updated, 150 unchanged, 0 failed",
		} {
			var out bytes.Buffer
			if err := run(t.Context(), s.URL, s.Exchange, 150, &out); err != nil ||
				!strings.Contains(out.String(), want) {
				t.Errorf("the program ended with %v and printed %s, want %s", err, out.String(), want)
			}
		}

		if err := run(t.Context(), s.URL, s.Secret, 150, &bytes.Buffer{}); err == nil ||
			!strings.Contains(err.Error(), "401") {
			t.Errorf("with a secret key the program ended with %v", err)
		}
	})
}

// A response without a run is a failure, and the next attempt uses a new connection. The server responds with c.status
// and c.body to all requests on its first c.empty connections, and with a run on later connections.
func TestExamples_retryWithoutRun(t *testing.T) {
	t.Parallel()
	programs := map[string]func(t *testing.T, to, token string) (string, error){
		"script": runScript, "program": runProgram,
	}
	for name, push := range programs {
		for _, c := range []struct {
			status   int
			body     string
			empty    int64
			attempts int64 // expected number of requests that push products
			ok       bool
		}{
			{200, "", 1, 2, true},
			{204, "", 1, 2, true},
			{200, `{"data":{}}`, 1, 2, true},
			{200, "", 100, 3, false},
			{200, "<html>", 100, 3, false},
		} {
			t.Run(fmt.Sprintf("%s/%d times %d %q", name, c.empty, c.status, c.body), func(t *testing.T) {
				t.Parallel()
				var connections, products atomic.Int64

				server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					if strings.HasSuffix(r.URL.Path, "/products") {
						products.Add(1)
					}

					if r.Context().Value(connectionNumber{}).(int64) <= c.empty {
						w.WriteHeader(c.status)
						_, _ = io.WriteString(w, c.body)
						return
					}

					_, _ = io.WriteString(w, `{"data": {"entity": "x", "id": "018f", "received": 150}}`)
				}))

				server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
					return context.WithValue(ctx, connectionNumber{}, connections.Add(1))
				}
				server.Start()
				defer server.Close()

				out, err := push(t, server.URL, "xt_any")
				if products.Load() != c.attempts || (err == nil) != c.ok || strings.Contains(out, "018f") != c.ok {
					t.Errorf("after %d attempts it ended with %v and printed %s", products.Load(), err, out)
				}
				if !c.ok && !strings.Contains(fmt.Sprint(err, out), "the address of a store") {
					t.Errorf("it ended with %v and printed %s, which does not mention the address", err, out)
				}
			})
		}
	}
}

// If a response is empty, the script does not use the run of the previous response instead.
func TestScript_ignoresEarlierRun(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/products") {
			_, _ = io.WriteString(w, `{"data": {"id": "018f"}}`)
		}
	}))
	defer server.Close()
	if out, err := runScript(t, server.URL, "xt_any"); err == nil ||
		!strings.Contains(out, "push of variant-options contains no run") {
		t.Errorf("the script ended with %v and printed %s", err, out)
	}
}

type connectionNumber struct{}
