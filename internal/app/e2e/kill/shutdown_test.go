package kill

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
)

// A server that is told to stop while a push has no end in sight exits with 0 within 25 seconds. The client gets a 503
// with Retry-After, the run has failed at once and not only after the next start, a push in the background goes on, and
// the repeated push completes what is missing.
func TestStop_endsLongPushWithinTheDeadline(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun("--shutdown-delay", "1s") // the default, which installation.serve shortens
		all := testCatalog{3000, 1}
		g := gateClient{shop, t}
		background := gateClient{p.Server(inst.newStore()), t}

		for _, entity := range referencedEntities {
			g.OK(200, "POST", g.path(entity), all.payload(entity))
			background.OK(200, "POST", background.path(entity), all.payload(entity))
		}

		body, client := io.Pipe()
		stop := make(chan struct{})
		defer close(stop)

		go func() { // sends products for ever
			for i := 0; ; i++ {
				if _, err := fmt.Fprintln(client, all.product(i%all.products)); err != nil {
					return
				}
				select {
				case <-stop:
					return
				case <-time.After(time.Millisecond): // a client that sends in real time
				}
			}
		}()

		responses := make(chan *apitest.Response, 1)
		go func() {
			r, err := g.Try("POST", g.path("products"), body, apitest.Header("Content-Type", "application/x-ndjson"))
			if err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, net.ErrClosed) {
				t.Errorf("the push got no response: %v", err)
			}
			responses <- r
		}()
		seen := g.waitForStart(all)
		padded := strings.Join(all.paddedLines(), "")
		queued := background.pushLines(202, padded, apitest.Header("Prefer", "respond-async")).Text("data.id")

		p.Signal(syscall.SIGTERM)
		signalled := time.Now()
		r := <-responses

		code := p.Wait()
		if took := time.Since(signalled); code != 0 || took > 25*time.Second {
			t.Errorf("the program exits with %d after %s, want 0 within 25 s", code, took)
		}

		switch {
		case r == nil:
			// The kernel drops a response that the client has not read within half a second, because the client goes on
			// sending. On a busy machine that happens.
			t.Log("the connection of the push was reset")
		case r.Problem() != "503 interrupted" || r.Header.Get("Retry-After") == "" || r.Text("run.id") != seen.id:
			t.Errorf("the push got %s with Retry-After %q", r.Problem(), r.Header.Get("Retry-After"))
		}

		p = inst.Serve()
		g = gateClient{p.Server(shop.Keys), t}
		background = gateClient{p.Server(background.Keys), t}

		run := g.run(seen.id)
		if run.Text("data.status") != "failed" || run.Text("data.problem.code") != "interrupted" ||
			r != nil && run.Text("data.received") != r.Text("run.received") {
			t.Errorf("after the restart the run is %s", run.Body)
		}

		if end := background.waitForEnd(queued); g.runCount(end, "received") != all.products ||
			end.Text("data.status") != "completed" {
			t.Errorf("the push in the background ends as %s", end.Body)
		}

		again := g.pushLines(http.StatusOK, all.ndjson())
		if g.runCount(again, "received") != all.products || g.runCount(again, "failed") != 0 {
			t.Errorf("the repeated push is %s", again.Body)
		}
		if n := g.Get("/v2/products?per_page=1").Text("meta.total"); n != fmt.Sprint(all.products) {
			t.Errorf("the store has %s products, want %d", n, all.products)
		}
	})
}
