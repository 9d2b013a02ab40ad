package listen_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
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

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

const (
	testKey    = "sk_right"
	receiverID = "0190a0b0-0000-7000-8000-00000000000a"
)

var (
	testNow    = time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC)
	testSecret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("thirty-two bytes that are secret"))
)

// eventBody returns the envelope of an event with this payload.
func eventBody(eventID, payload string) string {
	return fmt.Sprintf(`{"id":%q,"type":"order.submitted","store_id":"s","created_at":"2026-11-14T12:00:05+00:00", `+
		`"sequence":12,"payload":%s}`, eventID, payload)
}

// signedRequest returns a request with an event, signed by the Standard Webhooks library.
func signedRequest(t *testing.T, url, eventID, body string, at time.Time) *http.Request {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(testSecret)
	if err != nil {
		t.Fatal(err)
	}

	signature, err := signer.Sign(eventID, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	r.Header.Set("webhook-id", eventID)
	r.Header.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
	r.Header.Set("webhook-signature", signature)

	return r
}

// send sends a request and returns the response status.
func send(t *testing.T, r *http.Request) int {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

// fakeAdmin is an admin API with one receiver.
type fakeAdmin struct {
	*httptest.Server
	// handleRegister and handleDelete respond instead of the default handlers, unless they are nil.
	handleRegister, handleDelete http.HandlerFunc
	registeredURLs               chan string // in order of registration
	registeredTypes              chan []string
	deletedPaths                 chan string // in order of deletion
}

func newFakeAdmin(t *testing.T) *fakeAdmin {
	// The channels have room for all attempts of a request.
	a := &fakeAdmin{
		registeredURLs: make(chan string, 4), registeredTypes: make(chan []string, 4),
		deletedPaths: make(chan string, 4),
	}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *fakeAdmin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+testKey {
		problemHandler(401, `{"code":"invalid_credential","detail":"No."}`)(w, r)
		return
	}

	switch {
	case r.Method == http.MethodDelete:
		a.deletedPaths <- r.URL.Path
		if a.handleDelete != nil {
			a.handleDelete(w, r)
			return
		}
		w.WriteHeader(http.StatusNoContent)

	case r.Method == http.MethodPost && r.URL.Path == "/api/store/webhook-receivers":
		var sent struct {
			URL   string   `json:"url"`
			Types []string `json:"webhook_types"`
		}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil ||
			r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}

		a.registeredURLs <- sent.URL
		a.registeredTypes <- sent.Types

		if a.handleRegister != nil {
			a.handleRegister(w, r)
			return
		}

		writeReceiver(w)

	default:
		http.NotFound(w, r)
	}
}

func writeReceiver(w http.ResponseWriter) {
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"data":{"id":%q,"secret":%q}}`, receiverID, testSecret)
}

// problemHandler returns a handler that responds with a problem document.
func problemHandler(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// syncBuffer is a buffer that is safe for concurrent use.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *syncBuffer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *syncBuffer) writeLine(sentence string) { fmt.Fprintln(w, sentence) }

// drain returns what was written since the last call.
func (w *syncBuffer) drain() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.b.Reset()
	return w.b.String()
}

// testListener is a call of Listen in a goroutine, with all that it prints.
type testListener struct {
	admin                *fakeAdmin
	url                  string
	out, infos, warnings syncBuffer
	cancel               func()
	result               chan error
}

// startListener starts Listen with a fake admin API. change may modify the job.
func startListener(t *testing.T, a *fakeAdmin, change func(*listen.Job)) *testListener {
	t.Helper()
	l := &testListener{admin: a}
	admin, err := listen.NewAdmin(a.URL, testKey)
	if err != nil {
		t.Fatal(err)
	}
	job := listen.Job{
		Client: a.Client(), Admin: admin, Types: []string{"order.*"}, Status: http.StatusNoContent, Out: &l.out,
		Info: l.infos.writeLine, Warn: l.warnings.writeLine, Now: func() time.Time { return testNow },
	}
	if change != nil {
		change(&job)
	}
	l.start(t, job)
	return l
}

// start calls Listen in a goroutine. The call is cancelled when the test ends, if not earlier.
func (l *testListener) start(t *testing.T, job listen.Job) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	l.cancel = cancel
	l.result = make(chan error, 1)
	go func() { l.result <- listen.Listen(ctx, job) }()
}

// waitRegistered waits until the receiver is registered.
func (l *testListener) waitRegistered(t *testing.T) *testListener {
	t.Helper()
	select {
	case l.url = <-l.admin.registeredURLs:
	case err := <-l.result:
		t.Fatalf("Listen returned before the registration: %v", err)
	}
	return l
}

// stop cancels Listen, as a signal does, and returns its error.
func (l *testListener) stop() error {
	l.cancel()
	return <-l.result
}

func TestListen_printsSignedEventsAndRejectsOthers(t *testing.T) {
	a := newFakeAdmin(t)
	l := startListener(t, a, nil).waitRegistered(t)
	if types := fmt.Sprint(<-a.registeredTypes); types != "[order.*]" ||
		!strings.HasPrefix(l.url, "http://127.0.0.1:") {
		t.Errorf("the receiver is registered with the URL %s and the types %s", l.url, types)
	}

	body := eventBody("e1", `{"note":"\u001b[31m","text":"`+"\u009b31m\"}")
	long := eventBody("e2", `{"note":"`+strings.Repeat("x", 1<<20)+`"}`)
	for _, c := range []struct {
		name   string
		id     string
		body   string
		at     time.Time
		change func(*http.Request)
		status int
		out    string // the complete output
		warned string // part of the warning; no warning if empty
	}{
		{name: "an event", id: "e1", body: body, status: 204,
			out: "12:00:05  order.submitted  #12  e1\n{\n  \"note\": \"\\u001b[31m\",\n  \"text\": " +
				"\"\\u009b31m\"\n}\n\n"},
		{name: "again", id: "e1", body: body, status: 204,
			out: "12:00:05  order.submitted  #12  e1  again (2 times)\n{\n  \"note\": \"\\u001b[31m\",\n  \"text\": " +
				"\"\\u009b31m\"\n}\n\n"},
		{name: "two secrets", id: "e3", body: eventBody("e3", "{}"), status: 204,
			out: "12:00:05  order.submitted  #12  e3\n{}\n\n", change: func(r *http.Request) {
				r.Header.Set("webhook-signature", "v1a,AAAA v1,AAAA "+r.Header.Get("webhook-signature"))
			}},
		{
			name: "almost too old", id: "e4", body: eventBody("e4", "{}"), at: testNow.Add(-5 * time.Minute),
			status: 204, out: "12:00:05  order.submitted  #12  e4\n{}\n\n",
		},
		{
			name: "too old", id: "e5", body: body, at: testNow.Add(-5*time.Minute - time.Second), status: 401,
			warned: "2026-11-14T11:55:04Z",
		},
		{
			name: "too new", id: "e5", body: body, at: testNow.Add(5*time.Minute + time.Second), status: 401,
			warned: "more than 5m0s from now",
		},
		{
			name: "no seconds", id: "e5", body: body, status: 401, warned: `"soon"`,
			change: func(r *http.Request) { r.Header.Set("webhook-timestamp", "soon") },
		},
		{name: "another body", id: "e5", body: body, status: 401, warned: "signature is invalid",
			change: func(r *http.Request) {
				r.Body = io.NopCloser(strings.NewReader("{}"))
				r.ContentLength = 2
			}},
		{
			name: "another id", id: "e5", body: body, status: 401, warned: `webhook-id "e6\x9b", answered 401`,
			change: func(r *http.Request) { r.Header["Webhook-Id"] = []string{"e6\x9b"} },
		},
		{name: "another scheme", id: "e5", body: body, status: 401, warned: "signature is invalid",
			change: func(r *http.Request) {
				r.Header.Set("webhook-signature", strings.Replace(r.Header.Get("webhook-signature"), "v1,", "v2,", 1))
			}},
		{
			name: "no signature", id: "e5", body: body, status: 401, warned: "it lacks",
			change: func(r *http.Request) { r.Header.Del("webhook-signature") },
		},
		{name: "too long", id: "e2", body: long, status: 413, warned: "longer than 1048576 bytes"},
		{name: "no event", id: "e7", body: "[]", status: 400, warned: "not an event"},
		{name: "no JSON", id: "e7", body: "{", status: 400, warned: "not an event"},
		{
			name: "no POST", id: "e8", body: body, status: 405,
			change: func(r *http.Request) { r.Method = http.MethodPut },
		},
		{
			name: "another path", id: "e8", body: body, status: 404,
			change: func(r *http.Request) { r.URL.Path = "/favicon.ico" },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.at.IsZero() {
				c.at = testNow
			}

			r := signedRequest(t, l.url, c.id, c.body, c.at)
			if c.change != nil {
				c.change(r)
			}

			if got := send(t, r); got != c.status {
				t.Errorf("the response status is %d, want %d", got, c.status)
			}
			if got := l.out.drain(); got != c.out {
				t.Errorf("the output is %q, want %q", got, c.out)
			}
			if got := l.warnings.drain(); !strings.Contains(got, c.warned) || got != "" && c.warned == "" {
				t.Errorf("the warning is %q, want %q", got, c.warned)
			}
		})
	}

	if err := l.stop(); err != nil {
		t.Errorf("Listen returned %v", err)
	}
	if got := <-a.deletedPaths; got != "/api/store/webhook-receivers/"+receiverID {
		t.Errorf("the deleted path is %s", got)
	}

	infos := l.infos.drain()
	for _, word := range []string{
		l.url, "order.*", receiverID,
		"curl -X POST '" + a.URL + "/api/store/webhook-receivers/" + receiverID + "/test'", "answered 204",
		"is unregistered",
	} {
		if !strings.Contains(infos, word) {
			t.Errorf("the messages do not contain %q: %s", word, infos)
		}
	}

	if strings.Contains(infos, testKey) || strings.Contains(infos, testSecret) {
		t.Errorf("the messages contain a secret: %s", infos)
	}
}

