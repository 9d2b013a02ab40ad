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
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/testkit/apitest"
)

// ear is a receiver in the test's own process. It keeps what it was sent.
type ear struct {
	t       *testing.T
	id, url string
	mu      sync.Mutex
	// heard are the bodies, and answered those that got a 2xx, by webhook-id.
	heard    map[string]string
	answered map[string]bool
	requests int
	// answer decides what is answered to which request; nil is always 204.
	answer func(request int, r *http.Request) int
}

// listen starts a receiver that is registered for all types.
func listen(t *testing.T, shop *apitest.Shop, answer func(request int, r *http.Request) int) *ear {
	t.Helper()
	e := &ear{t: t, heard: map[string]string{}, answered: map[string]bool{}, answer: answer}
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	e.url = server.URL
	r := shop.Admin("POST", "/api/store/webhook-receivers", map[string]any{"url": e.url, "webhook_types": []string{"*"}})
	if r.Status != 201 {
		t.Fatalf("no receiver is made: %d %s", r.Status, r.Body)
	}
	e.id = r.Text("data.id")
	return e
}

func (e *ear) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // who sent it is dead
	}
	id := r.Header.Get("webhook-id")
	e.mu.Lock()
	e.requests++
	request := e.requests
	if before, known := e.heard[id]; known && before != string(body) {
		e.t.Errorf("under one id came %s and %s", before, body)
	}
	e.heard[id] = string(body)
	e.mu.Unlock()
	code := http.StatusNoContent
	if e.answer != nil {
		code = e.answer(request, r)
	}
	w.WriteHeader(code)
	_ = http.NewResponseController(w).Flush()
	if code < 300 {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.answered[id] = true
	}
}

// knows reports whether it was sent an event, and whether it has answered that it is well.
func (e *ear) knows(eventID string) (heard, answered bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, heard = e.heard[eventID]
	return heard, e.answered[eventID]
}

func (e *ear) count() (events, requests int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.heard), e.requests
}

// subjects are the ids of what the events are about, each with how many events of a type tell of it.
func (e *ear) subjects() map[string]int {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	list := map[string]int{}
	for id, body := range e.heard {
		var sent struct {
			ID, Type string
			Payload  struct{ ID string }
		}
		if err := json.Unmarshal([]byte(body), &sent); err != nil || sent.ID != id {
			e.t.Errorf("%s was sent as %s: %v", id, body, err)
		}
		list[sent.Type+" "+sent.Payload.ID]++
	}
	return list
}

// crowd are visitors of a shop who write and order, one thing after the other. It remembers what they were told has been done.
type crowd struct {
	t            *testing.T
	variant      string
	mu           sync.Mutex
	acknowledged []string // the type of the event, and the id
	wait         sync.WaitGroup
}

// newCrowd makes what they can order.
func newCrowd(t *testing.T, shop *apitest.Shop) *crowd {
	t.Helper()
	r := shop.OK(201, "POST", "/v2/products", `{"name": "Shirt", "variants": [{"sku": "S-1", "price": 10}]}`)
	return &crowd{t: t, variant: r.Text("data.variants.0.id")}
}

// visit sends so many of them to a shop, until ctx ends or, unless they are patient, until a request breaks off.
func (c *crowd) visit(ctx context.Context, shop *apitest.Shop, visitors int, patient bool) {
	for i := range visitors {
		act := c.write
		if i == 0 {
			act = c.order
		}
		c.wait.Go(func() {
			for ctx.Err() == nil {
				if done, err := act(shop); err == nil && done != "" {
					c.mu.Lock()
					c.acknowledged = append(c.acknowledged, done)
					c.mu.Unlock()
				} else if err != nil && !patient {
					return
				}
			}
		})
	}
}

func (c *crowd) write(shop *apitest.Shop) (done string, err error) {
	r, err := shop.Try("POST", "/v2/feedback", `{"name": "Anna", "message": "When?"}`, apitest.As(shop.Publishable))
	if err != nil || r.Status != 201 {
		return "", err
	}
	return event.FeedbackSubmitted + " " + r.Text("data.id"), nil
}

func (c *crowd) order(shop *apitest.Shop) (done string, err error) {
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

func (c *crowd) done() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.acknowledged...)
}

