package kill

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// testReceiver is a webhook receiver in the process of the test. It records what it gets.
type testReceiver struct {
	t       *testing.T
	id, url string
	mu      sync.Mutex
	// bodies has the request bodies by webhook-id. acknowledged has the webhook-ids of requests that got a 2xx.
	bodies       map[string]string
	acknowledged map[string]bool
	requests     int
	// respond returns the status of the response to a request. request is its number, from 1. If respond is nil, every
	// response is a 204.
	respond func(request int, r *http.Request) int
}

// startReceiver starts a receiver and registers it for events of all types.
func startReceiver(t *testing.T, shop *apitest.Server, answer func(request int, r *http.Request) int) *testReceiver {
	t.Helper()
	e := &testReceiver{t: t, bodies: map[string]string{}, acknowledged: map[string]bool{}, respond: answer}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	e.url = server.URL
	r := shop.DoAdmin("POST", "/api/store/webhook-receivers",
		map[string]any{"url": e.url, "webhook_types": []string{"*"}})
	if r.Status != 201 {
		t.Fatalf("creating a receiver returns %d %s", r.Status, r.Body)
	}
	e.id = r.Text("data.id")
	return e
}

func (e *testReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender was killed
	}
	if bytes.Contains(body, []byte(`"type":"catalog.changed"`)) {
		w.WriteHeader(http.StatusNoContent) // nothing that visitors do changes the catalogue at a known time
		return
	}

	id := r.Header.Get("webhook-id")
	e.mu.Lock()
	e.requests++
	request := e.requests

	if before, known := e.bodies[id]; known && before != string(body) {
		e.t.Errorf("one webhook-id has two bodies: %s and %s", before, body)
	}

	e.bodies[id] = string(body)
	e.mu.Unlock()
	code := http.StatusNoContent
	if e.respond != nil {
		code = e.respond(request, r)
	}

	w.WriteHeader(code)
	_ = http.NewResponseController(w).Flush()

	if code < 300 {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.acknowledged[id] = true
	}
}

// eventStatus reports whether the receiver got an event, and whether it responded with 2xx.
func (e *testReceiver) eventStatus(eventID string) (received, acknowledged bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, received = e.bodies[eventID]
	return received, e.acknowledged[eventID]
}

func (e *testReceiver) count() (events, requests int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.bodies), e.requests
}

// eventIDCounts returns, by event type and subject id, the number of different webhook-ids.
func (e *testReceiver) eventIDCounts() map[string]int {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	counts := map[string]int{}
	for id, body := range e.bodies {
		var sent struct {
			ID, Type string
			Payload  struct{ ID string }
		}
		if err := json.Unmarshal([]byte(body), &sent); err != nil || sent.ID != id {
			e.t.Errorf("the event with the webhook-id %s has the body %s: %v", id, body, err)
		}
		counts[sent.Type+" "+sent.Payload.ID]++
	}
	return counts
}

// visitors are clients that send feedback and orders. Each sends one request after the other and records the successes.
type visitors struct {
	t            *testing.T
	variant      string
	mu           sync.Mutex
	acknowledged []string // event type and subject id
	wait         sync.WaitGroup
}

// newVisitors returns visitors that have not started yet. It creates the product that they order.
func newVisitors(t *testing.T, shop *apitest.Server) *visitors {
	t.Helper()
	r := shop.OK(201, "POST", "/v2/products", `{"name": "Shirt", "variants": [{"sku": "S-1", "price": 10}]}`)
	return &visitors{t: t, variant: r.Text("data.variants.0.id")}
}

// start starts n visitors. Each of them stops when ctx is done or, unless persistent is set, at the first request
// without a response.
func (c *visitors) start(ctx context.Context, shop *apitest.Server, n int, persistent bool) {
	for i := range n {
		act := c.sendFeedback
		if i == 0 {
			act = c.submitOrder
		}

		c.wait.Go(func() {
			for ctx.Err() == nil {
				if done, err := act(shop); err == nil && done != "" {
					c.mu.Lock()
					c.acknowledged = append(c.acknowledged, done)
					c.mu.Unlock()
				} else if err != nil && !persistent {
					return
				}
			}
		})
	}
}

func (c *visitors) sendFeedback(shop *apitest.Server) (done string, err error) {
	r, err := shop.Try("POST", "/v2/feedback", `{"name": "Anna", "message": "When?"}`, apitest.As(shop.Publishable))
	if err != nil || r.Status != 201 {
		return "", err
	}
	return event.FeedbackSubmitted + " " + r.Text("data.id"), nil
}

func (c *visitors) submitOrder(shop *apitest.Server) (done string, err error) {
	r, err := shop.Try("POST", "/v2/orders", fmt.Sprintf(`{"items": [{"variant_id": %q, "quantity": 1}]}`, c.variant),
		apitest.As(shop.Publishable))
	if err != nil || r.Status != 201 {
		return "", err
	}
	id := r.Text("data.id")
	r, err = shop.Try("POST", "/v2/orders/"+id+"/submit", `{"contact": {"name": "Anna", "phone": "+49 30 1234567"}}`,
		apitest.As(shop.Publishable), apitest.Header("X-Order-Token", r.Text("data.order_token")))
	if err != nil || r.Status != 200 {
		return "", err
	}
	return event.OrderSubmitted + " " + id, nil
}

func (c *visitors) acknowledgedEvents() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.acknowledged...)
}

// waitForMore waits until the given number of further requests is acknowledged.
func (c *visitors) waitForMore(more int) {
	c.t.Helper()
	enough := len(c.acknowledgedEvents()) + more
	storetest.Eventually(c.t, "enough requests of visitors are acknowledged",
		func() bool { return len(c.acknowledgedEvents()) >= enough })
}

