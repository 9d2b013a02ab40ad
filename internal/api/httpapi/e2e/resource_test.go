package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// The tests of this file have the names of the findings of a security review.

// startSmallServer starts a server with the smallest memory limit.
func startSmallServer(t *testing.T, change func(*config.Serve)) *apitest.Server {
	t.Helper()
	t.Parallel()
	return apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.Memory = 128 << 20
		if change != nil {
			change(c)
		}
	}))
}

// shareMetric returns a metric of a share of the memory.
func shareMetric(t *testing.T, s *apitest.Server, metric, share string) float64 {
	t.Helper()
	prefix := fmt.Sprintf("vitrine_memory_share_%s_bytes{share=%q} ", metric, share)
	for line := range strings.Lines(s.Metrics()) {
		if value, ok := strings.CutPrefix(line, prefix); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no metric %s", prefix)
	return 0
}

// dial opens a connection to the API that the test closes.
func dial(t *testing.T, s *apitest.Server) net.Conn {
	t.Helper()
	return dialURL(t, s.URL)
}

// dialURL opens a connection to one of the listeners that the test closes.
func dialURL(t *testing.T, url string) net.Conn {
	t.Helper()
	return dialFrom(t, nil, url)
}

// dialFrom is like dialURL, and connects from a local address, if it is not nil.
func dialFrom(t *testing.T, from net.IP, url string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}
	conn, err := dialer.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

// problemOn reads a response and returns its status and code.
func problemOn(t *testing.T, conn net.Conn) string {
	t.Helper()
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	_, code, _ := strings.Cut(string(body), `"code":"`)
	code, _, _ = strings.Cut(code, `"`)
	return fmt.Sprint(r.StatusCode, " ", code)
}

// zstdFrame returns the beginning of a frame with a window of 2^log bytes, and an RLE block of 1 KiB.
func zstdFrame(log int) []byte {
	const size = 1 << 10
	block := size<<3 | 1<<1
	return []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(log-10) << 3, byte(block), byte(block >> 8), byte(block >> 16), ' ',
		0, 0, 0, 0, 0, 0, 0, 0}[:18]
}

// A few bytes of zstd cannot make the server hold large windows: windows over 8 MiB are refused, and all others are
// counted until the request ends.
func TestH1_zstdWindowIsBounded(t *testing.T) {
	s := startSmallServer(t, nil)
	head := func(length int) string {
		return fmt.Sprintf("POST /v2/feedback HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
			"Content-Type: application/json\r\nContent-Encoding: zstd\r\nContent-Length: %d\r\n\r\n", s.Publishable,
			length)
	}
	frame := zstdFrame(25)
	wide := dial(t, s)
	_, _ = io.WriteString(wide, head(len(frame))+string(frame))
	if got := problemOn(t, wide); got != "400 malformed_encoding" {
		t.Errorf("a window of 32 MiB got %s", got)
	}

	limit := shareMetric(t, s, "limit", "windows")
	var held []net.Conn
	const window = 1 << 20
	most := int(limit / 4 / window)
	for i := range most + 1 {
		conn := dial(t, s)
		frame := zstdFrame(20)

		// The rest of the body does not arrive. A refused request is answered without it, since the rest is too long to
		// be drained.
		_, _ = io.WriteString(conn, head(len(frame)+1<<20)+string(frame))
		held = append(held, conn)

		if i < most {
			storetest.Eventually(t, "the window is held",
				func() bool { return shareMetric(t, s, "used", "windows") >= float64((i+1)*window) })
		}
	}

	if got := problemOn(t, held[most]); got != "429 too_many_requests" {
		t.Errorf("a request beyond the share of its address got %s", got)
	}
	if used := shareMetric(t, s, "used", "windows"); used == 0 || used > limit/4 {
		t.Errorf("%.0f bytes are held, the address may hold %.0f", used, limit/4)
	}

	for _, conn := range held {
		_ = conn.Close()
	}

	storetest.Eventually(t, "the memory of the windows is released",
		func() bool {
			return shareMetric(t, s, "used", "windows") == 0 && shareMetric(t, s, "used", "bodies") == 0
		})
}