func TestListen_printsInChosenFormat(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*listen.Job)
		status int
		want   string
	}{
		{name: "lines", change: func(j *listen.Job) {
			j.Format = listen.JSONLines
			j.Colour = true
		}, status: 204,
			want: `{"id":"e1","type":"order.submitted","store_id":"s","created_at":"2026-11-14T12:00:05+00:00",` +
				`"sequence":12,"payload":{"total":12.50}}` + "\n"},
		{
			name: "heads", change: func(j *listen.Job) {
				j.Format = listen.Summary
				j.Status = 500
			}, status: 500,
			want: "12:00:05  order.submitted  #12  e1\n",
		},
		{name: "colours", change: func(j *listen.Job) { j.Colour = true }, status: 204,
			want: "\x1b[2m12:00:05\x1b[0m  \x1b[1morder.submitted\x1b[0m  #12  \x1b[2me1\x1b[0m\n{\n  " +
				"\x1b[36m\"total\"\x1b[0m: 12.50\n}\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := startListener(t, newFakeAdmin(t), c.change).waitRegistered(t)
			if got := send(t, signedRequest(t, l.url, "e1", eventBody("e1", "{\n\"total\": 12.50}"),
				testNow)); got != c.status {
				t.Errorf("the response status is %d, want %d", got, c.status)
			}

			if got := l.out.drain(); got != c.want {
				t.Errorf("the output is %q, want %q", got, c.want)
			}
			if err := l.stop(); err != nil {
				t.Errorf("Listen returned %v", err)
			}
		})
	}
}

