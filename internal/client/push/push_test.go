package push_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"vitrine/internal/client/push"

	"github.com/google/go-cmp/cmp"
)

// Indexes and lines in the report refer to the file, not to the request.
func TestPush_splitsFileIntoRequestsAndSumsReport(t *testing.T) {
	g := &fakeGate{}
	text := strings.Replace(numberedItems(12), `{"id":8}`, `{"id":8,"bad":1}`, 1)
	text = strings.Replace(text, `{"id":11}`, "\n"+`{"id":11,"odd":1}`, 1)
	p := newTestJob(t, g, "products.ndjson", text)
	p.Items = 5
	r := p.mustPush(t)
	var sizes []int

	for _, b := range g.batches {
		sizes = append(sizes, len(b))
	}

	if !cmp.Equal(sizes, []int{5, 5, 2}) || g.paths[0] != "/v2/sync-gate/products" || g.queries[0] != "" {
		t.Errorf("the requests have %v items, their paths are %v and their queries %v", sizes, g.paths, g.queries)
	}

	if r.Requests != 3 || r.Received != 12 || r.Created != 11 || r.Failed != 1 || r.Warnings != 1 ||
		!cmp.Equal(r.Runs, []string{"run-1", "run-2", "run-3"}) {
		t.Errorf("the report is %+v", r)
	}

	if len(r.Errors) != 1 || *r.Errors[0].Index != 7 || r.Errors[0].Line != 8 || r.Errors[0].IDText() != "8" ||
		r.Errors[0].Code != "bad_item" {
		t.Errorf("the errors are %+v", r.Errors)
	}

	if len(r.WarningsList) != 1 || *r.WarningsList[0].Index != 10 || r.WarningsList[0].Line != 12 ||
		!cmp.Equal(r.IgnoredFields, []string{"odd"}) {
		t.Errorf("the warnings are %+v, the ignored fields %v", r.WarningsList, r.IgnoredFields)
	}

	if got := readFile(t, p.Rejects); r.Rejects != p.Rejects || got != "{\"id\":8,\"bad\":1}\n" {
		t.Errorf("the rejects in %s are %s", r.Rejects, got)
	}
	if last := p.progress[len(p.progress)-1]; last.Bytes != last.Size || last.Items != 12 {
		t.Errorf("the last progress is %+v", last)
	}
	if readFile(t, push.StateFile(p.File)) != "" {
		t.Error("the state file exists after the push")
	}
}

func TestPush_limitsRequestBytes(t *testing.T) {
	g := &fakeGate{}
	p := newTestJob(t, g, "products.ndjson",
		`{"id":1}`+"\n"+`{"id":2,"name":"`+strings.Repeat("x", 200)+`"}`+"\n"+`{"id":3}`+"\n"+`{"id":4}`)
	p.Bytes = 100
	p.mustPush(t)
	var got []int
	for _, b := range g.batches {
		got = append(got, len(b))
	}
	if !cmp.Equal(got, []int{1, 1, 2}) {
		t.Errorf("the requests have %v items", got)
	}
}

// itemGenerator is a reader that generates numbered items and counts them. It is safe for concurrent use, because the
// transport may still read after the request was rejected.
type itemGenerator struct {
	mu                   sync.Mutex
	remaining, generated int
	buf                  bytes.Buffer
}

// empty reports whether all items were generated.
func (m *itemGenerator) empty() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.remaining == 0
}

func (m *itemGenerator) Read(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.buf.Len() < len(p) && m.remaining > 0 {
		m.remaining--
		m.generated++
		fmt.Fprintf(&m.buf, "{\"id\":%d,\"name\":\"A product with a name of some length\"}\n", m.generated)
	}
	return m.buf.Read(p)
}

