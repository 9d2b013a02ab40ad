package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/storetest"
)

// testReceiver is a receiver in the test's own process. It keeps what it was sent.
type testReceiver struct {
	t       *testing.T
	id, url string
	mu      sync.Mutex
	// bodies are the bodies, and answered those that got a 2xx, by webhook-id.
	bodies       map[string]string
	acknowledged map[string]bool
	requests     int
	// respond decides what is answered to which request; nil is always 204.
	respond func(request int, r *http.Request) int
}

// startReceiver starts a receiver that is registered for all types.
func startReceiver(t *testing.T, shop *apitest.Shop, answer func(request int, r *http.Request) int) *testReceiver {
	t.Helper()
	e := &testReceiver{t: t, bodies: map[string]string{}, acknowledged: map[string]bool{}, respond: answer}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	e.url = server.URL
	r := shop.Admin("POST", "/api/store/webhook-receivers", map[string]any{"url": e.url, "webhook_types": []string{"*"}})
	if r.Status != 201 {
		t.Fatalf("creating a receiver returns %d %s", r.Status, r.Body)
	}
	e.id = r.Text("data.id")
	return e
}

func (e *testReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // who sent it is dead
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

// eventStatus reports whether it was sent an event, and whether it has answered that it is well.
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

// eventIDCounts are the ids of what the events are about, each with how many events of a type tell of it.
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

// visitors are visitors of a shop who write and order, one thing after the other. It remembers what they were told has been done.
type visitors struct {
	t            *testing.T
	variant      string
	mu           sync.Mutex
	acknowledged []string // the type of the event, and the id
	wait         sync.WaitGroup
}

// newVisitors makes what they can order.
func newVisitors(t *testing.T, shop *apitest.Shop) *visitors {
	t.Helper()
	r := shop.OK(201, "POST", "/v2/products", `{"name": "Shirt", "variants": [{"sku": "S-1", "price": 10}]}`)
	return &visitors{t: t, variant: r.Text("data.variants.0.id")}
}

// start sends so many of them to a shop, until ctx ends or, unless they are patient, until a request breaks off.
func (c *visitors) start(ctx context.Context, shop *apitest.Shop, n int, persistent bool) {
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

func (c *visitors) sendFeedback(shop *apitest.Shop) (done string, err error) {
	r, err := shop.Try("POST", "/v2/feedback", `{"name": "Anna", "message": "When?"}`, apitest.As(shop.Publishable))
	if err != nil || r.Status != 201 {
		return "", err
	}
	return event.FeedbackSubmitted + " " + r.Text("data.id"), nil
}

func (c *visitors) submitOrder(shop *apitest.Shop) (done string, err error) {
	r, err := shop.Try("POST", "/v2/orders", fmt.Sprintf(`{"items": [{"variant_id": %q, "quantity": 1}]}`, c.variant), apitest.As(shop.Publishable))
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

// waitForMore waits until so many more things were acknowledged.
func (c *visitors) waitForMore(more int) {
	c.t.Helper()
	enough := len(c.acknowledgedEvents()) + more
	storetest.Eventually(c.t, "enough requests of visitors are acknowledged", func() bool { return len(c.acknowledgedEvents()) >= enough })
}

// openDB opens the database of the place beside the server; the caller closes it.
func (inst *installation) openDB() *database.DB {
	inst.t.Helper()
	storage := config.Storage{Data: inst.data, Database: inst.database}
	db, err := database.Open(inst.t.Context(), database.Config{URL: storage.DatabaseURL()})
	if err != nil {
		inst.t.Fatal(err)
	}
	return db
}

// expireLeases ends the leases of nodes that are dead, as their time does: on PostgreSQL others wait for that.
func (inst *installation) expireLeases() {
	inst.t.Helper()
	inst.writeDB(func(q database.Querier) error {
		_, err := q.Exec(inst.t.Context(), `UPDATE nodes SET lease_until = 0`)
		return err
	})
}

// count reads one number.
func count(t *testing.T, db *database.DB, sql string, args ...any) (n int) {
	t.Helper()
	err := db.Read(t.Context(), func(q database.Querier) error { return database.QueryRow(t.Context(), q, sql, args, &n) })
	if err != nil {
		t.Errorf("%s: %v", sql, err)
	}
	return n
}

// notFannedOutSQL counts the events of which there are no deliveries yet.
const notFannedOutSQL = `SELECT COALESCE((SELECT last FROM event_sequences), 0) - COALESCE((SELECT sequence FROM event_fanouts), 0)`

// violationsSQL counts what must not be there once all is delivered.
var violationsSQL = map[string]string{
	"gaps in the sequence":                   `SELECT (SELECT last FROM event_sequences) - (SELECT COUNT(*) FROM events)`,
	"remaining jobs":                         `SELECT COUNT(*) FROM jobs WHERE kind = 'webhook.deliver'`,
	"events without fan-out":                 notFannedOutSQL,
	"duplicate deliveries":                   `SELECT COUNT(*) - (SELECT COUNT(*) FROM (SELECT DISTINCT receiver_key, sequence FROM deliveries) AS d) FROM deliveries`,
	"feedback messages without an event":     `SELECT (SELECT COUNT(*) FROM feedback) - (SELECT COUNT(*) FROM events WHERE type = 'feedback.submitted')`,
	"orders without an event":                `SELECT (SELECT COUNT(*) FROM orders WHERE submitted_at IS NOT NULL) - (SELECT COUNT(*) FROM events WHERE type = 'order.submitted')`,
	"deliveries with a wrong attempts_count": `SELECT COUNT(*) FROM deliveries d WHERE attempts_count <> (SELECT COUNT(*) FROM attempts a WHERE a.store_id = d.store_id AND a.delivery_key = d.key)`,
	"deliveries whose last attempt failed":   `SELECT COUNT(*) FROM deliveries d WHERE (SELECT COUNT(*) FROM attempts a WHERE a.store_id = d.store_id AND a.delivery_key = d.key AND a.number = d.attempts_count AND a.phase IS NULL) = 0`,
}

// verifyDelivered waits until all is delivered, and checks that nothing was lost: each receiver has heard of all that was acknowledged, and under one id of
// each thing; what it has heard of exists; and the records agree.
func (c *visitors) verifyDelivered(inst *installation, receivers ...*testReceiver) {
	c.t.Helper()
	db := inst.openDB()
	defer db.Close()
	const undeliveredSQL = `SELECT COUNT(*) FROM deliveries WHERE status <> 'delivered'`
	storetest.Eventually(c.t, "all events are delivered", func() bool { return count(c.t, db, notFannedOutSQL) == 0 && count(c.t, db, undeliveredSQL) == 0 })
	for what, sql := range violationsSQL {
		if n := count(c.t, db, sql); n != 0 {
			c.t.Errorf("there are %d %s", n, what)
		}
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
		const deliveriesSQL = `SELECT COUNT(*) FROM deliveries WHERE receiver_key = (SELECT key FROM receivers WHERE url = $1)`
		if n := count(c.t, db, deliveriesSQL, e.url); n != events {
			c.t.Errorf("a receiver got %d events, but has %d deliveries", events, n)
		}
		c.t.Logf("%s: %d acknowledged, %d events in %d requests", inst.engine, len(c.acknowledgedEvents()), events, requests)
	}
}
