package outbound

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/trace"
	"vitrine/internal/testkit/outboundtest"
	"vitrine/internal/testkit/tracetest"
)

func TestFetch_returnsTheFileAndItsValidators(t *testing.T) {
	s := newWebServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("Accept-Encoding is %s", r.Header.Get("Accept-Encoding"))
		}

		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("ETag", `"7"`)
		w.Header().Set("Last-Modified", "Tue, 15 Nov 1994 12:45:26 GMT")

		switch {
		case r.URL.Path == "/odd":
			w.Header().Set("ETag", "\"\xff\"")
			w.Header().Set("Last-Modified", strings.Repeat("x", 300))
		case r.Header.Get("If-None-Match") == `"7"` &&
			r.Header.Get("If-Modified-Since") == "Tue, 15 Nov 1994 12:45:26 GMT":
			w.WriteHeader(http.StatusNotModified)
			return
		case r.URL.Path == "/always":
			w.WriteHeader(http.StatusNotModified)
			return
		}

		w.Header().Set("Content-Encoding", "gzip") // wrong on purpose: the client must not try to decompress
		io.WriteString(w, "12345")
	})

	g := newGuard(t, nil)
	request := FetchRequest{URL: s.url("http", allowedHost, "/a b.jpg#x"), MaxBytes: 5}
	f, err := g.Fetch(t.Context(), request)
	if err != nil || string(f.Body) != "12345" || f.NotModified || f.ETag != `"7"` || f.LastModified == "" {
		t.Fatalf("%+v, %v", f, err)
	}

	request.ETag, request.LastModified = f.ETag, f.LastModified
	if f, err = g.Fetch(t.Context(), request); err != nil || !f.NotModified || len(f.Body) != 0 || f.ETag != `"7"` {
		t.Errorf("second fetch: %+v, %v", f, err)
	}
	if f, err = g.Fetch(t.Context(), FetchRequest{URL: s.url("http", allowedHost, "/odd"), MaxBytes: 5}); err != nil ||
		f.ETag != "" || f.LastModified != "" {
		t.Errorf("headers that cannot be stored: %+v, %v", f, err)
	}

	if e := fetchError(t, g, s.url("http", allowedHost, "/always")); e.Phase != PhaseStatus ||
		e.Status != http.StatusNotModified || e.Retry {
		t.Errorf("304 to an unconditional request: %+v", e)
	}
}

func TestFetch_reportsWhetherARetryMayHelp(t *testing.T) {
	now := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	var status atomic.Int64
	var after atomic.Value
	s := newWebServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", after.Load().(string))
		w.WriteHeader(int(status.Load()))
	})
	g := newGuard(t, func(c *Config) { c.Now = func() time.Time { return now } })

	for _, c := range []struct {
		status     int
		header     string
		retry      bool
		retryAfter time.Duration
	}{
		{500, "", true, 0}, {502, "-1", true, 0}, {503, "120", true, 2 * time.Minute}, {503, "soon", true, 0},
		{429, "Sat, 14 Nov 2026 12:01:00 GMT", true, time.Minute}, {429, "Sat, 14 Nov 2026 11:00:00 GMT", true, 0},
		{429, "4294967295", true, 24 * time.Hour},
		{429, "99999999999999999999", true, 0}, {408, "", true, 0}, {425, "", true, 0},
		{404, "120", false, 2 * time.Minute}, {410, "", false, 0}, {403, "", false, 0}, {401, "", false, 0},
		{400, "", false, 0}, {204, "", false, 0}, {206, "", false, 0}, {302, "", false, 0},
	} {
		status.Store(int64(c.status))
		after.Store(c.header)
		e := fetchError(t, g, s.url("http", allowedHost, "/"))
		if e.Phase != PhaseStatus || e.Status != c.status || e.Retry != c.retry || e.RetryAfter != c.retryAfter {
			t.Errorf("%d with Retry-After %q: %+v", c.status, c.header, e)
		}
	}
}