// Push reads ahead by at most one request and its buffers, however long the input is.
func TestPush_readsAheadAtMostOneRequest(t *testing.T) {
	const maxReadAhead = 5_000 // items: 1,000 in a request, about 2,200 in two buffers of 64 KiB, and 1,800 as a margin
	for _, atomic := range []bool{false, true} {
		g, in := &fakeGate{}, &itemGenerator{remaining: 12_000}
		p := newTestJob(t, g, "x", "")
		p.File = push.Stdin
		p.Input = in
		p.Rejects = ""
		p.Items = 1_000
		p.Atomic = atomic
		readAhead := 0
		p.Progress = func(now push.Progress) { readAhead = max(readAhead, in.generated-int(now.Items)) }

		if r := p.mustPush(t); r.Received != 12_000 {
			t.Errorf("the report counts %d items, want 12,000", r.Received)
		}
		if readAhead > maxReadAhead {
			t.Errorf("atomic=%t: %d items are read ahead", atomic, readAhead)
		}
		if !strings.Contains(strings.Join(p.notices, " "), "cannot be resumed") {
			t.Error("no notice says that standard input cannot be resumed")
		}
	}
}

// Push retries after the delay that the gate asks for, and each item is applied once.
func TestPush_retriesTransientFailures(t *testing.T) {
	for name, c := range map[string]struct {
		respond func(w http.ResponseWriter)
		waits   time.Duration // expected sum of the delays before the second and the third attempt
	}{
		"server busy": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "7")
			writeProblem(w, 503, "busy", "Busy.", nil)
		}, 14 * time.Second},
		"rate limit": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "60")
			writeProblem(w, 429, "too_many", "Slow down.", nil)
		}, 2 * time.Minute},
		"internal error": {
			func(w http.ResponseWriter) { writeProblem(w, 500, "internal", "", nil) }, 1500 * time.Millisecond,
		},
		"bad gateway of a proxy": {
			func(w http.ResponseWriter) { http.Error(w, "Bad gateway", http.StatusBadGateway) },
			1500 * time.Millisecond,
		},
	} {
		for _, atomic := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/whole=%t", name, atomic), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := &fakeGate{intercept: func(n int, w http.ResponseWriter, r *http.Request) bool {
						if n > 2 {
							return false
						}
						_, _ = io.Copy(io.Discard, r.Body)
						c.respond(w)
						return true
					}}
					p := newTestJob(t, g, "products.ndjson", numberedItems(3))
					p.Atomic = atomic
					start := time.Now()
					if r := p.mustPush(t); r.Received != 3 || len(g.applied) != 3 || len(p.notices) != 2 {
						t.Errorf("the applied items are %v, the notices %v", g.applied, p.notices)
					}

					if took := time.Since(start); took != c.waits {
						t.Errorf("the push takes %s, want %s", took, c.waits)
					}
				})
			})
		}
	}
}

func TestPush_failsAfterAllRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &fakeGate{intercept: func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			writeProblem(w, 503, "busy", "Busy.", nil)
			return true
		}}
		p := newTestJob(t, g, "products.ndjson", numberedItems(3))
		p.mustFail(t, "busy")
		if g.pushes != 1+testRetries {
			t.Errorf("the request is sent %d times", g.pushes)
		}

		// A network failure is retried, too.
		p.Client = &http.Client{Transport: failingTransport{}}
		p.mustFail(t, "unreachable")

		// Standard input cannot be read again.
		p = newTestJob(t, &fakeGate{intercept: func(n int, w http.ResponseWriter, r *http.Request) bool {
			_, _ = io.Copy(io.Discard, r.Body)
			writeProblem(w, 503, "busy", "Busy.", nil)
			return true
		}}, "x", "")
		p.File, p.Input, p.Atomic = push.Stdin, strings.NewReader(numberedItems(3)), true
		if _, err := push.Push(t.Context(), p.Job); err == nil || !strings.Contains(err.Error(), "read twice") {
			t.Errorf("Push of standard input returned %v", err)
		}
	})
}

type failingTransport struct{}

func (failingTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, io.ErrUnexpectedEOF
}

func TestPush_doesNotRetryPermanentFailures(t *testing.T) {
	for code, respond := range map[string]func(w http.ResponseWriter){
		"invalid_exchange_token": func(w http.ResponseWriter) {
			writeProblem(w, 401, "invalid_exchange_token", "No.", nil)
		},
		"missing_scope": func(w http.ResponseWriter) { writeProblem(w, 403, "missing_scope", "Not this.", nil) },
		"not_a_gate":    func(w http.ResponseWriter) { fmt.Fprint(w, "<h1>Welcome</h1>") },
		"redirected": func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://elsewhere.example")
			w.WriteHeader(301)
		},
	} {
		g := &fakeGate{intercept: func(_ int, w http.ResponseWriter, _ *http.Request) bool { respond(w); return true }}
		p := newTestJob(t, g, "products.ndjson", numberedItems(3))
		p.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		p.mustFail(t, code)

		if g.pushes != 1 {
			t.Errorf("%s: the request is sent %d times", code, g.pushes)
		}
	}
}

