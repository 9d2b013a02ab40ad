package webhook_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/outbound"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
	"vitrine/internal/testkit/outboundtest"
)

const (
	// shortTimeout is the timeout of attempts in these tests. It is long enough for a busy machine.
	shortTimeout = 5 * time.Second
	// maxBytesRead is the maximum number of bytes that the receivers that write without end may send. It exceeds the
	// socket buffers, which accept bytes that the client never reads.
	maxBytesRead = 64 << 20
)

// badReceiver is a receiver that misbehaves, and the expected result of each attempt.
type badReceiver struct {
	name    string
	handler http.HandlerFunc
	// url is the registered URL. If it is empty, a test server is started with the handler.
	url string
	// phase is the phase of the failure; empty means success.
	phase string
	// code is the HTTP status; 0 means no response.
	code int64
	// timesOut means that the attempt lasts until the timeout.
	timesOut bool
	excerpt  string
}

// Whatever a receiver does, the attempt ends within the timeout and is recorded. A failed attempt is recorded with its
// phase and is retried.
func TestAttempt_toleratesBadReceivers(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		defer r.stop() // stop the node before the hanging receivers are closed

		var written atomic.Int64
		list := badReceivers(&written)
		certified := httptest.NewUnstartedServer(http.NotFoundHandler())
		certified.Config.ErrorLog = log.New(io.Discard, "", 0) // the server logs the failed handshake
		certified.StartTLS()
		r.Cleanup(certified.Close)
		list = append(list, badReceiver{name: "has an untrusted certificate", url: certified.URL, phase: "tls"})
		sinks := make([]*testReceiver, len(list))
		for i, bad := range list {
			if sinks[i] = (&testReceiver{fixture: r}); bad.url != "" {
				r.register(sinks[i], bad.url)
			} else {
				sinks[i] = r.newReceiver(bad.handler)
			}
		}

		r.emit(event.OrderSubmitted, 1)

		for i, bad := range list {
			// Receivers that fail at once are tried again while the first attempts of others last.
			r.Eventually(bad.name+" is tried", func() bool { return r.countAttempts(sinks[i]) >= 1 })
			r.checkAttempt(bad, r.deliveries(sinks[i].ID)[0])
		}

		if n := written.Load(); n > maxBytesRead {
			r.Errorf("%d bytes of endless responses were read", n)
		}
	}, restrictNode)
}

// restrictNode gives new nodes a short timeout and their own DNS server, and lets them connect to 127.0.0.1 only.
func restrictNode(r *fixture) {
	r.attemptTimeout = shortTimeout
	names := outboundtest.NewDNSServer(map[string][]string{"inside.example": {"127.0.0.2"},
		"rebinding.example": {"127.0.0.1", "127.0.0.2"}})
	r.guard = outbound.New(outbound.Config{AllowHTTP: true,
		AllowNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, Now: r.Clock.Now, Resolver: names.Resolver()})
}

// badReceivers returns the test cases. Receivers that write without end add the number of written bytes to written.
func badReceivers(written *atomic.Int64) []badReceiver {
	return []badReceiver{
		{name: "hangs", handler: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			phase: "timeout", timesOut: true},
		{name: "sends its header slowly",
			handler: onConnection(func(c net.Conn) {
				writeSlowly(c, "HTTP/1.1 200 OK\r\nX-Slow: "+strings.Repeat("x", 1000))
			}), phase: "timeout", timesOut: true},
		// The attempt succeeds by the status alone; the part of the body that was received is stored.
		{name: "sends its body slowly", handler: onConnection(func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nwell")

			writeSlowly(c, strings.Repeat("x", 996))
		}), code: 200, timesOut: true, excerpt: "well*"},
		{name: "resets the connection", handler: onConnection(func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }),
			phase: "connect"},
		{name: "closes without a response", handler: onConnection(func(net.Conn) {}), phase: "connect"},
		{name: "speaks no HTTP", handler: onConnection(func(c net.Conn) {
			_, _ = io.WriteString(c, "220 mail.example ESMTP\r\n")
		}), phase: "connect"},
		{name: "closes within its body", handler: onConnection(func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 500 Oh\r\nContent-Length: 1000\r\n\r\nit went")
		}), phase: "status", code: 500, excerpt: "it went"},
		{name: "responds with a gigabyte", handler: func(w http.ResponseWriter, _ *http.Request) {
			writeGigabyte(w, written)
		}, code: 200, excerpt: strings.Repeat("x", 4<<10)},
		{name: "fails with a gigabyte", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			writeGigabyte(w, written)
		}, phase: "status", code: 500, excerpt: strings.Repeat("x", 4<<10)},
		{name: "sends a gigabyte of header", handler: onConnection(func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX-Long: ")
			writeGigabyte(c, written)
		}), phase: "connect"},
		{name: "redirects to the cloud metadata service", handler: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "http://169.254.169.254/latest/meta-data/")
			w.WriteHeader(http.StatusFound)
		}, phase: "status", code: 302},
		{name: "responds with binary data", handler: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "fine\xff\x00"+strings.Repeat("\x00é\xc3", 2000))
		}, code: 200, excerpt: "fine��*"},
		{name: "responds without a body", handler: respondStatus(204), code: 204},
		{name: "has an unknown host", url: "http://nowhere.example/", phase: "dns"},
		{name: "has an internal address", url: "http://inside.example/", phase: "blocked"},
		{name: "refuses connections", url: "http://127.0.0.1:1/", phase: "connect"}, // nothing listens on port 1
	}
}

