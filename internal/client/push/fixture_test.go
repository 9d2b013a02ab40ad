package push_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vitrine/internal/client/push"
	"vitrine/internal/kit/fault"
)

const token = "xt_secret"

// fakeGate is an exchange gate with a store that applies every item, except items with a member "bad", lines that are
// not JSON, and items without an id.
type fakeGate struct {
	// intercept may respond to a push instead of the gate. n counts the pushes from 1.
	intercept func(n int, w http.ResponseWriter, r *http.Request) (answered bool)
	// interceptRun may respond to a request for a run instead of the gate. interceptRejects, unless it is nil, responds
	// to every request for rejects.
	interceptRun     func(w http.ResponseWriter) (answered bool)
	interceptRejects func(w http.ResponseWriter)
	// polls is the number of polls after which an asynchronous run is finished.
	polls int

	pushes     int
	paths      []string
	queries    []string
	batches    [][]string // items by request, applied or not
	applied    []string
	incomplete int // number of requests with an incomplete body
	runs       []*fakeRun
}

type fakeRun struct {
	status                      string
	received, applied           int
	errors, warnings            []map[string]any
	rejects, ignored            []string
	polls                       int
	refusedCode, refusedMessage string
}

func (g *fakeGate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v2/sync-gate/"), "/")

	switch {
	case r.Header.Get("Authorization") != "Bearer "+token:
		writeProblem(w, 401, "invalid_exchange_token", "No.", nil)
	case r.Method == http.MethodPost && len(parts) == 1:
		g.push(w, r)
	case parts[0] == "runs" && len(parts) == 2 && g.interceptRun != nil && g.interceptRun(w):
	case parts[0] == "runs" && len(parts) == 2:
		g.writeRun(w, 200, parts[1])
	case parts[0] == "runs" && parts[2] == "rejects" && g.interceptRejects != nil:
		g.interceptRejects(w)
	case parts[0] == "runs" && parts[2] == "rejects":
		w.Header().Set("Content-Type", "application/x-ndjson")
		for _, line := range g.runByID(parts[1]).rejects {
			fmt.Fprintln(w, line)
		}
	default:
		writeProblem(w, 404, "not_found", "There is nothing here.", nil)
	}
}

func (g *fakeGate) runByID(id string) *fakeRun {
	var n int
	if _, err := fmt.Sscanf(id, "run-%d", &n); err != nil || n > len(g.runs) {
		panic("no such run: " + id)
	}
	return g.runs[n-1]
}

func (g *fakeGate) push(w http.ResponseWriter, r *http.Request) {
	g.pushes++
	if g.intercept != nil && g.intercept(g.pushes, w, r) {
		return
	}

	g.paths, g.queries = append(g.paths, r.URL.Path), append(g.queries, r.URL.RawQuery)
	items, err := readItems(r)
	g.batches = append(g.batches, items)
	if err != nil {
		g.incomplete++
		writeProblem(w, 400, "malformed_json", "The body is incomplete.", nil)
		return
	}

	run := g.apply(items)
	id := fmt.Sprintf("run-%d", len(g.runs))
	q := r.URL.Query()
	switch {
	case q.Get("atomic") == "true" && len(run.rejects) > 0:
		run.refusedCode = "push_rejected"
		run.refusedMessage = "Some items fail, so none is applied."
	case q.Get("max_archive_share") == "0.01":
		run.refusedCode = "archive_refused"
		run.refusedMessage = "Too many would be archived."
	}

	if run.refusedCode == "push_rejected" || q.Get("dry_run") == "true" {
		g.applied = g.applied[:len(g.applied)-run.applied]
	}

	if strings.Contains(r.Header.Get("Prefer"), "respond-async") {
		run.polls = g.polls
		run.status = "queued"
		g.writeRun(w, 202, id)
		return
	}

	if run.refusedCode != "" {
		writeProblem(w, map[string]int{"push_rejected": 422, "archive_refused": 409}[run.refusedCode], run.refusedCode,
			run.refusedMessage, run.document(id))
		return
	}

	g.writeRun(w, 200, id)
}

func readItems(r *http.Request) (items []string, err error) {
	if r.Header.Get("Content-Type") != "application/x-ndjson" || r.Header.Get("Content-Encoding") != "gzip" {
		return nil, errors.New("it is not gzip NDJSON")
	}
	decompressed, err := gzip.NewReader(r.Body)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(decompressed)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		items = append(items, lines.Text())
	}
	return items, lines.Err()
}