// A resumed push continues after the last saved request, and its report covers both pushes.
func TestPush_resumesAfterInterruption(t *testing.T) {
	text := strings.Replace(numberedItems(10), `{"id":2}`, `{"id":2,"bad":1}`, 1)
	text = strings.Replace(text, `{"id":9}`, `{"id":9,"bad":1}`, 1)
	g := &fakeGate{}
	p := newTestJob(t, g, "products.ndjson", text)
	p.Items = 3
	ctx, cancel := context.WithCancel(t.Context())
	g.intercept = func(n int, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 3 {
			cancel()
		}
		return n == 3
	}

	r, err := push.Push(ctx, p.Job)
	if err == nil || !strings.Contains(err.Error(), "resume") || r.Received != 6 {
		t.Fatalf("the interrupted Push returned %v and %+v", err, r)
	}

	// A crash may leave rejects that were written after the last saved state.
	f, err := os.OpenFile(p.Rejects, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}

	_, _ = f.WriteString("half a li")
	f.Close()
	state := readFile(t, push.StateFile(p.File))

	g.batches = nil
	r = p.mustPush(t)
	if got := fmt.Sprint(g.batches); got != `[[{"id":7} {"id":8} {"id":9,"bad":1}] [{"id":10}]]` {
		t.Errorf("the resumed push sends %s", got)
	}

	if !r.Resumed || r.Received != 10 || r.Created != 8 || r.Failed != 2 || r.Requests != 4 ||
		*r.Errors[0].Index != 1 || *r.Errors[1].Index != 8 {
		t.Errorf("the report of both pushes is %+v", r)
	}

	if got := readFile(t, p.Rejects); got != "{\"id\":2,\"bad\":1}\n{\"id\":9,\"bad\":1}\n" {
		t.Errorf("the rejects of both pushes are %s", got)
	}
	if readFile(t, push.StateFile(p.File)) != "" {
		t.Error("the state file exists after the push")
	}

	// Push ignores the state of a different push, and with Restart any state.
	for name, change := range map[string]func(p *testJob){
		"restart":        func(p *testJob) { p.Restart = true },
		"another store":  func(p *testJob) { p.Gate, _ = push.NewGate("other.example", token) },
		"another entity": func(p *testJob) { p.Entity = "stocks" },
		"a changed file": func(p *testJob) {
			if err := os.WriteFile(p.File, []byte(strings.Replace(text, `"id":10`, `"id":11`, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"an invalid state": func(p *testJob) {
			if err := os.WriteFile(push.StateFile(p.File), []byte("nonsense"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
	} {
		again := *p
		if err := os.WriteFile(push.StateFile(p.File), []byte(state), 0o600); err != nil {
			t.Fatal(err)
		}
		change(&again)
		if r := again.mustPush(t); r.Resumed || r.Received != 10 {
			t.Errorf("%s: the report is %+v", name, r)
		}
	}
}

func TestPush_dryRunWritesNoStateFile(t *testing.T) {
	g := &fakeGate{intercept: refusePush(2)}
	p := newTestJob(t, g, "products.ndjson", numberedItems(4))
	p.DryRun = true
	p.Items = 2
	p.mustFail(t, "missing_scope")
	if g.queries[0] != "dry_run=true" || len(g.applied) != 0 || readFile(t, push.StateFile(p.File)) != "" {
		t.Errorf("the query is %s, the applied items are %v, the state is %s", g.queries[0], g.applied,
			readFile(t, push.StateFile(p.File)))
	}
}

// Atomic and archive_missing apply to the push as a whole, so the file is sent in one request.
func TestPush_sendsAtomicAndArchivePushesInOneRequest(t *testing.T) {
	g := &fakeGate{}
	share := 0.5
	p := newTestJob(t, g, "products.ndjson", numberedItems(12))
	p.Items = 5
	p.ArchiveMissing = true
	p.MaxArchiveShare = &share

	if r := p.mustPush(t); r.Received != 12 || len(g.batches) != 1 ||
		g.queries[0] != "archive_missing=true&max_archive_share=0.5" {
		t.Errorf("%d requests are sent, the query is %s, the report %+v", len(g.batches), g.queries[0], r)
	}

	share = 0.01
	if r := p.mustFail(t, "archive_refused"); r.Received != 12 || r.Created != 12 {
		t.Errorf("the report of the refused push is %+v", r)
	}

	for _, async := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			g := &fakeGate{polls: 2}
			p := newTestJob(t, g, "products.ndjson", numberedItems(3)+`{"id":4,"bad":1}`)
			p.Atomic = true
			p.Async = async

			r := p.mustPush(t)
			if !r.Refused || r.Failed != 1 || *r.Errors[0].Index != 3 || r.Errors[0].Line != 4 ||
				len(g.applied) != 0 || readFile(t, p.Rejects) != "{\"id\":4,\"bad\":1}\n" {
				t.Errorf("async=%t: the applied items are %v, the report is %+v, the rejects are %s", async, g.applied,
					r, readFile(t, p.Rejects))
			}
		})
	}
}

// A table with an unreadable line is not sent as if it were complete.
func TestPush_abortsSingleRequestAtUnreadableLine(t *testing.T) {
	table := "id,name,price\n1,A,10\n2,B,ten\n3,C,30\n4,D,\"4\n"
	for _, atomic := range []bool{true, false} {
		g := &fakeGate{}
		p := newTestJob(t, g, "products.csv", table)
		p.Atomic = atomic
		p.ArchiveMissing = !atomic
		var r push.Report

		if atomic {
			r = p.mustPush(t)
		} else {
			r = p.mustFail(t, "unreadable")
		}

		if g.incomplete != 1 || g.pushes != 1 || len(g.applied) != 0 {
			t.Errorf("atomic=%t: of %d requests %d are incomplete, and the applied items are %v", atomic, g.pushes,
				g.incomplete, g.applied)
		}

		if r.Refused != atomic || r.Unreadable != 2 || r.Errors[0].Line != 3 || r.Errors[1].Line != 5 {
			t.Errorf("atomic=%t: the report is %+v", atomic, r)
		}
	}
}

func TestPush_pollsAsyncRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &fakeGate{polls: 3}
		p := newTestJob(t, g, "products.ndjson", numberedItems(4)+`{"id":5,"bad":1}`)
		p.Items = 3
		p.Async = true

		r := p.mustPush(t)
		if r.Received != 5 || r.Failed != 1 || len(g.runs) != 2 || readFile(t, p.Rejects) == "" {
			t.Errorf("the report is %+v", r)
		}

		polls := 0
		for _, now := range p.progress {
			if now.Done > 0 {
				polls++
			}
		}

		if polls != 6 { // three polls of each of two runs
			t.Errorf("%d progress calls have Done set, want 6: %+v", polls, p.progress)
		}
	})
}

// Over a TCP connection, Push reports a rejected token before it has sent the whole input, sends an atomic push in one
// request, and aborts an atomic push at an unreadable line.
func TestPush_overHTTP(t *testing.T) {
	g := &fakeGate{}
	server := httptest.NewServer(g)
	defer server.Close()

	in := &itemGenerator{remaining: 1_000_000}
	p := newTestJob(t, g, "x", "")
	p.File = push.Stdin
	p.Input = in
	p.Rejects = ""
	p.Atomic = true
	p.Client = server.Client()
	p.Gate, _ = push.NewGate(server.URL, "xt_wrong")
	p.mustFail(t, "invalid_exchange_token")

	if in.empty() {
		t.Error("the whole input was sent before the token was checked")
	}

	p.Gate, _ = push.NewGate(server.URL, token)
	p.Input = &itemGenerator{remaining: 5_000}

	if r := p.mustPush(t); r.Received != 5_000 || len(g.batches) != 1 {
		t.Errorf("the report is %+v after %d requests", r, len(g.batches))
	}

	p = newTestJob(t, g, "products.csv", "id,price\n1,2\n2,two\n")
	p.Client = server.Client()
	p.Atomic = true
	p.Gate, _ = push.NewGate(server.URL, token)

	if r := p.mustPush(t); !r.Refused || r.Unreadable != 1 {
		t.Errorf("the report is %+v", r)
	}
}