func TestFetch_reportsThePhaseOfAFailure(t *testing.T) {
	dns := outboundtest.NewDNSServer(map[string][]string{})
	g := newGuard(t, func(c *Config) { c.Resolver = dns.Resolver() })
	if e := fetchError(t, g, "http://nowhere.example/"); e.Phase != PhaseDNS || !e.Retry {
		t.Errorf("a name that does not exist: %+v", e)
	}

	closed, err := net.Listen("tcp4", allowedHost+":0")
	if err != nil {
		t.Fatal(err)
	}

	closed.Close()
	if e := fetchError(t, g, "http://"+closed.Addr().String()+"/"); e.Phase != PhaseConnect || !e.Retry {
		t.Errorf("closed port: %+v", e)
	}

	if e := fetchError(t, g, "shop.example"); e.Phase != PhaseBlocked || e.Retry ||
		!strings.Contains(e.Message, "https://") {
		t.Errorf("not a URL: %+v", e)
	}

	for what, sent := range map[string]string{
		"nothing":                    "",
		"no HTTP":                    "SSH-2.0-OpenSSH_9.9\r\n",
		"less than Content-Length":   "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort",
		"a truncated chunk":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nshort",
		"two lengths":                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
		"headers longer than 64 KiB": "HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
	} {
		s := newWebServer(t, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			io.WriteString(conn, sent) // fails if the client has disconnected already
		})
		if e := fetchError(t, g, s.url("http", allowedHost, "/secret")); e.Phase != PhaseConnect || !e.Retry ||
			strings.Contains(e.Error(), "secret") {
			t.Errorf("%s: %+v", what, e)
		}
	}
}

func TestFetch_stopsReadingAtTheSizeLimit(t *testing.T) {
	const limit, gigabyte = 1 << 20, 1 << 30
	sent := make(chan int, 1)

	s := newWebServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/announced" {
			w.Header().Set("Content-Length", "1073741824")
			w.(http.Flusher).Flush()
			<-r.Context().Done() // the body never begins
		}

		chunk := make([]byte, 64<<10)
		total := 0
		for total < gigabyte {
			n, err := w.Write(chunk)
			total += n
			if err != nil {
				break
			}
		}

		sent <- total
	})

	g := newGuard(t, nil)
	for _, path := range []string{"/announced", "/endless"} {
		_, err := g.Fetch(t.Context(), FetchRequest{URL: s.url("http", allowedHost, path), MaxBytes: limit})
		if e := FailureOf(err); e == nil || e.Phase != PhaseTooLarge || e.Retry ||
			!strings.Contains(e.Message, "1048576") {
			t.Errorf("%s: %v", path, err)
		}
		if total := <-sent; total >= gigabyte/2 { // bytes that were sent but not read fit into socket buffers
			t.Errorf("%s: the server sent %d bytes", path, total)
		}
	}
}

func TestFetch_timesOutOnASlowBody(t *testing.T) {
	s := newWebServer(t, func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()

		for {
			io.WriteString(w, "x")
			w.(http.Flusher).Flush()
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
	})

	g := newGuard(t, nil)
	g.fetchTimeout = 200 * time.Millisecond
	if e := fetchError(t, g, s.url("http", allowedHost, "/")); e.Phase != PhaseTimeout || !e.Retry {
		t.Errorf("%+v", e)
	}
}

func TestFetch_limitsConcurrentRequestsPerHost(t *testing.T) {
	arrived := make(chan struct{}, 100)
	finish := make(chan struct{})
	busy := newWebServer(t, func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-finish
	})
	other := newWebServer(t, func(http.ResponseWriter, *http.Request) {})
	g := newGuard(t, nil)
	var all sync.WaitGroup

	for range 3 * fetchesPerHost {
		all.Go(func() {
			if _, err := g.Fetch(t.Context(), FetchRequest{URL: busy.url("http", allowedHost, "/")}); err != nil {
				t.Error(err)
			}
		})
	}

	for range fetchesPerHost {
		<-arrived
	}

	// Requests to another host do not wait. If there were no limit, a fifth request would arrive at the busy host while
	// they run.
	for range 20 {
		if _, err := g.Fetch(t.Context(), FetchRequest{URL: other.url("http", allowedHost, "/")}); err != nil {
			t.Error(err)
		}
		g.CloseIdleConnections()
	}

	if more := len(arrived); more > 0 {
		t.Errorf("%d requests above the limit ran at once", more)
	}

	close(finish)
	all.Wait()
}

// A server of images does not get the ids of the trace in which the image is fetched.
func TestFetch_sendsNoTrace(t *testing.T) {
	var headers []http.Header
	s := newWebServer(t, func(w http.ResponseWriter, r *http.Request) {
		headers = append(headers, r.Header.Clone())
		_, _ = io.WriteString(w, "image")
	})
	tracer, err := trace.New(trace.Config{Endpoint: tracetest.Start(t).URL, Sample: 1,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}

	ctx, span := tracer.StartServer(t.Context(), nil, "HTTP")
	defer span.End()

	if trace.ID(ctx, nil) == "" {
		t.Fatal("the request is not traced")
	}

	if _, err := newGuard(t, nil).Fetch(ctx, FetchRequest{URL: s.url("http", allowedHost, "/"),
		MaxBytes: 10}); err != nil {
		t.Fatal(err)
	}

	if len(headers) != 1 || headers[0].Get("Traceparent") != "" || headers[0].Get("Tracestate") != "" {
		t.Errorf("the server got the headers %v", headers)
	}
}
