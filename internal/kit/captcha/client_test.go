package captcha

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fakeNetwork dials with the functions in dials, one per dial; the last one is repeated.
type fakeNetwork struct {
	t       *testing.T
	dials   []dialFunc
	count   int
	servers sync.WaitGroup
}

func (w *fakeNetwork) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dial := w.dials[min(w.count, len(w.dials)-1)]
	w.count++
	return dial(ctx, network, address)
}

// verify verifies a token on the fake network. It also returns the time that the verification took.
func (w *fakeNetwork) verify() (Verdict, time.Duration, error) {
	w.t.Helper()
	c, err := newClient(Config{VerifyURL: "http://127.0.0.1/"}, w.dial) // loopback, so that no proxy is used
	if err != nil {
		w.t.Fatal(err)
	}
	v, err := c.Verifier(RecaptchaV3)
	if err != nil {
		w.t.Fatal(err)
	}
	start := time.Now()
	verdict, err := v.Verify(w.t.Context(), Request{Secret: "s", Token: "t"})
	took := time.Since(start)
	c.CloseIdleConnections()
	w.servers.Wait()
	return verdict, took, err
}

// neverConnects blocks until the dial times out.
func neverConnects(ctx context.Context, _, _ string) (net.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func refusesConnection(context.Context, string, string) (net.Conn, error) {
	return nil, &net.OpError{Op: "dial", Err: errors.New("connection refused")}
}

// respondsAfter returns a dial function that takes the time connect for a connection, to a server that takes the time
// think for its response.
func (w *fakeNetwork) respondsAfter(connect, think time.Duration) dialFunc {
	return func(context.Context, string, string) (net.Conn, error) {
		time.Sleep(connect)
		client, server := net.Pipe()
		w.servers.Go(func() {
			defer server.Close()
			if _, err := http.ReadRequest(bufio.NewReader(server)); err != nil {
				w.t.Error(err)
			}
			time.Sleep(think)
			io.WriteString(server, "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"success\":true}")
		})
		return client, nil
	}
}

func TestVerify_timesOutAndRetriesOnlyBeforeSending(t *testing.T) {
	ms := time.Millisecond
	for name, c := range map[string]struct {
		dials  func(w *fakeNetwork) []dialFunc
		reason string // empty if a verdict is expected
		took   time.Duration
		count  int
	}{
		"immediate response": {
			func(w *fakeNetwork) []dialFunc { return []dialFunc{w.respondsAfter(0, 0)} },
			"", 0, 1},
		"just in time": {
			func(w *fakeNetwork) []dialFunc { return []dialFunc{w.respondsAfter(900*ms, 2000*ms)} },
			"", 2900 * ms, 1},
		"no response": {
			func(w *fakeNetwork) []dialFunc { return []dialFunc{w.respondsAfter(0, time.Minute)} },
			Timeout, 3000 * ms, 1},
		"no connection": {func(*fakeNetwork) []dialFunc { return []dialFunc{neverConnects} },
			Timeout, 2000 * ms, 2},
		"no connection, then a response": {
			func(w *fakeNetwork) []dialFunc { return []dialFunc{neverConnects, w.respondsAfter(0, 1000*ms)} },
			"", 2000 * ms, 2},
		"no connection, then no response": {
			func(w *fakeNetwork) []dialFunc { return []dialFunc{neverConnects, w.respondsAfter(0, time.Minute)} },
			Timeout, 3000 * ms, 2},
		"refused once": {
			func(w *fakeNetwork) []dialFunc { return []dialFunc{refusesConnection, w.respondsAfter(0, 0)} },
			"", 0, 2},
		"refused twice": {func(w *fakeNetwork) []dialFunc {
			return []dialFunc{refusesConnection, refusesConnection, w.respondsAfter(0, 0)}
		}, NotConnected, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeNetwork{t: t}
				w.dials = c.dials(w)
				verdict, took, err := w.verify()
				var none *Unavailable

				switch {
				case c.reason == "" && (err != nil || !verdict.OK):
					t.Errorf("got %+v, %v", verdict, err)
				case c.reason != "" && (!errors.As(err, &none) || none.Reason != c.reason || !none.Transient):
					t.Errorf("got %+v, %v, want %s", verdict, err, c.reason)
				}

				if took != c.took || w.count != c.count {
					t.Errorf("took %v and %d dials, want %v and %d", took, w.count, c.took, c.count)
				}
			})
		})
	}
}

func TestVerify_usesTheDocumentedURLs(t *testing.T) {
	for p, want := range map[Provider]string{
		RecaptchaV3:  "https://www.google.com/recaptcha/api/siteverify",
		Turnstile:    "https://challenges.cloudflare.com/turnstile/v0/siteverify",
		HCaptcha:     "https://api.hcaptcha.com/siteverify",
		SmartCaptcha: "https://smartcaptcha.cloud.yandex.ru/validate",
	} {
		c, err := newClient(Config{}, nil)
		if err != nil {
			t.Fatal(err)
		}

		var requested string
		c.http.Transport = roundTripFunc(func(r *http.Request) (*http.Response, error) {
			requested = r.URL.String()
			return nil, io.EOF
		})
		v, err := c.Verifier(p)
		if err != nil {
			t.Fatal(err)
		}

		if _, err := v.Verify(t.Context(), Request{Secret: "s", Token: "t"}); err == nil || requested != want {
			t.Errorf("%s: requested %q, %v", p, requested, err)
		}
	}
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