// checkAttempt compares a delivery and its first attempt with the expected result.
func (r *fixture) checkAttempt(bad badReceiver, d webhook.Delivery) {
	r.Helper()
	var attempts []webhook.Attempt
	err := r.TryRead(func(tx store.Tx) (err error) {
		_, attempts, err = r.Delivery(r.Context(), tx, d.ID)
		return err
	})
	if err != nil || len(attempts) == 0 {
		r.Errorf("%s: %v; the attempts are %+v", bad.name, err, attempts)
		return
	}

	a := attempts[0]
	got := fmt.Sprint(valueOrZero(a.Phase), valueOrZero(a.StatusCode), valueOrZero(d.LastStatusCode))
	if want := fmt.Sprint(bad.phase, bad.code, bad.code); got != want {
		r.Errorf("%s: phase and codes are %s, want %s", bad.name, got, want)
	}

	switch start, more := strings.CutSuffix(bad.excerpt, "*"); {
	case !utf8.ValidString(a.Excerpt) || strings.ContainsRune(a.Excerpt, 0) || len(a.Excerpt) > 4<<10:
		r.Errorf("%s: the excerpt has %d bytes: %.100q", bad.name, len(a.Excerpt), a.Excerpt)
	case !more && a.Excerpt != bad.excerpt || !strings.HasPrefix(a.Excerpt, start) ||
		more && len(a.Excerpt) == len(start):
		r.Errorf("%s: the excerpt is %.100q, want %.100q", bad.name, a.Excerpt, bad.excerpt)
	}

	if a.Duration < 0 || bad.timesOut && a.Duration < shortTimeout/2 || a.StartedAt.Before(d.CreatedAt) {
		r.Errorf("%s: the attempt took %s from %s", bad.name, a.Duration, a.StartedAt)
	}

	wait := 5 * time.Second // the first delay of the schedule
	switch {
	case bad.phase == "":
		if d.Status != webhook.Delivered || d.NextAttemptAt != nil {
			r.Errorf("%s: status is %s, next attempt at %v", bad.name, d.Status, d.NextAttemptAt)
		}
	case d.Status != webhook.Pending || d.NextAttemptAt == nil ||
		d.NextAttemptAt.Before(a.StartedAt.Add(a.Duration.Truncate(time.Millisecond)+wait)):
		r.Errorf("%s: status is %s, next attempt at %v", bad.name, d.Status, d.NextAttemptAt)
	}
}

// valueOrZero returns *value, or the zero value if it is nil.
func valueOrZero[T any](value *T) (v T) {
	if value != nil {
		v = *value
	}
	return v
}

// onConnection returns a handler that responds on the hijacked connection and closes it.
func onConnection(respond func(c net.Conn)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		respond(conn)
	}
}

// writeSlowly writes a text byte by byte until the client closes the connection. It sleeps in real time.
func writeSlowly(c net.Conn, text string) {
	for i := range len(text) {
		if _, err := io.WriteString(c, text[i:i+1]); err != nil {
			return
		}
		time.Sleep(shortTimeout / 10)
	}
}

// writeGigabyte writes a gigabyte, or as much of it as the client reads.
func writeGigabyte(w io.Writer, written *atomic.Int64) {
	chunk := []byte(strings.Repeat("x", 64<<10))
	for range (1 << 30) / len(chunk) {
		n, err := w.Write(chunk)
		written.Add(int64(n))
		if err != nil {
			return
		}
	}
}

