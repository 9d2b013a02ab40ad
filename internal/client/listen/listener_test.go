package listener_test

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

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"vitrine/internal/client/listen"
)

const (
	key = "sk_right"
	id  = "0190a0b0-0000-7000-8000-00000000000a"
)

var (
	now    = time.Date(2026, 11, 14, 12, 0, 5, 0, time.UTC)
	secret = "whsec_" + base64.StdEncoding.EncodeToString([]byte("thirty-two bytes that are secret"))
)

// event is the body of one, with a payload.
func event(id, payload string) string {
	return fmt.Sprintf(`{"id":%q,"type":"order.submitted","store_id":"s","created_at":"2026-11-14T12:00:05+00:00", "sequence":12,"payload":%s}`, id, payload)
}

// signed is a request to a receiver, signed by the official library.
func signed(t *testing.T, url, id, body string, at time.Time) *http.Request {
	t.Helper()
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign(id, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("webhook-id", id)
	r.Header.Set("webhook-timestamp", fmt.Sprint(at.Unix()))
	r.Header.Set("webhook-signature", signature)
	return r
}

// send sends a request and returns the status.
func send(t *testing.T, r *http.Request) int {
	t.Helper()
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode
}

// admin is an administration that knows one receiver.
type admin struct {
	*httptest.Server
	// register and delete answer; nil makes and deletes the receiver.
	register, delete http.HandlerFunc
	registered       chan string // addresses
	types            chan []string
	deleted          chan string // paths
}

func newAdmin(t *testing.T) *admin {
	// As many as a request has tries fit in.
	a := &admin{registered: make(chan string, 4), types: make(chan []string, 4), deleted: make(chan string, 4)}
	a.Server = httptest.NewServer(a)
	t.Cleanup(a.Close)
	return a
}

func (a *admin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer "+key {
		problem(401, `{"code":"invalid_credential","detail":"No."}`)(w, r)
		return
	}
	switch {
	case r.Method == http.MethodDelete:
		a.deleted <- r.URL.Path
		if a.delete != nil {
			a.delete(w, r)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodPost && r.URL.Path == "/api/store/webhook-receivers":
		var sent struct {
			URL   string   `json:"url"`
			Types []string `json:"webhook_types"`
		}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		a.registered <- sent.URL
		a.types <- sent.Types
		if a.register != nil {
			a.register(w, r)
			return
		}
		made(w)
	default:
		http.NotFound(w, r)
	}
}

func made(w http.ResponseWriter) {
	w.WriteHeader(http.StatusCreated)
	fmt.Fprintf(w, `{"data":{"id":%q,"secret":%q}}`, id, secret)
}

// problem answers as the administration says no.
func problem(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// text is what was written so far.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (w *text) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

func (w *text) say(sentence string) { fmt.Fprintln(w, sentence) }

// take returns what was written since the last time.
func (w *text) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.b.Reset()
	return w.b.String()
}

// listening is a Job under way.
type listening struct {
	admin             *admin
	url               string
	out, said, warned text
	cancel            func()
	ended             chan error
}

// start listens at an administration; change may change the job.
func start(t *testing.T, a *admin, change func(*listener.Job)) *listening {
	t.Helper()
	l := &listening{admin: a}
	at, err := listener.NewAdmin(a.URL, key)
	if err != nil {
		t.Fatal(err)
	}
	job := listener.Job{
		Client: a.Client(), Admin: at, Types: []string{"order.*"}, Status: http.StatusNoContent, Out: &l.out,
		Say: l.said.say, Warn: l.warned.say, Now: func() time.Time { return now },
	}
	if change != nil {
		change(&job)
	}
	l.run(t, job)
	return l
}

// run listens until the test ends, at the latest.
func (l *listening) run(t *testing.T, job listener.Job) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	l.cancel, l.ended = cancel, make(chan error, 1)
	go func() { l.ended <- listener.Listen(ctx, job) }()
}

// ready waits until the receiver is registered.
func (l *listening) ready(t *testing.T) *listening {
	t.Helper()
	select {
	case l.url = <-l.admin.registered:
	case err := <-l.ended:
		t.Fatalf("it ended before it registered: %v", err)
	}
	return l
}

// end ends it as a signal does, and returns how it ended.
func (l *listening) end() error {
	l.cancel()
	return <-l.ended
}

