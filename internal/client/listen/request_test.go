package listen_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"vitrine/internal/client/listen"
)

// attempt is a request that reached the admin API.
type attempt struct {
	method, key string
	connection  int
}

// failingAdmin is an admin API whose first responses to each method are wrong. It registers one receiver per
// Idempotency-Key, as the server does.
type failingAdmin struct {
	*httptest.Server
	// respondWrongly handles the first requests of each method. wrongResponses counts down how many are left.
	respondWrongly http.HandlerFunc
	wrongResponses map[string]int

	mu          sync.Mutex
	connections int
	attempts    []attempt
	receivers   map[string]bool // by Idempotency-Key
	deleted     int
}

type connectionNumber struct{}

func newFailingAdmin(t *testing.T, respondWrongly http.HandlerFunc, wrongResponses map[string]int) *failingAdmin {
	a := &failingAdmin{respondWrongly: respondWrongly, wrongResponses: wrongResponses, receivers: map[string]bool{}}
	a.Server = httptest.NewUnstartedServer(a)
	a.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.connections++
		return context.WithValue(ctx, connectionNumber{}, a.connections)
	}
	a.Start()
	t.Cleanup(a.Close)
	return a
}

func (a *failingAdmin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	a.mu.Lock()
	defer a.mu.Unlock()

	key := r.Header.Get("Idempotency-Key")
	a.attempts = append(a.attempts, attempt{r.Method, key, r.Context().Value(connectionNumber{}).(int)})

	if a.wrongResponses[r.Method] > 0 {
		a.wrongResponses[r.Method]--
		a.respondWrongly(w, r)
		return
	}

	switch r.Method {
	case http.MethodGet:
		fmt.Fprint(w, "Something to read.")
	case http.MethodPost:
		a.receivers[key] = true
		writeReceiver(w)
	case http.MethodDelete:
		a.deleted++
		w.WriteHeader(http.StatusNoContent)
	}
}

// idleConnections is the number of idle connections of the client when Listen starts.
const idleConnections = 2

// listen runs Listen with a client that has idle connections. It cancels Listen after the registration, and returns its
// error.
func (a *failingAdmin) listen(t *testing.T, l *testListener) error {
	t.Helper()
	admin, err := listen.NewAdmin(a.URL, testKey)
	if err != nil {
		t.Fatal(err)
	}

	a.openIdleConnections(t)
	ready := make(chan struct{})

	l.start(t, listen.Job{
		Client: a.Client(), Admin: admin, Types: []string{"*"}, Status: http.StatusNoContent, Out: &l.out,
		Warn: l.warnings.writeLine, Now: time.Now,
		Info: func(text string) {
			l.infos.writeLine(text)
			if strings.HasPrefix(text, "Listening at ") {
				close(ready)
			}
		},
	})

	select {
	case <-ready:
		return l.stop()
	case err := <-l.result:
		return err
	}
}

// openIdleConnections opens connections and leaves them idle. It sends all requests before it reads any response body,
// so that each request needs a new connection.
func (a *failingAdmin) openIdleConnections(t *testing.T) {
	t.Helper()
	var bodies []io.ReadCloser
	for range idleConnections {
		earlier, err := a.Client().Get(a.URL)
		if err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, earlier.Body) // its connection is in use until the body is read
	}

	for _, body := range bodies {
		_, _ = io.Copy(io.Discard, body)
		body.Close()
	}

	if a.connections != idleConnections {
		t.Fatalf("the client has %d connections, want %d", a.connections, idleConnections)
	}
}

