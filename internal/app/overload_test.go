package app_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// withShortWait makes requests wait for a slot for some seconds: long enough for the short work of the test, since the
// machine may be busy.
func withShortWait() apitest.Option {
	return apitest.WithConfig(func(c *config.Serve) { c.AdmissionWait = 3 * time.Second })
}

// getAll sends GET requests at once and returns a channel with their answers: 200, or the problem and Retry-After.
func getAll(s *apitest.Server, paths []string, options ...apitest.RequestOption) <-chan string {
	answers := make(chan string, len(paths))
	for _, path := range paths {
		go func() {
			r, err := s.Try("GET", path, nil, options...)
			switch {
			case err != nil:
				answers <- err.Error()
			case r.Status == 200:
				answers <- "200"
			default:
				answers <- r.Problem() + ", Retry-After: " + r.Header.Get("Retry-After")
			}
		}()
	}
	return answers
}

// largeOption creates an option with so many values that a response with all of them is heavy, and returns its path.
func largeOption(s *apitest.Server) string {
	const values = 10_001
	var body strings.Builder
	body.WriteString(`{"name": "Article", "values": [`)
	for i := range values {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"name": "Value %d"}`, i)
	}
	body.WriteString("]}")
	return "/v2/variant-options/" + s.OK(201, "POST", "/v2/variant-options", body.String()).Text("data.id")
}

// wantServed checks that single resources of both stores and readiness are served.
func wantServed(t *testing.T, s *apitest.Server, option string) {
	t.Helper()
	s.OK(200, "GET", "/v2/store", nil)
	s.OK(200, "GET", option, nil)
	s.OK(200, "GET", "/v2/store", nil, apitest.As(s.Other.Publishable))
	if r := s.DoAdmin("GET", "/readyz", nil); r.Status != 200 {
		t.Errorf("/readyz answered %d: %s", r.Status, r.Body)
	}
}

// H6: 30 GETs of one large option stopped everybody for 20 seconds. They took all connections, and everybody else
// waited behind them.
func TestH6_largeOptionsDoNotStopOthers(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		option := largeOption(s)
		release := s.HoldConnections(database.Long) // stands for heavy reads that do not end
		const requests = 30
		paths := slices.Repeat([]string{option + "?with=values"}, requests)

		// An address can have one of the three slots, and a store two.
		var admitted []<-chan string
		for _, address := range []string{"192.0.2.1", "192.0.2.2", "192.0.2.3"} {
			refused := requests
			if len(admitted) < 2 {
				refused--
			}

			answers := getAll(s, paths, apitest.As(s.Publishable), apitest.Header("X-Forwarded-For", address))
			for range refused {
				if got := <-answers; got != "429 too_many_requests, Retry-After: 1" {
					t.Errorf("a request for the large option got %s", got)
				}
			}

			if refused < requests {
				admitted = append(admitted, answers)
			}
		}

		wantServed(t, s, option)
		s.OK(200, "GET", "/v2/variant-options", nil)
		s.OK(201, "POST", "/v2/orders", `{"items": []}`)
		release()

		for _, answers := range admitted {
			if got := <-answers; got != "200" {
				t.Errorf("an admitted request got %s", got)
			}
		}

		s.OK(200, "GET", option+"?with=values", nil)
	}, withShortWait(), apitest.WithConfig(func(c *config.Serve) { c.TrustedProxy = []string{"127.0.0.1/32"} }))
}

// S-L7: queries for the orders of 1C had no slot, so that any number of them read at once.
func TestSL7_queriesOfOneCAreHeavyReads(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		ask := func(mode string) string {
			const path = "/v2/sync-gate/commerceml?type=sale&mode="
			credential := "Basic " + base64.StdEncoding.EncodeToString([]byte("1c:"+s.Exchange))
			r, err := s.Try("GET", path+mode, nil, apitest.Header("Authorization", credential))
			if err != nil {
				return err.Error()
			}
			return string(r.Body)
		}

		ask("init")

		release := s.HoldConnections(database.Long) // stands for heavy reads that do not end
		const queries = 5
		answers := make(chan string, queries)
		for range queries {
			go func() { answers <- ask("query") }()
		}

		for range queries - 1 { // an address can have one slot
			if got := <-answers; !strings.HasPrefix(got, "failure\n") {
				t.Errorf("a query without a slot got %.200s", got)
			}
		}

		s.OK(200, "GET", "/v2/store", nil)
		release()

		if got := <-answers; !strings.HasPrefix(got, "<?xml") {
			t.Errorf("the query with a slot got %.200s", got)
		}
	}, withShortWait())
}

// P2: at twice the capacity of lists everybody waited for a connection until the client had gone, and readiness failed.
func TestP2_overloadIsRefusedAndLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		option := "/v2/variant-options/" +
			s.OK(201, "POST", "/v2/variant-options", `{"name": "Size", "values": [{"name": "S"}]}`).Text("data.id")
		release := s.HoldConnections(database.Normal) // stands for lists that do not end
		slots := listSlots(t, s)
		requests := 60
		answers := getAll(s, slices.Repeat([]string{"/v2/products"}, requests))
		for range requests - slots {
			if got := <-answers; got != "503 overloaded, Retry-After: 1" {
				t.Errorf("a list got %s", got)
			}
		}

		wantServed(t, s, option)
		metrics := s.Metrics()
		for _, line := range []string{
			fmt.Sprintf(`vitrine_admission_in_progress{class="list"} %d`, slots),
			`vitrine_admission_waiting{class="list"} 0`,
			fmt.Sprintf(`vitrine_admission_refused_total{class="list",reason="load"} %d`, requests-slots),
		} {
			if !strings.Contains(metrics, line+"\n") {
				t.Errorf("/metrics lacks %s", line)
			}
		}

		release()

		for range slots {
			if got := <-answers; got != "200" {
				t.Errorf("an admitted list got %s", got)
			}
		}

		s.OK(200, "GET", "/v2/products", nil)
	}, withShortWait())
}

// A few requests with an Idempotency-Key held all short slots while they waited for connections behind lists, so that
// credentials were not checked. Their lookup has the connections of short work.
func TestP2_replaysDoNotWaitForLists(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		path := "/v2/variant-options/" +
			s.OK(201, "POST", "/v2/variant-options", `{"name": "Size"}`).Text("data.id") + "/impact"
		key := apitest.Header("Idempotency-Key", "one-of-several-keys")
		s.OK(200, "POST", path, `{"name": "Length"}`, key)
		release := s.HoldConnections(database.Normal)
		defer release()
		if r := s.OK(200, "POST", path, `{"name": "Length"}`, key); r.Header.Get("Idempotent-Replayed") != "true" {
			t.Error("the response is not the stored one")
		}
	}, apitest.WithConfig(func(c *config.Serve) { c.AdmissionWait = 3 * time.Second }))
}

// listSlots returns how many lists can be in progress at once.
func listSlots(t *testing.T, s *apitest.Server) int {
	t.Helper()
	_, rest, _ := strings.Cut(s.Metrics(), `vitrine_admission_slots{class="list"} `)
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A slot is held only while the server works, not while the body of a request arrives.
func TestP2_slowBodiesHoldNoSlot(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.Alone())
	body, writer := io.Pipe()
	answer := make(chan string, 1)
	go func() {
		r, err := s.Try("POST", "/v2/variant-options", body)
		if err != nil {
			answer <- err.Error()
			return
		}
		answer <- strconv.Itoa(r.Status)
	}()
	if _, err := io.WriteString(writer, `{"name": "Size", `); err != nil { // the server has begun to read the body
		t.Fatal(err)
	}

	storetest.Eventually(t, "the credential is checked", func() bool {
		return strings.Contains(s.Metrics(), `vitrine_admission_wait_seconds_count{class="short"} 1`)
	})
	if !strings.Contains(s.Metrics(), `vitrine_admission_in_progress{class="write"} 0`) {
		t.Error("the request holds a slot while its body arrives")
	}
	if _, err := io.WriteString(writer, `"values": []}`); err != nil {
		t.Fatal(err)
	}

	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-answer; got != "201" {
		t.Errorf("the request got %s", got)
	}
}

// A list that SQL computed held its heavy slot until the client had read it, so that two slow readers kept all others
// of their store waiting.
func TestP2_slowReadersHoldNoSlot(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, s *apitest.Server) {
		s.OK(201, "POST", "/v2/products", `{"name": "One"}`)

		for _, path := range []string{"/v2/products?archived=any", "/v2/products", "/v2/store"} {
			r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
			r.Header.Set("Authorization", "Bearer "+s.Secret)
			w := &slotWriter{ResponseRecorder: httptest.NewRecorder(), server: s}
			s.App.API().ServeHTTP(w, r)
			if w.Code != 200 || !w.wrote || len(w.inWork) > 0 {
				t.Errorf("%s got %d; while it was sent, these classes had requests in work: %q", path, w.Code, w.inWork)
			}
		}

		if !strings.Contains(s.Metrics(), `vitrine_admission_wait_seconds_count{class="heavy"} `) ||
			strings.Contains(s.Metrics(), `vitrine_admission_wait_seconds_count{class="heavy"} 0`) {
			t.Error("no list was heavy")
		}
	}, apitest.Alone())
}

// slotWriter records which classes have requests in work when the body is written.
type slotWriter struct {
	*httptest.ResponseRecorder
	server *apitest.Server
	wrote  bool
	inWork []string
}

func (w *slotWriter) Write(b []byte) (int, error) {
	w.wrote = true
	for line := range strings.Lines(w.server.Metrics()) {
		if strings.HasPrefix(line, "vitrine_admission_in_work{") && !strings.HasSuffix(line, " 0\n") {
			w.inWork = append(w.inWork, line)
		}
	}
	return w.ResponseRecorder.Write(b)
}

// A store can have only some of the pushes that the node works on at once.
func TestH6_pushesOfOneStoreDoNotStopOthers(t *testing.T) {
	t.Parallel()
	s := apitest.StartServer(t, database.SQLite, apitest.WithConfig(func(c *config.Serve) {
		c.AdmissionWait = 3 * time.Second
	}))
	const storeSlots = 8

	push := func(keys apitest.Keys, body io.Reader) string {
		r, err := s.Try("POST", "/v2/sync-gate/"+keys.Exchange+"/products", body,
			apitest.Header("Content-Type", "application/x-ndjson"))
		if err != nil {
			return err.Error()
		}
		if r.Status == 200 {
			return "200"
		}

		return r.Problem()
	}

	answers := make(chan string, storeSlots)
	var writers []*io.PipeWriter
	for range storeSlots {
		body, writer := io.Pipe()
		writers = append(writers, writer)
		go func() { answers <- push(s.Keys, body) }()
	}

	storetest.Eventually(t, "the pushes are in progress", func() bool {
		return strings.Contains(s.Metrics(), fmt.Sprintf(`vitrine_admission_in_progress{class="gate"} %d`, storeSlots))
	})
	const one = `{"id": "1", "name": "One"}`
	if got := push(s.Keys, strings.NewReader(one)); got != "429 too_many_requests" {
		t.Errorf("one push more than a store can have got %s", got)
	}
	if got := push(s.Other, strings.NewReader(one)); got != "200" {
		t.Errorf("a push of another store got %s", got)
	}

	for _, w := range writers {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}

	for range writers {
		if got := <-answers; got != "200" {
			t.Errorf("an admitted push got %s", got)
		}
	}
}