// The first event may arrive before the registration response, which has the secret.
func TestListen_verifiesEventsSentBeforeRegistrationResponse(t *testing.T) {
	a := newFakeAdmin(t)
	early := make(chan net.Conn, 1)

	a.handleRegister = func(w http.ResponseWriter, _ *http.Request) {
		at := <-a.registeredURLs
		conn, err := net.Dial("tcp", strings.Trim(at, "htp:/"))
		if err == nil {
			err = signedRequest(t, at, "e1", eventBody("e1", "{}"), testNow).Write(conn)
		}

		if err != nil {
			t.Error(err)
		}

		early <- conn
		writeReceiver(w)
	}

	l := startListener(t, a, nil)
	conn := <-early
	defer conn.Close()

	statusLine := make([]byte, len("HTTP/1.1 204"))
	if _, err := io.ReadFull(conn, statusLine); err != nil || string(statusLine) != "HTTP/1.1 204" {
		t.Errorf("the status line is %s (%v): %s", statusLine, err, l.warnings.drain())
	}
	if err := l.stop(); err != nil {
		t.Errorf("Listen returned %v", err)
	}
}

// A registration that is in progress when the context ends leaves no receiver behind.
func TestListen_unregistersWhenCancelledDuringRegistration(t *testing.T) {
	a := newFakeAdmin(t)
	registering, cancelled := make(chan struct{}), make(chan struct{})
	a.handleRegister = func(w http.ResponseWriter, _ *http.Request) {
		close(registering)
		<-cancelled
		writeReceiver(w)
	}
	l := startListener(t, a, nil)
	<-registering
	l.cancel()
	close(cancelled)

	if err := <-l.result; err != nil {
		t.Errorf("Listen returned %v", err)
	}
	if got := <-a.deletedPaths; !strings.HasSuffix(got, receiverID) {
		t.Errorf("the deleted path is %s", got)
	}
}