// Listen retries after a 2xx response that does not prove the success, and after a transient failure.
func TestListen_retriesOnNewConnections(t *testing.T) {
	t.Parallel()
	for name, respondWrongly := range map[string]http.HandlerFunc{
		"an empty 200":     func(http.ResponseWriter, *http.Request) {},
		"an empty chunked": func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush() },
		"other JSON":       func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[]}`) },
		"half a receiver": func(w http.ResponseWriter,
			_ *http.Request) {
			fmt.Fprintf(w, `{"data":{"id":%q,"se`, receiverID)
		},
		"unavailable": problemHandler(503, `{"code":"unavailable","detail":"Away."}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newFailingAdmin(t, respondWrongly, map[string]int{http.MethodPost: 2, http.MethodDelete: 2})
			var l testListener
			if err := a.listen(t, &l); err != nil {
				t.Fatalf("Listen returned %v", err)
			}

			if len(a.receivers) != 1 || a.deleted != 1 ||
				!strings.Contains(l.infos.drain(), "The receiver is unregistered.") {
				t.Errorf("%d receivers are registered, %d deleted", len(a.receivers), a.deleted)
			}

			attempts := a.attempts[idleConnections:]
			key := attempts[0].key
			for i, got := range attempts {
				if i > 0 && got.connection <= max(idleConnections, attempts[i-1].connection) {
					t.Errorf("attempt %d reuses connection %d: %v", i, got.connection, attempts)
				}
				if got.method == http.MethodPost && (got.key == "" || got.key != key) {
					t.Errorf("the Idempotency-Key is %q, that of the first attempt is %q", got.key, key)
				}
			}

			if len(attempts) != 6 {
				t.Errorf("the attempts are %v, want 3 of each method", attempts)
			}
		})
	}
}

// net/http itself resends a request if an idle connection breaks, possibly on another idle connection. So this test
// does not check the connections.
func TestListen_retriesAfterBrokenConnections(t *testing.T) {
	t.Parallel()
	abort := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	a := newFailingAdmin(t, abort, map[string]int{http.MethodPost: 3, http.MethodDelete: 3})
	var l testListener
	if err := a.listen(t, &l); err != nil || len(a.receivers) != 1 || a.deleted != 1 {
		t.Errorf("with %d receivers and %d deletions Listen returned %v", len(a.receivers), a.deleted, err)
	}
}

// If the response to a deletion was lost, 404 for the next attempt proves the deletion.
func TestListen_treatsNotFoundAsDeletedAfterRetry(t *testing.T) {
	t.Parallel()
	deletions := 0
	a := newFailingAdmin(t, func(w http.ResponseWriter, r *http.Request) {
		if deletions++; deletions > 1 {
			problemHandler(404, `{"code":"not_found","detail":"No."}`)(w, r)
		}
	}, map[string]int{http.MethodDelete: 2})
	var l testListener
	err := a.listen(t, &l)
	if infos := l.infos.drain(); err != nil || !strings.Contains(infos, "The receiver is unregistered.") ||
		deletions != 2 {
		t.Errorf("after %d deletions Listen returned %v, the messages are %s", deletions, err, infos)
	}
}

// A server that is still processing the first attempt responds with idempotency_in_progress. Listen waits and retries.
func TestListen_waitsForEarlierAttempt(t *testing.T) {
	t.Parallel()
	a := newFailingAdmin(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "1")
		problemHandler(409, `{"code":"idempotency_in_progress","detail":"Wait."}`)(w, r)
	}, map[string]int{http.MethodPost: 1})
	var l testListener
	start := time.Now()
	if err := a.listen(t, &l); err != nil || len(a.receivers) != 1 {
		t.Errorf("with %d receivers Listen returned %v", len(a.receivers), err)
	}
	if took := time.Since(start); took < time.Second {
		t.Errorf("the second attempt comes after %s, want 1s", took)
	}
}

func TestListen_failsWhenResponsesProveNothing(t *testing.T) {
	t.Parallel()
	accepted := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }
	page := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html><h1>Welcome</h1>") }
	for _, c := range []struct {
		name     string
		method   string
		respond  http.HandlerFunc
		attempts int
		want     []string
	}{
		{"register, empty", http.MethodPost, func(http.ResponseWriter, *http.Request) {}, 4,
			[]string{"200 OK without a receiver", "Is this the address of a store's administration?"}},
		{"register, a page", http.MethodPost, page, 1, []string{"not from a store's administration", "localhost:8081"}},
		{"unregister, empty", http.MethodDelete, func(http.ResponseWriter, *http.Request) {}, 4,
			[]string{"is still registered", "curl -X DELETE", "200 OK instead of 204 No Content"}},
		{"unregister, accepted", http.MethodDelete, accepted, 4, []string{"is still registered", "202 Accepted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := newFailingAdmin(t, c.respond, map[string]int{c.method: 100})
			var l testListener
			err := a.listen(t, &l)

			for _, word := range c.want {
				if err == nil || !strings.Contains(err.Error(), word) {
					t.Errorf("Listen returned %v, want %q", err, word)
				}
			}

			if attempts := 100 - a.wrongResponses[c.method]; attempts != c.attempts {
				t.Errorf("the request is sent %d times, want %d", attempts, c.attempts)
			}
		})
	}
}