func (g *fakeGate) apply(items []string) *fakeRun {
	run := &fakeRun{status: "completed", received: len(items)}
	for i, text := range items {
		var it map[string]any
		problem, code := "", ""
		switch err := json.Unmarshal([]byte(text), &it); {
		case err != nil:
			code = "malformed_json"
			problem = "This line is not JSON."
		case it["id"] == nil && it["variant_id"] == nil:
			code = "required"
			problem = "An item must have an id."
		case it["bad"] != nil:
			code, problem = "bad_item", "It is bad."
		}

		if problem != "" {
			run.errors = append(run.errors,
				map[string]any{"index": i, "id": it["id"], "field": "bad", "code": code, "message": problem})
			run.rejects = append(run.rejects, text)
			continue
		}

		if it["odd"] != nil {
			run.warnings = append(run.warnings,
				map[string]any{"index": i, "id": it["id"], "field": "odd", "code": "odd_item", "message": "It is odd."})
			run.ignored = []string{"odd"}
		}

		run.applied++
		g.applied = append(g.applied, text)
	}

	g.runs = append(g.runs, run)
	return run
}

func (r *fakeRun) document(id string) map[string]any {
	return map[string]any{
		"id": id, "entity": "products", "status": r.status, "received": r.received, "created": r.applied, "updated": 0,
		"unchanged": 0,
		"failed":    len(r.rejects), "warnings": len(r.warnings), "started_at": map[string]any{"timestamp": 1},
		"finished_at": nil, "duration_ms": 1,
		"errors": r.errors, "warnings_list": r.warnings, "ignored_fields": r.ignored,
	}
}

func (g *fakeGate) writeRun(w http.ResponseWriter, status int, id string) {
	r := g.runByID(id)
	if r.status == "queued" || r.status == "running" {
		if r.polls > 0 {
			r.polls -= 1
			r.status = "running"
		} else {
			r.status = "completed"
		}
	}

	document := r.document(id)
	if r.status == "completed" && r.refusedCode != "" {
		document["status"] = "failed"
		document["problem"] = map[string]any{"code": r.refusedCode, "message": r.refusedMessage}
	}

	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"data": document})
}

func writeProblem(w http.ResponseWriter, status int, code, detail string, run any) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"title": http.StatusText(status), "status": status, "detail": detail, "code": code, "request_id": "r-1",
		"run": run,
	})
}

// RoundTrip calls the gate without a network, so that the test can run in a synctest bubble.
func (g *fakeGate) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	body := &errorRecorder{ReadCloser: r.Body}
	if r.Body != nil {
		r = r.Clone(r.Context())
		r.Body = body
	}
	recorder := httptest.NewRecorder()
	g.ServeHTTP(recorder, r)
	if body.err != nil {
		return nil, body.err // the error of the client; the gate sees an incomplete body
	}
	return recorder.Result(), nil
}

// errorRecorder records the error of reading a body.
type errorRecorder struct {
	io.ReadCloser
	err error
}

func (f *errorRecorder) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// testRetries is the number of retries of a request: the default of vitrine push.
const testRetries = 8

// testJob is a Job that records its notices and progress.
type testJob struct {
	push.Job
	notices  []string
	progress []push.Progress
}

// newTestJob returns a job that pushes a file of products with this content to the gate.
func newTestJob(t *testing.T, g *fakeGate, name, text string) *testJob {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	to, err := push.NewGate("shop.example", token)
	if err != nil {
		t.Fatal(err)
	}

	p := &testJob{Job: push.Job{
		Client: &http.Client{Transport: g}, Gate: to, Entity: "products", File: path, Items: 5_000,
		Bytes:   8 << 20,
		Retries: testRetries, Rejects: push.RejectsFile(path),
	}}
	p.Notify = func(text string) { p.notices = append(p.notices, text) }
	p.Progress = func(now push.Progress) { p.progress = append(p.progress, now) }

	return p
}

// mustPush runs the push, which must succeed.
func (p *testJob) mustPush(t *testing.T) push.Report {
	t.Helper()
	r, err := push.Push(t.Context(), p.Job)
	if err != nil {
		t.Fatalf("Push returned %v", err)
	}
	return r
}

// mustFail runs the push, which must fail with this code.
func (p *testJob) mustFail(t *testing.T, code string) push.Report {
	t.Helper()
	r, err := push.Push(t.Context(), p.Job)
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != code {
		t.Fatalf("Push returned %v, want %s", err, code)
	}
	return r
}

// numberedItems returns items with the ids 1 to n as NDJSON.
func numberedItems(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "{\"id\":%d}\n", i+1)
	}
	return text.String()
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// refusePush returns an interceptor that rejects the nth push with a permanent error.
func refusePush(nth int) func(int, http.ResponseWriter, *http.Request) bool {
	return func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n == nth {
			writeProblem(w, 403, "missing_scope", "Not this.", nil)
		}
		return n == nth
	}
}
