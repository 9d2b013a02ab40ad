package push_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vitrine/internal/client/push"
	"vitrine/internal/kit/fault"
)

// connectionNumber is the context key of a request's connection number, which counts the connections of the server from
// 1.
type connectionNumber struct{}

// newCountingServer starts a server on loopback that counts its TCP connections.
func newCountingServer(t *testing.T, handler http.Handler) (server *httptest.Server, connections *atomic.Int64) {
	t.Helper()
	connections = &atomic.Int64{}
	server = httptest.NewUnstartedServer(handler)
	server.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, connectionNumber{}, connections.Add(1))
	}
	server.Start()
	t.Cleanup(server.Close)
	return server, connections
}

// onFirstConnection reports whether a request came over the server's first connection.
func onFirstConnection(r *http.Request) bool {
	return r.Context().Value(connectionNumber{}) == int64(1)
}

// emptyResponses are the kinds of an empty 2xx response. All of them leave the connection open for another request.
var emptyResponses = map[string]func(w http.ResponseWriter){
	"Content-Length: 0": func(http.ResponseWriter) {},
	"chunked":           func(w http.ResponseWriter) { w.(http.Flusher).Flush() },
	"204":               func(w http.ResponseWriter) { w.WriteHeader(http.StatusNoContent) },
	"white space":       func(w http.ResponseWriter) { fmt.Fprint(w, " \r\n") },
}

func TestPush_retriesOnNewConnectionAfterEmptyResponse(t *testing.T) {
	t.Parallel()
	for name, empty := range emptyResponses {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := &fakeGate{}
			server, connections := newCountingServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if onFirstConnection(r) {
					_, _ = io.Copy(io.Discard, r.Body)
					empty(w)
					return
				}
				g.ServeHTTP(w, r)
			}))
			p := newTestJob(t, g, "products.ndjson", numberedItems(3))
			p.Client = server.Client()
			p.Retries = 1
			p.Gate, _ = push.NewGate(server.URL, token)

			if r := p.mustPush(t); r.Received != 3 || len(g.applied) != 3 {
				t.Errorf("the report is %+v, the applied items are %v", r, g.applied)
			}
			if n := connections.Load(); n != 2 {
				t.Errorf("the client opened %d connections, want 2", n)
			}
			if notices := strings.Join(p.notices, "\n"); !strings.Contains(notices, "without a run") {
				t.Errorf("the notices are %q", notices)
			}
		})
	}
}

// transportWithoutClose is a RoundTripper without the method CloseIdleConnections.
type transportWithoutClose struct{ http.RoundTripper }

// A RoundTripper of the caller may not implement CloseIdleConnections. The second attempt then reuses the bad
// connection, and the third one must not.
func TestPush_abandonsBadConnectionWithoutCloseIdleConnections(t *testing.T) {
	t.Parallel()
	g := &fakeGate{}
	server, connections := newCountingServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if onFirstConnection(r) {
			_, _ = io.Copy(io.Discard, r.Body)
			return
		}
		g.ServeHTTP(w, r)
	}))
	p := newTestJob(t, g, "products.ndjson", numberedItems(3))
	p.Client = &http.Client{Transport: transportWithoutClose{server.Client().Transport}}
	p.Retries = 2
	p.Gate, _ = push.NewGate(server.URL, token)

	if r := p.mustPush(t); r.Received != 3 || connections.Load() != 2 {
		t.Errorf("with %d connections the report is %+v", connections.Load(), r)
	}
}

// Polls of a run and requests for rejects are retried on new connections, too.
func TestPush_retriesRunAndRejectsAfterEmptyResponse(t *testing.T) {
	t.Parallel()
	g := &fakeGate{polls: 1}
	emptied := map[string]bool{}
	server, connections := newCountingServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet && !emptied[r.URL.Path] {
			emptied[r.URL.Path] = true
			return
		}
		g.ServeHTTP(w, r)
	}))
	p := newTestJob(t, g, "products.ndjson", numberedItems(2)+`{"id":3,"bad":1}`)
	p.Client = server.Client()
	p.Async = true
	p.Gate, _ = push.NewGate(server.URL, token)

	if r := p.mustPush(t); r.Received != 3 || r.Failed != 1 || readFile(t, p.Rejects) != "{\"id\":3,\"bad\":1}\n" {
		t.Errorf("the report is %+v, the rejects are %q", r, readFile(t, p.Rejects))
	}

	// The push and the empty response to the first poll share a connection. Each later request has its own: the second
	// poll and two requests for rejects.
	if n := connections.Load(); n != 4 {
		t.Errorf("the client opened %d connections, want 4", n)
	}
	if len(emptied) != 2 {
		t.Errorf("the paths with an empty response are %v", emptied)
	}
}

