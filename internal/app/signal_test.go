package app_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// On SIGTERM the program completes requests in progress, reports on /readyz that it is stopping, and exits with 0.
func TestStop_completesRequestsInProgress(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun("--shutdown-delay", "500ms")
		const body = `{"name": "Last", "values": [{"name": "one"}]}`
		conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()

		half := len(body) / 2
		fmt.Fprintf(conn,
			"POST /v2/variant-options HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: "+
				"application/json\r\nContent-Length: %d\r\n\r\n%s", shop.Secret, len(body), body[:half])
		shop.Get("/v2/store") // after this response the server has accepted conn, too, which was opened earlier
		p.Signal(syscall.SIGTERM)

		storetest.Eventually(t, "/readyz reports that the server is stopping", func() bool {
			r, err := http.Get(p.AdminURL + "/readyz")
			if err != nil {
				t.Fatalf("/readyz does not respond after the signal: %v", err)
			}
			text, _ := io.ReadAll(r.Body)
			_ = r.Body.Close()
			return r.StatusCode == 503 && strings.Contains(string(text), `"status":"stopping"`)
		})

		shop.Get("/v2/store") // the server handles requests until the shutdown delay has passed
		storetest.Eventually(t, "the listener refuses connections", func() bool {
			second, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
			if err == nil {
				second.Close()
			}
			return err != nil
		})

		if p.Ended() {
			t.Fatal("the program exited before the request was complete")
		}

		fmt.Fprint(conn, body[half:])
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || response.StatusCode != 201 {
			t.Fatalf("the request in progress got %v, %v, want 201", response, err)
		}

		_, _ = io.Copy(io.Discard, response.Body)
		if code := p.Wait(); code != 0 {
			t.Errorf("the program exits with %d, want 0", code)
		}

		options := inst.Serve().Server(shop.Keys).Get("/v2/variant-options").Texts("data", "name")
		if !slices.Equal(options, []string{"Last"}) {
			t.Errorf("after the restart the options are %q", options)
		}
	})
}

// After each of several kills, every acknowledged write exists and every entity is complete.
func TestKill_keepsAcknowledgedWrites(t *testing.T) {
	t.Parallel()
	sampledEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun()
		keys := shop.Keys
		const clients, values = 6, 20
		kills := promise.Sample(promise.Repeat(1, 2), 5)
		var list []string
		for i := range values {
			list = append(list, fmt.Sprintf(`{"name": "v%d"}`, i))
		}

		acknowledged := map[string]bool{} // by name
		var mu sync.Mutex
		for round := range kills {
			shop = p.Server(keys)
			var wait sync.WaitGroup
			for client := range clients {
				wait.Go(func() {
					for i := 0; ; i++ {
						name := fmt.Sprintf("r%d c%d n%d", round, client, i)
						options := []apitest.RequestOption{}
						if client%2 == 0 {
							options = append(options,
								apitest.Header("Idempotency-Key", strings.ReplaceAll(name, " ", "-")))
						}

						r, err := shop.Try("POST", "/v2/variant-options",
							fmt.Sprintf(`{"name": %q, "values": [%s]}`, name, strings.Join(list, ",")), options...)
						if err != nil {
							return // the server was killed
						}

						if r.Status == 201 {
							mu.Lock()
							acknowledged[name] = true
							mu.Unlock()
						}
					}
				})
			}

			storetest.Eventually(t, "30 more writes are acknowledged", func() bool {
				mu.Lock()
				defer mu.Unlock()
				return len(acknowledged) >= 30*(round+1)
			})
			p.Kill()
			wait.Wait()
			p = inst.Serve()
			shop = p.Server(keys)
			stored := map[string]bool{}

			for page := 1; ; page++ {
				r := shop.Get(fmt.Sprintf("/v2/variant-options?per_page=250&with=values&page=%d", page))
				for i, name := range r.Texts("data", "name") {
					if stored[name] {
						t.Errorf("%s exists twice", name)
					}
					stored[name] = true
					if got := r.Len(fmt.Sprintf("data.%d.values", i)); got != values {
						t.Errorf("%s has %d values, want %d", name, got, values)
					}
				}

				if r.Len("data") < 250 {
					break
				}
			}

			lost := 0
			for name := range acknowledged {
				if !stored[name] {
					lost++
				}
			}

			if lost > 0 {
				t.Fatalf("after kill %d, %d of %d acknowledged options are missing", round+1, lost, len(acknowledged))
			}
		}

		// A response stored under an Idempotency-Key before a kill is replayed after it.
		r := shop.Do("POST", "/v2/variant-options",
			fmt.Sprintf(`{"name": "r0 c0 n0", "values": [%s]}`, strings.Join(list, ",")),
			apitest.Header("Idempotency-Key", "r0-c0-n0"))
		if acknowledged["r0 c0 n0"] && r.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("a response stored under an Idempotency-Key is not replayed: %d", r.Status)
		}

		t.Logf("%s: %d options were acknowledged over %d kills", inst.Engine, len(acknowledged), kills)
	})
}