// A body with a window of 8 MiB, as many encoders use for streams, is accepted where it fits.
func TestH1_zstdWindowOfManyEncodersIsAccepted(t *testing.T) {
	s := startServer(t)
	frame := append(zstdFrame(23)[:6], 0x01|byte(len(optionBody)<<3&0xff), byte(len(optionBody)>>5),
		0) // a raw block, the last
	s.OK(201, "POST", optionsPath, append(frame, optionBody...), withHeader("Content-Encoding", "zstd"))
}

// Headers are limited to 128 KiB and 200 lines, and their memory is counted while they arrive, without any credential,
// on both listeners.
func TestH2_headersAreBounded(t *testing.T) {
	s := startSmallServer(t, nil)

	// A filter of a thousand values fits.
	values := strings.Repeat("&features[00000000-0000-7000-8000-000000000000][]=00000000-0000-7000-8000-000000000000",
		1000)
	if r := s.Do("GET", "/v2/products?per_page=1"+values, nil); r.Status == 431 || r.Status == 429 {
		t.Errorf("a query of %d bytes got %s", len(values), r.Problem())
	}

	const head = "GET / HTTP/1.1\r\nHost: x\r\n"
	for share, url := range map[string]string{"connections": s.URL, "admin_connections": s.AdminURL} {
		many := dialURL(t, url)
		_, _ = io.WriteString(many, head+strings.Repeat("a:\r\n", 1000)+"\r\n")
		if got := problemOn(t, many); got != "431 headers_too_large" {
			t.Errorf("%s: a thousand lines got %s", share, got)
		}

		limit := shareMetric(t, s, "limit", share)
		refusals := fmt.Sprintf("vitrine_memory_refused_total{scope=\"owner\",share=%q} ", share)

		// At the limit of an address the server closes connections of that address that wait for a request. The metrics
		// are read from another one.
		from := net.IPv4(127, 0, 0, 2)
		for range 10 { // each costs 1.3 MB
			_, _ = io.WriteString(dialFrom(t, from, url), head+"X-Long: "+strings.Repeat("y", 110<<10)+"\r\n")
			if used := shareMetric(t, s, "used", share); used > limit {
				t.Errorf("%s: %.0f bytes are held, the limit is %.0f", share, used, limit)
			}
		}

		storetest.Eventually(t, "long headers are refused: "+share, func() bool {
			return strings.Contains(s.Metrics(), refusals) && !strings.Contains(s.Metrics(), refusals+"0\n")
		})
	}
}

// A request line and headers that are too long together are refused by net/http, on both listeners.
func TestH2_longHeadersAre431(t *testing.T) {
	s := startServer(t)
	for _, url := range []string{s.URL, s.AdminURL} {
		conn := dialURL(t, url)
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\nX-Long: "+strings.Repeat("y", 140<<10)+"\r\n\r\n")
		if got := problemOn(t, conn); got != "431 headers_too_large" {
			t.Errorf("headers of 140 KiB got %s", got)
		}
	}
}

// A Host that no name can have is refused, on both listeners.
func TestH2_hostIsBounded(t *testing.T) {
	s := startServer(t)
	for _, c := range []struct {
		url, path string
		length    int
		want      string
	}{
		{s.URL, "/v2/store", 255, "401 credential_required"}, {s.URL, "/v2/store", 256, "400 malformed_host"},
		{s.AdminURL, "/healthz", 256, "400 malformed_host"},
	} {
		conn := dialURL(t, c.url)
		_, _ = io.WriteString(conn, "GET "+c.path+" HTTP/1.1\r\nHost: "+strings.Repeat("h", c.length)+"\r\n\r\n")
		if got := problemOn(t, conn); got != c.want {
			t.Errorf("%s with a Host of %d bytes got %s, want %s", c.path, c.length, got, c.want)
		}
	}
}