// openDB opens the database of the installation. The caller closes it.
func (inst *installation) openDB() *database.DB {
	inst.T.Helper()
	storage := config.Storage{Data: inst.Data, Database: inst.Database}
	db, err := database.Open(inst.T.Context(), database.Config{URL: storage.DatabaseURL()})
	if err != nil {
		inst.T.Fatal(err)
	}
	return db
}

// expireLeases expires the leases of killed nodes. On PostgreSQL the next node would otherwise wait ten seconds.
func (inst *installation) expireLeases() {
	inst.T.Helper()
	inst.waitForSessionsToEnd()
	inst.WriteDB(func(q database.Querier) error {
		_, err := q.Exec(inst.T.Context(), `UPDATE nodes SET lease_until = 0`)
		return err
	})
}

// notFannedOutSQL counts the events that have no deliveries yet.
const notFannedOutSQL = `SELECT COALESCE((SELECT last FROM event_sequences), 0) - COALESCE((SELECT sequence ` +
	`FROM event_fanouts), 0)`

// violationsSQL counts rows that must not exist after all events are delivered.
var violationsSQL = map[string]string{
	"gaps in the sequence": `SELECT (SELECT last FROM event_sequences) - (SELECT COUNT(*) ` +
		`FROM events)`,
	"remaining jobs":         `SELECT COUNT(*) FROM jobs WHERE kind = 'webhook.deliver'`,
	"events without fan-out": notFannedOutSQL,
	"duplicate deliveries": `SELECT COUNT(*) - (SELECT COUNT(*) ` +
		`FROM (SELECT DISTINCT receiver_key, sequence FROM deliveries) AS d) FROM deliveries`,
	"feedback messages without an event": `SELECT (SELECT COUNT(*) FROM feedback) - (SELECT COUNT(*) FROM events ` +
		`WHERE type = 'feedback.submitted')`,
	"orders without an event": `SELECT (SELECT COUNT(*) FROM orders ` +
		`WHERE submitted_at IS NOT NULL) - (SELECT COUNT(*) FROM events WHERE type = 'order.submitted')`,
	"deliveries with a wrong attempts_count": `SELECT COUNT(*) FROM deliveries d ` +
		`WHERE attempts_count <> (SELECT COUNT(*) FROM attempts a WHERE a.store_id = d.store_id ` +
		`AND a.delivery_key = d.key)`,
	"deliveries whose last attempt failed": `SELECT COUNT(*) FROM deliveries d WHERE (SELECT COUNT(*) ` +
		`FROM attempts a WHERE a.store_id = d.store_id AND a.delivery_key = d.key AND a.number = d.attempts_count ` +
		`AND a.phase IS NULL) = 0`,
}

// verifyDelivered waits until all events are delivered. It checks that every receiver got all acknowledged events, each
// with one webhook-id, that every event that a receiver got has a delivery, and that the database is consistent.
func (c *visitors) verifyDelivered(inst *installation, receivers ...*testReceiver) {
	c.t.Helper()
	db := inst.openDB()
	defer db.Close()

	const undeliveredSQL = `SELECT COUNT(*) FROM deliveries WHERE status <> 'delivered'`
	delivered := func() bool {
		return apitest.CountRows(c.t, db, notFannedOutSQL) == 0 && apitest.CountRows(c.t, db, undeliveredSQL) == 0
	}

	// A delivery that was running at several kills has a last chance, for which it waits up to a minute until nothing
	// else is running, and in which others wait for it.
	for end := time.Now().Add(3 * time.Minute); !delivered() && time.Now().Before(end); {
		time.Sleep(100 * time.Millisecond)
	}
	if !delivered() {
		c.t.Fatalf("%d events have no deliveries, %d deliveries are open, %d jobs and %d parked ones are left",
			apitest.CountRows(c.t, db, notFannedOutSQL), apitest.CountRows(c.t, db, undeliveredSQL),
			apitest.CountRows(c.t, db, "SELECT COUNT(*) FROM jobs"),
			apitest.CountRows(c.t, db, "SELECT COUNT(*) FROM parked_jobs"))
	}

	// Events of the catalogue may still come, so that one has a job for a moment.
	for what, sql := range violationsSQL {
		storetest.Eventually(c.t, "there are no "+what, func() bool { return apitest.CountRows(c.t, db, sql) == 0 })
	}

	for _, e := range receivers {
		subjects := e.eventIDCounts()
		lost := 0
		for _, one := range c.acknowledgedEvents() {
			if subjects[one] == 0 {
				lost++
			}
		}

		if lost > 0 {
			c.t.Errorf("a receiver did not get %d of %d acknowledged events", lost, len(c.acknowledgedEvents()))
		}

		for subject, ids := range subjects {
			if ids != 1 {
				c.t.Errorf("%s was sent with %d different webhook-ids", subject, ids)
			}
		}

		events, requests := e.count()
		const deliveriesSQL = `SELECT COUNT(*) FROM deliveries WHERE receiver_key = (SELECT key FROM receivers ` +
			`WHERE url = $1) AND type <> 'catalog.changed'`
		if n := apitest.CountRows(c.t, db, deliveriesSQL, e.url); n != events {
			c.t.Errorf("a receiver got %d events, but has %d deliveries", events, n)
		}

		c.t.Logf("%s: %d acknowledged, %d events in %d requests", inst.Engine, len(c.acknowledgedEvents()), events,
			requests)
	}
}