func TestListen_printsWhatIsSignedAndRefusesTheRest(t *testing.T) {
	a := newAdmin(t)
	l := start(t, a, nil).ready(t)
	if types := fmt.Sprint(<-a.types); types != "[order.*]" || !strings.HasPrefix(l.url, "http://127.0.0.1:") {
		t.Errorf("registered is %s for %s", l.url, types)
	}
	body := event("e1", `{"note":"\u001b[31m","text":"`+"\u009b31m\"}")
	long := event("e2", `{"note":"`+strings.Repeat("x", 1<<20)+`"}`)
	for _, c := range []struct {
		name   string
		id     string
		body   string
		at     time.Time
		change func(*http.Request)
		status int
		out    string // all that is printed
		warned string // a word of what is said
	}{
		{name: "an event", id: "e1", body: body, status: 204, out: "12:00:05  order.submitted  #12  e1\n{\n  \"note\": \"\\u001b[31m\",\n  \"text\": \"\\u009b31m\"\n}\n\n"},
		{name: "again", id: "e1", body: body, status: 204, out: "12:00:05  order.submitted  #12  e1  again (2 times)\n{\n  \"note\": \"\\u001b[31m\",\n  \"text\": \"\\u009b31m\"\n}\n\n"},
		{name: "two secrets", id: "e3", body: event("e3", "{}"), status: 204, out: "12:00:05  order.submitted  #12  e3\n{}\n\n", change: func(r *http.Request) {
			r.Header.Set("webhook-signature", "v1a,AAAA v1,AAAA "+r.Header.Get("webhook-signature"))
		}},
		{name: "almost too old", id: "e4", body: event("e4", "{}"), at: now.Add(-5 * time.Minute), status: 204, out: "12:00:05  order.submitted  #12  e4\n{}\n\n"},
		{name: "too old", id: "e5", body: body, at: now.Add(-5*time.Minute - time.Second), status: 401, warned: "2026-11-14T11:55:04Z"},
		{name: "too new", id: "e5", body: body, at: now.Add(5*time.Minute + time.Second), status: 401, warned: "more than 5m0s from now"},
		{name: "no seconds", id: "e5", body: body, status: 401, warned: `"soon"`, change: func(r *http.Request) { r.Header.Set("webhook-timestamp", "soon") }},
		{name: "another body", id: "e5", body: body, status: 401, warned: "does not fit", change: func(r *http.Request) {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader("{}")), 2
		}},
		{name: "another id", id: "e5", body: body, status: 401, warned: `webhook-id "e6\x9b", answered 401`, change: func(r *http.Request) { r.Header["Webhook-Id"] = []string{"e6\x9b"} }},
		{name: "another scheme", id: "e5", body: body, status: 401, warned: "does not fit", change: func(r *http.Request) {
			r.Header.Set("webhook-signature", strings.Replace(r.Header.Get("webhook-signature"), "v1,", "v2,", 1))
		}},
		{name: "no signature", id: "e5", body: body, status: 401, warned: "not all of", change: func(r *http.Request) { r.Header.Del("webhook-signature") }},
		{name: "too long", id: "e2", body: long, status: 413, warned: "longer than 1048576 bytes"},
		{name: "no event", id: "e7", body: "[]", status: 400, warned: "no event"},
		{name: "no JSON", id: "e7", body: "{", status: 400, warned: "no event"},
		{name: "no POST", id: "e8", body: body, status: 405, change: func(r *http.Request) { r.Method = http.MethodPut }},
		{name: "elsewhere", id: "e8", body: body, status: 404, change: func(r *http.Request) { r.URL.Path = "/favicon.ico" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.at.IsZero() {
				c.at = now
			}
			r := signed(t, l.url, c.id, c.body, c.at)
			if c.change != nil {
				c.change(r)
			}
			if got := send(t, r); got != c.status {
				t.Errorf("it is answered %d, want %d", got, c.status)
			}
			if got := l.out.take(); got != c.out {
				t.Errorf("it prints %q, want %q", got, c.out)
			}
			if got := l.warned.take(); !strings.Contains(got, c.warned) || got != "" && c.warned == "" {
				t.Errorf("it says %q, want %q", got, c.warned)
			}
		})
	}
	if err := l.end(); err != nil {
		t.Errorf("it ends with %v", err)
	}
	if got := <-a.deleted; got != "/api/store/webhook-receivers/"+id {
		t.Errorf("deleted is %s", got)
	}
	said := l.said.take()
	for _, word := range []string{l.url, "order.*", id, "curl -X POST '" + a.URL + "/api/store/webhook-receivers/" + id + "/test'", "answered 204", "is unregistered"} {
		if !strings.Contains(said, word) {
			t.Errorf("it does not say %q: %s", word, said)
		}
	}
	if strings.Contains(said, key) || strings.Contains(said, secret) {
		t.Errorf("it says a secret: %s", said)
	}
}