// What visitors may write is limited to 256 KiB. Other bodies may have 8 MiB, but no object in them may have more than
// 1,000 members.
func TestH3_bodiesOfVisitorsAreShort(t *testing.T) {
	s := startServer(t)
	feedback := func(size int) string {
		const head, tail = `{"name": "x", "email": "a@example.com", "message": "m"`, `}`
		return head + strings.Repeat(" ", size-len(head)-len(tail)) + tail
	}
	s.OK(201, "POST", "/v2/feedback", feedback(256<<10), apitest.As(s.Publishable))
	s.WantProblem("413 body_too_large", "POST", "/v2/feedback", feedback(256<<10+1), apitest.As(s.Publishable))
	s.WantProblem("413 body_too_large", "POST", "/v2/feedback", feedback(256<<10+1))
	s.WantProblem("413 body_too_large", "POST", "/v2/feedback", gzipBytes(t, feedback(1<<20)),
		apitest.As(s.Publishable), withHeader("Content-Encoding", "gzip"))

	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"m%d":0`, i)
		}
		return b.String()
	}
	for _, body := range []string{
		`{"name": "x"` + members(1000) + `}`, `{"name": "x", "unknown": {"a": 1` + members(1000) + `}}`,
		`{"name": "x", "unknown": [[{"a": 1` + members(1000) + `}]]}`,
	} {
		for _, path := range []string{"/v2/products", optionsPath, "/v2/features", "/v2/feedback", "/v2/orders"} {
			s.WantProblem("400 too_many_members", "POST", path, body)
		}
	}

	s.OK(201, "POST", "/v2/products", `{"name": "x"`+members(999)+`}`)
}

// The members of a push are limited, too: those of its root, and those of its items.
func TestM1_membersOfPushesAreLimited(t *testing.T) {
	s := startServer(t)
	var members strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&members, `,"m%d":0`, i)
	}

	push := func(body, mediaType string) *apitest.Response {
		return s.Do("POST", "/v2/sync-gate/stocks", body, apitest.As(s.Exchange), withHeader("Content-Type", mediaType))
	}
	for _, body := range []string{`{"payload": []` + members.String() + `}`,
		`{"other": {"a": 1` + members.String() + `}, "payload": []}`,
		`{"payload": [{"id": 1, "name": "x"` + members.String() + `}]}`} {
		if got := push(body, "application/json").Problem(); got != "400 too_many_members" {
			t.Errorf("%.60s: %s", body, got)
		}
	}

	r := push(`{"id": 1, "name": "x"`+members.String()+"}\n"+`{"id": 2, "name": "y"}`, "application/x-ndjson")
	if r.Status != 200 || r.Text("data.failed") != "1" || !bytes.Contains(r.Body, []byte(`"too_many_members"`)) {
		t.Errorf("a line with many members: %s", r.Body)
	}
}

// A body without a limit that unpacks to very much more than its size is refused, and spooled bytes are bounded per
// store and in all.
func TestH7_bombInBodyWithoutLimitIsRefused(t *testing.T) {
	s := startServer(t)
	mebibyte := gzipBytes(t, strings.Repeat(" ", 1<<20))
	body := append(gzipBytes(t, `{"name": "x", "values": [`), bytes.Repeat(mebibyte, 100)...)
	s.WantProblem("413 decompression_bomb", "POST", optionsPath, body, withHeader("Content-Encoding", "gzip"))
}

func TestH7_spoolIsBounded(t *testing.T) {
	s := startSmallServer(t, func(c *config.Serve) { c.SpoolLimit = 8 << 20 })
	long := func(mebibytes int) string { return `{"name": "x"` + strings.Repeat(" ", mebibytes<<20) + `}` }
	s.OK(201, "POST", optionsPath, long(2))
	if r := s.WantProblem("429 too_many_requests", "POST", optionsPath, long(5)); r.Header.Get("Retry-After") == "" {
		t.Error("the 429 has no Retry-After")
	}
	if used := shareMetric(t, s, "used", "spool"); used != 0 {
		t.Errorf("%.0f bytes are still counted", used)
	}
	if r := s.DoAdmin("GET", "/readyz", nil); r.Status != 200 {
		t.Errorf("/readyz is %d", r.Status)
	}
}

// The bodies of one visitor used up what a store may hold, and the other visitors of the store got 429.
func TestH1_bodiesOfOneVisitorLeaveRoomForOthers(t *testing.T) {
	s := startSmallServer(t, func(c *config.Serve) { c.TrustedProxy = []string{"127.0.0.1/32"} })
	head := "POST /v2/feedback HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.Publishable +
		"\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Type: application/json\r\nContent-Length: 261000\r\n\r\n"
	for range 60 {
		_, _ = io.WriteString(dial(t, s), head+strings.Repeat(" ", 260_000))
	}

	limit := shareMetric(t, s, "limit", "bodies")
	storetest.Eventually(t, "a body of the visitor is refused", func() bool {
		return strings.Contains(s.Metrics(), `vitrine_memory_refused_total{scope="owner",share="bodies"} `) &&
			!strings.Contains(s.Metrics(), `vitrine_memory_refused_total{scope="owner",share="bodies"} 0`)
	})
	const body = `{"name": "x", "email": "a@example.com", "message": "m"}`
	s.OK(201, "POST", "/v2/feedback", body, apitest.As(s.Publishable), withHeader("X-Forwarded-For", "192.0.2.2"))
	s.OK(201, "POST", optionsPath, `{"name": "x"`+strings.Repeat(" ", 4<<20)+`}`) // counts a quarter of the share

	if used := shareMetric(t, s, "used", "bodies"); used > limit/8 {
		t.Errorf("the visitor holds %.0f bytes of %.0f", used, limit)
	}
}

// Malformed framing of a chunked body is the client's mistake.
func TestL1_malformedChunkIs400(t *testing.T) {
	s := startServer(t, apitest.Alone())
	for _, encoding := range []string{"", "Content-Encoding: gzip\r\n"} {
		for _, chunk := range []string{"zz\r\n", "-1\r\n", "5\r\nhelloXX", "fffffffffffffffff\r\n",
			"5;" + strings.Repeat("a", 20_000) + "\r\nhello\r\n",
			"5\r\nhello\r\n" + strings.Repeat("1;aaaaaaaaaa\r\nx\r\n", 5000)} {
			conn := dial(t, s)
			_, _ = io.WriteString(conn, "POST /v2/feedback HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+s.Publishable+
				"\r\nContent-Type: application/json\r\n"+encoding+"Transfer-Encoding: chunked\r\n\r\n"+chunk)
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.CloseWrite()
			}

			if got := problemOn(t, conn); got != "400 body_incomplete" &&
				(encoding == "" || got != "400 malformed_encoding") {
				t.Errorf("%q %.30q got %s", encoding, chunk, got)
			}
		}
	}

	for _, line := range s.Log.WarningsAndErrors() {
		t.Errorf("logged: %s", line)
	}
}

// An address may have a limited number of connections, and they do not keep health checks from being answered.
func TestM8_connectionsAreLimited(t *testing.T) {
	const most = 20
	s := startSmallServer(t, func(c *config.Serve) { c.ConnectionsPerAddress = most })
	head := "POST /v2/feedback HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + s.Publishable +
		"\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
	var conns []net.Conn

	for range most {
		conn := dial(t, s)
		_, _ = io.WriteString(conn, head)
		conns = append(conns, conn)
	}

	// A connection without a request in progress would make room for the next one. Each body holds at least 4 KiB.
	storetest.Eventually(t, "all requests are in progress",
		func() bool { return shareMetric(t, s, "used", "bodies") >= most*4<<10 })
	if got := problemOn(t, dial(t, s)); got != "429 too_many_connections" {
		t.Errorf("connection %d got %s", most+1, got)
	}

	for _, path := range []string{"/healthz", "/readyz"} {
		if r := s.DoAdmin("GET", path, nil); r.Status != 200 {
			t.Errorf("%s is %d", path, r.Status)
		}
	}

	_ = conns[0].Close()
	storetest.Eventually(t, "a closed connection makes room for another", func() bool {
		conn := dial(t, s)
		defer func() { _ = conn.Close() }()
		_, _ = io.WriteString(conn, "GET /v2/nothing HTTP/1.1\r\nHost: x\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		return err == nil && r.StatusCode == 404
	})
}