func TestListen_stopsWhenOutputFails(t *testing.T) {
	a := newFakeAdmin(t)
	l := startListener(t, a, func(j *listen.Job) { j.Out = brokenPipe{} }).waitRegistered(t)
	if got := send(t, signedRequest(t, l.url, "e1", eventBody("e1", "{}"),
		testNow)); got != http.StatusServiceUnavailable {
		t.Errorf("the response status of an event that was not printed is %d", got)
	}
	if err := <-l.result; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Listen returned %v", err)
	}
	<-a.deletedPaths
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestListen_printsCommandToDeleteReceiver(t *testing.T) {
	for _, c := range []struct {
		name    string
		respond http.HandlerFunc
		want    []string // parts of the error; no error if nil
		says    string
	}{
		{
			name: "already deleted", respond: problemHandler(404, `{"code":"not_found","detail":"No."}`),
			says: "already deleted",
		},
		{name: "unavailable", respond: problemHandler(503, `{"code":"unavailable","detail":"Away.","request_id":"r1"}`),
			want: []string{
				"is still registered",
				"/api/store/webhook-receivers/" + receiverID + "' -H \"Authorization: Bearer $VITRINE_KEY\"",
				"curl -X DELETE", "r1",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFakeAdmin(t)
			a.handleDelete = c.respond
			l := startListener(t, a, nil).waitRegistered(t)
			err := l.stop()
			if (err != nil) != (c.want != nil) {
				t.Fatalf("Listen returned %v", err)
			}

			for _, word := range c.want {
				if !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), testKey) {
					t.Errorf("Listen returned %q, want %s", err, word)
				}
			}

			if infos := l.infos.drain(); !strings.Contains(infos, c.says) {
				t.Errorf("the messages are %s, want %s", infos, c.says)
			}
		})
	}
}