func TestListen_printsInTheChosenForm(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*listener.Job)
		status int
		want   string
	}{
		{name: "lines", change: func(j *listener.Job) { j.Form, j.Colour = listener.Lines, true }, status: 204,
			want: `{"id":"e1","type":"order.submitted","store_id":"s","created_at":"2026-11-14T12:00:05+00:00","sequence":12,"payload":{"total":12.50}}` + "\n"},
		{name: "heads", change: func(j *listener.Job) { j.Form, j.Status = listener.Heads, 500 }, status: 500, want: "12:00:05  order.submitted  #12  e1\n"},
		{name: "colours", change: func(j *listener.Job) { j.Colour = true }, status: 204,
			want: "\x1b[2m12:00:05\x1b[0m  \x1b[1morder.submitted\x1b[0m  #12  \x1b[2me1\x1b[0m\n{\n  \x1b[36m\"total\"\x1b[0m: 12.50\n}\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := start(t, newAdmin(t), c.change).ready(t)
			if got := send(t, signed(t, l.url, "e1", event("e1", "{\n\"total\": 12.50}"), now)); got != c.status {
				t.Errorf("it is answered %d, want %d", got, c.status)
			}
			if got := l.out.take(); got != c.want {
				t.Errorf("it prints %q, want %q", got, c.want)
			}
			if err := l.end(); err != nil {
				t.Errorf("it ends with %v", err)
			}
		})
	}
}

// The first event may arrive before the answer that tells the secret.
func TestListen_verifiesWhatOvertakesTheSecret(t *testing.T) {
	a := newAdmin(t)
	early := make(chan net.Conn, 1)
	a.register = func(w http.ResponseWriter, _ *http.Request) {
		at := <-a.registered
		conn, err := net.Dial("tcp", strings.Trim(at, "htp:/"))
		if err == nil {
			err = signed(t, at, "e1", event("e1", "{}"), now).Write(conn)
		}
		if err != nil {
			t.Error(err)
		}
		early <- conn
		made(w)
	}
	l := start(t, a, nil)
	conn := <-early
	defer conn.Close()
	answer := make([]byte, len("HTTP/1.1 204"))
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 204" {
		t.Errorf("it is answered %s (%v): %s", answer, err, l.warned.take())
	}
	if err := l.end(); err != nil {
		t.Errorf("it ends with %v", err)
	}
}

// Whoever ends it while it registers leaves no receiver behind.
func TestListen_unregistersWhatWasBeingRegistered(t *testing.T) {
	a := newAdmin(t)
	asked, ended := make(chan struct{}), make(chan struct{})
	a.register = func(w http.ResponseWriter, _ *http.Request) {
		close(asked)
		<-ended
		made(w)
	}
	l := start(t, a, nil)
	<-asked
	l.cancel()
	close(ended)
	if err := <-l.ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	if got := <-a.deleted; !strings.HasSuffix(got, id) {
		t.Errorf("deleted is %s", got)
	}
}

func TestListen_endsWhenItCannotPrint(t *testing.T) {
	a := newAdmin(t)
	l := start(t, a, func(j *listener.Job) { j.Out = brokenPipe{} }).ready(t)
	if got := send(t, signed(t, l.url, "e1", event("e1", "{}"), now)); got != http.StatusServiceUnavailable {
		t.Errorf("what is not printed is answered %d", got)
	}
	if err := <-l.ended; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("it ends with %v", err)
	}
	<-a.deleted
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestListen_saysHowToDeleteByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer http.HandlerFunc
		want   []string // of the error; none if it is nil
		says   string
	}{
		{name: "deleted by others", answer: problem(404, `{"code":"not_found","detail":"No."}`), says: "somebody else"},
		{name: "away", answer: problem(503, `{"code":"unavailable","detail":"Away.","request_id":"r1"}`),
			want: []string{"is still registered", "/api/store/webhook-receivers/" + id + "' -H \"Authorization: Bearer $VITRINE_KEY\"", "curl -X DELETE", "r1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAdmin(t)
			a.delete = c.answer
			l := start(t, a, nil).ready(t)
			err := l.end()
			if (err != nil) != (c.want != nil) {
				t.Fatalf("it ends with %v", err)
			}
			for _, word := range c.want {
				if !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), key) {
					t.Errorf("it ends with %q, want %s", err, word)
				}
			}
			if said := l.said.take(); !strings.Contains(said, c.says) {
				t.Errorf("it says %s, want %s", said, c.says)
			}
		})
	}
}