// The host name is resolved and its address checked at each attempt, which defeats DNS rebinding. A blocked attempt
// records neither a status code nor an excerpt, so it reveals nothing about the internal server.
func TestAttempt_checksAddressOfHostOnEachAttempt(t *testing.T) {
	eachEngine(t, func(r *fixture) {
		k := r.newReceiver(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(503)
		}, event.Test)
		u, err := url.Parse(k.url)
		if err != nil {
			r.Fatal(err)
		}

		rebinding := "http://rebinding.example:" + u.Port() + "/hook"
		types := []string{event.OrderSubmitted}
		r.Write(func(tx store.Tx) error {
			_, err := r.EditReceiver(r.Context(), tx, k.ID,
				webhook.ReceiverEdit{URL: &rebinding, Types: &types}, nil)
			return err
		})
		r.emit(event.OrderSubmitted, 1)
		r.waitForDeliveries(k.ID, "pending 1")
		r.advance(10 * time.Second)
		r.waitForDeliveries(k.ID, "pending 2")
		d := r.deliveries(k.ID)[0]

		err = r.TryRead(func(tx store.Tx) error {
			_, attempts, err := r.Delivery(r.Context(), tx, d.ID)
			first, second := attempts[0], attempts[1]
			if valueOrZero(first.Phase) != "status" || valueOrZero(first.StatusCode) != 503 ||
				valueOrZero(second.Phase) != "blocked" || second.StatusCode != nil || second.Excerpt != "" {
				r.Errorf("the attempts are %+v", attempts)
			}
			return err
		})
		if err != nil || d.LastStatusCode != nil || d.NextAttemptAt == nil {
			r.Errorf("%v; the delivery is %+v", err, d)
		}
	}, restrictNode)
}

// A receiver that hangs, one that is unreachable and one that always fails have 2,000 pending events each. The
// other receivers must get their events nevertheless.
func TestAttempt_stuckReceiverDelaysNoOther(t *testing.T) {
	const backlog, news = 2000, 150

	eachEngine(t, func(r *fixture) {
		defer r.stop() // stop the node before the hanging receivers are closed

		hanging := r.newReceiver(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		failing := r.newReceiver(respondStatus(500))
		gone := &testReceiver{fixture: r}
		r.register(gone, "http://127.0.0.1:1/")
		well := []*testReceiver{r.newReceiver(nil, event.OrderCancelled), r.newReceiver(nil, event.OrderCancelled),
			r.newReceiver(nil, event.OrderCancelled)}
		r.emit(event.OrderSubmitted, backlog)
		r.Eventually("the bad receivers are stuck", func() bool {
			return len(hanging.requests()) >= 8 && len(failing.requests()) >= 5 && r.countAttempts(gone) >= 5
		})
		r.emit(event.OrderCancelled, news)

		for _, k := range well {
			r.Eventually("the others have received all",
				func() bool { return r.countDeliveries(k, webhook.Delivered) == news })
			if got := k.requests(); len(got) != news {
				r.Errorf("%d requests for %d events", len(got), news)
			}
		}

		if n := len(hanging.requests()); n != 8 {
			r.Errorf("%d requests are running to the receiver that hangs, want 8", n)
		}

		for _, k := range []*testReceiver{hanging, failing, gone} {
			if n := r.countDeliveries(k, webhook.Pending); n != backlog+news {
				r.Errorf("%d deliveries to a stuck receiver are pending, want %d", n, backlog+news)
			}
		}
	})
}

// countDeliveries returns the number of deliveries to a receiver in a status.
func (r *fixture) countDeliveries(k *testReceiver, s webhook.Status) (n int) {
	r.Helper()
	return r.queryDeliveries(k, "COUNT(*) FILTER (WHERE status = '"+string(s)+"')")
}

// countAttempts returns the number of recorded attempts of a receiver.
func (r *fixture) countAttempts(k *testReceiver) (n int) {
	r.Helper()
	return r.queryDeliveries(k, "COALESCE(SUM(attempts_count), 0)")
}

func (r *fixture) queryDeliveries(k *testReceiver, expression string) (n int) {
	r.Helper()
	r.Read(func(tx store.Tx) error {
		const from = " FROM deliveries WHERE store_id = $1 AND receiver_key = (SELECT key FROM receivers " +
			"WHERE store_id = $1 AND id = $2)"
		return database.QueryRow(r.Context(), tx.Unscoped(), "SELECT CAST("+expression+" AS BIGINT)"+from,
			[]any{r.Store.ID, k.ID}, &n)
	})
	return n
}