func TestListen_explainsRegistrationFailures(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()

	for _, c := range []struct {
		name    string
		respond http.HandlerFunc
		change  func(*listen.Job)
		want    []string
		deletes bool
	}{
		{name: "http", respond: problemHandler(422,
			`{"code":"validation_failed","detail":"A rule.","errors":[{"field":"url","code":"invalid_url",`+
				`"message":"http:// needs --allow-http."}]}`),
			want: []string{"--dev", "--allow-http --allow-net 127.0.0.0/8", "http:// needs --allow-http."}},
		{
			name: "loopback", respond: problemHandler(422, `{"code":"forbidden_address","detail":"A public one."}`),
			want: []string{"--dev", "--allow-net 127.0.0.0/8"},
		},
		{name: "types", respond: problemHandler(422,
			`{"code":"validation_failed","detail":"A rule.","errors":[{"field":"webhook_types[0]","code":"unknown",`+
				`"message":"Known are these."}]}`), want: []string{"A rule.", "Known are these."}},
		{
			name: "scope", respond: problemHandler(403, `{"code":"forbidden","detail":"The key lacks a scope."}`),
			want: []string{"The key lacks a scope."},
		},
		{
			name: "the API", respond: problemHandler(404, `{"code":"not_found","detail":"No."}`),
			want: []string{"404", "localhost:8081"},
		},
		{
			name: "another site", respond: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") },
			want: []string{"200 OK", "localhost:8081"},
		},
		{name: "redirect",
			respond: func(w http.ResponseWriter,
				r *http.Request) {
				http.Redirect(w, r, "/login", http.StatusSeeOther)
			},
			want: []string{"303 See Other"},
			change: func(j *listen.Job) {
				j.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			}},
		{
			name:   "a bad key",
			change: func(j *listen.Job) { j.Admin, _ = listen.NewAdmin(j.Admin.String(), "sk_wrong") },
			want:   []string{"unknown, expired or revoked"},
		},
		{
			name:    "no secret",
			respond: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"data":{"id":%q}}`, receiverID) },
			want:    []string{"whsec_"}, deletes: true,
		},
		{
			name: "a port that is taken", change: func(j *listen.Job) { j.Port = busy.Addr().(*net.TCPAddr).Port },
			want: []string{fmt.Sprint("port ", busy.Addr().(*net.TCPAddr).Port)},
		},
		{
			name:   "no server",
			change: func(j *listen.Job) { j.Admin, _ = listen.NewAdmin("http://127.0.0.1:1", testKey) },
			want:   []string{"http://127.0.0.1:1 cannot be reached", "refused"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newFakeAdmin(t)
			a.handleRegister = c.respond
			err := <-startListener(t, a, c.change).result
			for _, word := range c.want {
				if err == nil || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "sk_") {
					t.Errorf("Listen returned %q, want %q", err, word)
				}
			}

			if deletes := len(a.deletedPaths) > 0; deletes != c.deletes {
				t.Errorf("the receiver is deleted: %v, want %v", deletes, c.deletes)
			}
		})
	}
}

func TestNewAdmin_validatesAddressAndKey(t *testing.T) {
	for _, c := range []struct{ address, key, want string }{
		{"http://localhost:8081", testKey, "http://localhost:8081"},
		{" https://shop.example/admin/api/ ", testKey, "https://shop.example/admin"},
		{"localhost:8081", testKey, ""},
		{"http://", testKey, ""},
		{"ftp://localhost", testKey, ""},
		{"http://me:word@localhost", testKey, ""},
		{"http://localhost?x=1", testKey, ""},
		{"http://localhost:8081", "pk_x", ""},
		{"http://localhost:8081", "sk_x\r\nCookie: y", ""},
		{"http://localhost:8081", strings.Repeat("0f", 32), ""},
	} {
		got, err := listen.NewAdmin(c.address, c.key)
		if c.want == "" {
			if err == nil || strings.Contains(err.Error(), c.key) {
				t.Errorf("NewAdmin(%q, %q) returned %v", c.address, c.key, err)
			}
			continue
		}

		if err != nil || got.String() != c.want {
			t.Errorf("NewAdmin(%q) = %s, %v, want %s", c.address, got, err, c.want)
		}
	}
}