func TestListen_saysWhyItCannotRegister(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		name    string
		answer  http.HandlerFunc
		change  func(*listener.Job)
		want    []string
		deletes bool
	}{
		{name: "http", answer: problem(422, `{"code":"validation_failed","detail":"A rule.","errors":[{"field":"url","code":"invalid_url","message":"http:// needs --allow-http."}]}`),
			want: []string{"--dev", "--allow-http --allow-net 127.0.0.0/8", "http:// needs --allow-http."}},
		{name: "loopback", answer: problem(422, `{"code":"forbidden_address","detail":"A public one."}`), want: []string{"--dev", "--allow-net 127.0.0.0/8"}},
		{name: "types", answer: problem(422, `{"code":"validation_failed","detail":"A rule.","errors":[{"field":"webhook_types[0]","code":"unknown","message":"Known are these."}]}`), want: []string{"A rule.", "Known are these."}},
		{name: "scope", answer: problem(403, `{"code":"forbidden","detail":"The key lacks a scope."}`), want: []string{"The key lacks a scope."}},
		{name: "the API", answer: problem(404, `{"code":"not_found","detail":"No."}`), want: []string{"404", "localhost:8081"}},
		{name: "another site", answer: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, want: []string{"200 OK", "localhost:8081"}},
		{name: "elsewhere", answer: func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusSeeOther) }, want: []string{"303 See Other"},
			change: func(j *listener.Job) {
				j.Client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			}},
		{name: "a bad key", change: func(j *listener.Job) { j.Admin, _ = listener.NewAdmin(j.Admin.String(), "sk_wrong") }, want: []string{"unknown, expired or revoked"}},
		{name: "no secret", answer: func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, `{"data":{"id":%q}}`, id) }, want: []string{"whsec_"}, deletes: true},
		{name: "a port that is taken", change: func(j *listener.Job) { j.Port = taken.Addr().(*net.TCPAddr).Port }, want: []string{fmt.Sprint("Port ", taken.Addr().(*net.TCPAddr).Port)}},
		{name: "nobody", change: func(j *listener.Job) { j.Admin, _ = listener.NewAdmin("http://127.0.0.1:1", key) }, want: []string{"http://127.0.0.1:1 cannot be reached", "refused"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAdmin(t)
			a.register = c.answer
			err := <-start(t, a, c.change).ended
			for _, word := range c.want {
				if err == nil || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "sk_") {
					t.Errorf("it ends with %q, want %q", err, word)
				}
			}
			if deletes := len(a.deleted) > 0; deletes != c.deletes {
				t.Errorf("it deletes: %v, want %v", deletes, c.deletes)
			}
		})
	}
}

func TestNewAdmin_takesAddressesAndSecretKeys(t *testing.T) {
	for _, c := range []struct{ address, key, want string }{
		{"http://localhost:8081", key, "http://localhost:8081"},
		{" https://shop.example/admin/api/ ", key, "https://shop.example/admin"},
		{"localhost:8081", key, ""},
		{"http://", key, ""},
		{"ftp://localhost", key, ""},
		{"http://me:word@localhost", key, ""},
		{"http://localhost?x=1", key, ""},
		{"http://localhost:8081", "pk_x", ""},
		{"http://localhost:8081", "sk_x\r\nCookie: y", ""},
		{"http://localhost:8081", strings.Repeat("0f", 32), ""},
	} {
		got, err := listener.NewAdmin(c.address, c.key)
		if c.want == "" {
			if err == nil || strings.Contains(err.Error(), c.key) {
				t.Errorf("%s with %s: %v", c.address, c.key, err)
			}
			continue
		}
		if err != nil || got.String() != c.want {
			t.Errorf("%s: %s (%v), want %s", c.address, got, err, c.want)
		}
	}
}