// busy waits until so many more things were acknowledged.
func (c *crowd) busy(more int) {
	c.t.Helper()
	enough := len(c.done()) + more
	eventually(c.t, "visitors have done something", func() bool { return len(c.done()) >= enough })
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// open opens the database of the place beside the server; the caller closes it.
func (at *place) open() *database.DB {
	at.t.Helper()
	storage := config.Storage{Data: at.data, Database: at.database}
	db, err := database.Open(at.t.Context(), database.Config{URL: storage.DatabaseURL()})
	if err != nil {
		at.t.Fatal(err)
	}
	return db
}

// tenSecondsLater ends the leases of nodes that are dead, as their time does: on PostgreSQL others wait for that.
func (at *place) tenSecondsLater() {
	at.t.Helper()
	at.sql(func(q database.Querier) error {
		_, err := q.Exec(at.t.Context(), `UPDATE nodes SET lease_until = 0`)
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

// behind counts the events of which there are no deliveries yet.
const behind = `SELECT COALESCE((SELECT last FROM event_sequences), 0) - COALESCE((SELECT sequence FROM event_fanouts), 0)`

// wholeness counts what must not be there once all is delivered.
var wholeness = map[string]string{
	"gaps in the sequence":              `SELECT (SELECT last FROM event_sequences) - (SELECT COUNT(*) FROM events)`,
	"jobs that are left":                `SELECT COUNT(*) FROM jobs WHERE kind = 'webhook.deliver'`,
	"events that were not fanned out":   behind,
	"deliveries that were made twice":   `SELECT COUNT(*) - (SELECT COUNT(*) FROM (SELECT DISTINCT receiver_key, sequence FROM deliveries) AS d) FROM deliveries`,
	"feedback without its event":        `SELECT (SELECT COUNT(*) FROM feedback) - (SELECT COUNT(*) FROM events WHERE type = 'feedback.submitted')`,
	"orders without their event":        `SELECT (SELECT COUNT(*) FROM orders WHERE submitted_at IS NOT NULL) - (SELECT COUNT(*) FROM events WHERE type = 'order.submitted')`,
	"deliveries whose attempts differ":  `SELECT COUNT(*) FROM deliveries d WHERE attempts_count <> (SELECT COUNT(*) FROM attempts a WHERE a.store_id = d.store_id AND a.delivery_key = d.key)`,
	"deliveries without a last success": `SELECT COUNT(*) FROM deliveries d WHERE (SELECT COUNT(*) FROM attempts a WHERE a.store_id = d.store_id AND a.delivery_key = d.key AND a.number = d.attempts_count AND a.phase IS NULL) = 0`,
}

// whole waits until all is delivered, and checks that nothing was lost: each receiver has heard of all that was acknowledged, and under one id of
// each thing; what it has heard of exists; and the records agree.
func (c *crowd) whole(at *place, ears ...*ear) {
	c.t.Helper()
	db := at.open()
	defer db.Close()
	const waiting = `SELECT COUNT(*) FROM deliveries WHERE status <> 'delivered'`
	eventually(c.t, "all is delivered", func() bool { return count(c.t, db, behind) == 0 && count(c.t, db, waiting) == 0 })
	for what, sql := range wholeness {
		if n := count(c.t, db, sql); n != 0 {
			c.t.Errorf("there are %d %s", n, what)
		}
	}
	for _, e := range ears {
		subjects := e.subjects()
		lost := 0
		for _, one := range c.done() {
			if subjects[one] == 0 {
				lost++
			}
		}
		if lost > 0 {
			c.t.Errorf("a receiver has not heard of %d of %d things that were acknowledged", lost, len(c.done()))
		}
		for subject, ids := range subjects {
			if ids != 1 {
				c.t.Errorf("%s came under %d ids", subject, ids)
			}
		}
		events, requests := e.count()
		const to = `SELECT COUNT(*) FROM deliveries WHERE receiver_key = (SELECT key FROM receivers WHERE url = $1)`
		if n := count(c.t, db, to, e.url); n != events {
			c.t.Errorf("a receiver has heard of %d events, and there are %d deliveries to it", events, n)
		}
		c.t.Logf("%s: %d acknowledged, %d events in %d requests", at.engine, len(c.done()), events, requests)
	}
}