// The number of attempts depends on the content of the unexpected 2xx response.
func TestPush_retriesUnexpectedResponsesByContent(t *testing.T) {
	const (
		all     = 1 + testRetries
		address = "Is this the address of a store's API?"
	)
	run := `{"data":{"id":"run-1","status":"completed","received":3,"created":3}}`
	for name, c := range map[string]struct {
		status      int
		mime, body  string
		tries       int
		code, words string
		atMost      time.Duration
	}{
		"empty":      {200, "", "", all, "empty_answer", "200 OK without a run", 3 * time.Minute},
		"no content": {204, "", "", all, "empty_answer", "204 No Content without a run", 3 * time.Minute},
		"cut off":    {200, "application/json", run[:30], all, "incomplete_answer", "cut off", 3 * time.Minute},
		"a page":     {200, "text/html", "<!doctype html><h1>Welcome</h1>", 1, "not_a_gate", address, 0},
		"a text":     {200, "text/plain", "OK", 3, "not_a_gate", address, 2 * time.Second},
		"other JSON": {200, "application/json", `{"data":[]}`, 3, "not_a_gate", address, 2 * time.Second},
		"a run without id": {
			200, "application/json", `{"data":{"received":3}}`, 3, "not_a_gate", address, 2 * time.Second,
		},
		"another status": {201, "application/json", run, 3, "not_a_gate", "201 Created", 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := &fakeGate{intercept: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
					if c.mime != "" {
						w.Header().Set("Content-Type", c.mime)
					}
					w.WriteHeader(c.status)
					_, _ = io.WriteString(w, c.body)
					return true
				}}
				p := newTestJob(t, g, "products.ndjson", numberedItems(3))
				start := time.Now()
				_, err := push.Push(t.Context(), p.Job)

				var f *fault.Error
				if !errors.As(err, &f) || f.Code != c.code || !strings.Contains(f.Message, c.words) {
					t.Errorf("Push returned %v, want the code %s and the text %q", err, c.code, c.words)
				}

				if took := time.Since(start); g.pushes != c.tries || took > c.atMost {
					t.Errorf("the request is sent %d times in %s, want %d times in at most %s", g.pushes, took, c.tries,
						c.atMost)
				}
			})
		})
	}
}

// Standard input cannot be sent again. The error contains both the first failure and that reason.
func TestPush_failsOnStandardInputAfterEmptyResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &fakeGate{intercept: func(_ int, _ http.ResponseWriter, r *http.Request) bool {
			_, _ = io.Copy(io.Discard, r.Body)
			return true
		}}
		p := newTestJob(t, g, "x", "")
		p.File, p.Input, p.Atomic = push.Stdin, strings.NewReader(numberedItems(3)), true

		_, err := push.Push(t.Context(), p.Job)
		if err == nil || !strings.Contains(err.Error(), "without a run") ||
			!strings.Contains(err.Error(), "read twice") {
			t.Errorf("Push returned %v", err)
		}

		if g.pushes != 1 {
			t.Errorf("the request is sent %d times", g.pushes)
		}
	})
}

// A push succeeds even if its rejects cannot be fetched, because the items are pushed.
func TestPush_reportsRejectsThatCannotBeFetched(t *testing.T) {
	for name, c := range map[string]struct {
		mime, body, words string
		tries             int
	}{
		"empty":       {"", "", "without the failed items", 1 + testRetries},
		"none":        {"application/x-ndjson", "", "returned none of the failed items", 3},
		"other lines": {"text/plain", "{}\n", "is not from an exchange gate", 3},
		"a page":      {"text/html", "<html>", "is not from an exchange gate", 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tries := 0
				g := &fakeGate{interceptRejects: func(w http.ResponseWriter) {
					tries++
					if c.mime != "" {
						w.Header().Set("Content-Type", c.mime)
					}
					_, _ = io.WriteString(w, c.body)
				}}
				p := newTestJob(t, g, "products.ndjson", numberedItems(2)+`{"id":3,"bad":1}`)
				if r := p.mustPush(t); r.Failed != 1 || r.Rejects != "" || readFile(t, p.Rejects) != "" {
					t.Errorf("the report is %+v, the rejects are %q", r, readFile(t, p.Rejects))
				}

				if tries != c.tries {
					t.Errorf("the rejects are requested %d times, want %d", tries, c.tries)
				}

				notices := strings.Join(p.notices, "\n")
				if !strings.Contains(notices, "could not be fetched") || !strings.Contains(notices, c.words) {
					t.Errorf("the notices are %q, want %q", notices, c.words)
				}
			})
		})
	}
}

// If a poll returns a different run, Push polls again.
func TestPush_pollsAgainAfterAnotherRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := &fakeRun{status: "completed", received: 7}
		polls := 0
		g := &fakeGate{polls: 1, runs: []*fakeRun{other}, interceptRun: func(w http.ResponseWriter) bool {
			if polls++; polls > 1 {
				return false
			}

			fmt.Fprint(w, `{"data":{"id":"run-1","status":"completed","received":7,"created":7}}`)
			return true
		}}
		p := newTestJob(t, g, "products.ndjson", numberedItems(3))
		p.Async = true
		if r := p.mustPush(t); r.Received != 3 || polls != 2 {
			t.Errorf("after %d polls the report is %+v", polls, r)
		}
	})
}
