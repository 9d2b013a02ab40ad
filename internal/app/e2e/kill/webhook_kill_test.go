package kill

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest/pgserver"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// killCount returns how often the program is killed on each engine: VITRINE_KILLS, or a sample.
func killCount(t *testing.T) int {
	t.Helper()
	return promise.Number(t, "VITRINE_KILLS", promise.Sample(promise.Repeat(1, 2), 5))
}

// After kills at random times under load, every receiver gets all acknowledged events.
func TestWebhooks_surviveKills(t *testing.T) {
	t.Parallel()
	rounds := killCount(t)

	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun("--dev")
		keys := shop.Keys
		c := newVisitors(t, shop)
		healthy := startReceiver(t, shop, nil)
		var repaired atomic.Bool
		flaky := startReceiver(t, shop, func(request int, _ *http.Request) int {
			if request%9 == 0 && !repaired.Load() {
				return http.StatusServiceUnavailable
			}
			return http.StatusOK
		})

		for range rounds {
			c.start(t.Context(), p.Server(keys), 4, false)
			c.waitForMore(10)
			time.Sleep(rand.N(100 * time.Millisecond)) // kill the process at a random time
			p.Kill()
			c.wait.Wait()
			inst.expireLeases()
			p = inst.Serve("--dev")
		}

		repaired.Store(true)
		db := inst.openDB()
		storetest.Eventually(t, "all events are fanned out",
			func() bool { return apitest.CountRows(t, db, notFannedOutSQL) == 0 })
		if err := db.Close(); err != nil {
			t.Error(err)
		}

		// Failed deliveries would otherwise wait for their next scheduled attempt. This request makes them due at once.
		r := p.Server(keys).DoAdmin("POST", "/api/store/webhook-receivers/"+flaky.id+"/recover", recoverAllBody)
		if r.Status != 202 {
			t.Errorf("recover returns %d %s, want 202", r.Status, r.Body)
		}

		c.verifyDelivered(inst, healthy, flaky)
	})
}

// recoverAllBody is the body of a request that recovers all deliveries.
const recoverAllBody = `{"since": "2020-01-01T00:00:00Z"}`

// deliveryStep is a state that an event passes through. reached reports whether an event is in that state.
type deliveryStep struct {
	name    string
	engine  string // empty for both
	reached func(ctx context.Context, q database.Querier, e *testReceiver) (bool, error)
}

// deliverySteps are the states in their order.
var deliverySteps = []deliveryStep{
	{"committed and not fanned out", "", func(ctx context.Context, q database.Querier, _ *testReceiver) (bool, error) {
		return countIsPositive(ctx, q, notFannedOutSQL)
	}},
	{"in the middle of the fan-out", database.Postgres, openTransaction("INSERT INTO deliveries")},
	{"fanned out and not sent", "", pendingDelivery(func(received, _ bool) bool { return !received })},
	{"acknowledged by the receiver and not recorded", "", pendingDelivery(func(_, acknowledged bool) bool {
		return acknowledged
	})},
	{"in the middle of recording", database.Postgres, openTransaction("INSERT INTO attempts")},
}

// countIsPositive reports whether a query for one number returns more than 0.
func countIsPositive(ctx context.Context, q database.Querier, sql string, args ...any) (bool, error) {
	var n int
	err := database.QueryRow(ctx, q, sql, args, &n)
	return n > 0, err
}

// pendingDelivery returns a function that looks for a pending delivery whose event matches.
func pendingDelivery(
	matches func(received, acknowledged bool) bool,
) func(context.Context, database.Querier, *testReceiver) (bool, error) {
	return func(ctx context.Context, q database.Querier, e *testReceiver) (found bool, err error) {
		const sql = `SELECT id FROM events WHERE sequence IN (SELECT sequence FROM deliveries ` +
			`WHERE status = 'pending' AND receiver_key = (SELECT key FROM receivers WHERE url = $1))`
		err = database.QueryEach(ctx, q, sql, []any{e.url}, func(rows database.Rows) error {
			var eventID event.ID
			err := rows.Scan(&eventID)
			found = found || matches(e.eventStatus(eventID.String()))
			return err
		})
		return found, err
	}
}

// openTransaction returns a function that looks for an open transaction whose last statement contains statement.
func openTransaction(statement string) func(context.Context, database.Querier, *testReceiver) (bool, error) {
	return func(ctx context.Context, q database.Querier, _ *testReceiver) (bool, error) {
		const sql = `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() ` +
			`AND state = 'idle in transaction' AND query LIKE '%' || $1 || '%'`
		return countIsPositive(ctx, q, sql, statement)
	}
}

// The program continues after a kill at every step of a delivery.
func TestWebhooks_surviveAKillAtEveryStep(t *testing.T) {
	t.Parallel()
	rounds := max(1, killCount(t)/20)

	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun("--dev")
		keys := shop.Keys
		c := newVisitors(t, shop)
		e := startReceiver(t, shop, nil)

		for range rounds {
			for _, s := range deliverySteps {
				if s.engine != "" && s.engine != inst.Engine {
					continue
				}
				c.start(t.Context(), p.Server(keys), 3, false)
				c.waitForMore(5)
				c.killAt(inst, p, s, e)
				inst.expireLeases()
				p = inst.Serve("--dev")
			}
		}

		c.verifyDelivered(inst, e)
		inst.verifyPayloadIsSnapshot(p.Server(keys), c.variant)
	})
}

// killAt pauses the program repeatedly until it is at the step, and kills it there.
func (c *visitors) killAt(inst *installation, p *apitest.Process, s deliveryStep, e *testReceiver) {
	c.t.Helper()
	db := inst.openDB()
	defer db.Close() // the next start then finds no open connection, as after a crash

	tries := 0

	storetest.Eventually(c.t, s.name, func() bool {
		tries++
		time.Sleep(rand.N(3 * time.Millisecond)) // lets the process, which uses the real time, continue
		p.Pause()
		var reached bool
		err := db.Read(c.t.Context(), func(q database.Querier) (err error) {
			reached, err = s.reached(c.t.Context(), q, e)
			return err
		})
		if err != nil && inst.Engine == database.Postgres {
			c.t.Fatal(err)
		}

		if err != nil || !reached { // SQLite cannot be read while the paused program holds a lock
			p.Resume()
			return false
		}

		p.Kill()
		return true
	})

	c.wait.Wait()
	c.t.Logf("%s: killed when the event was %s, after %d pauses", inst.Engine, s.name, tries)
}

// verifyPayloadIsSnapshot checks that an event that is sent late has the state at the time of its commit.
func (inst *installation) verifyPayloadIsSnapshot(shop *apitest.Server, variant string) {
	t := inst.T
	t.Helper()
	late := startReceiver(t, shop, nil)
	path := "/api/store/webhook-receivers/" + late.id
	admin := func(method, path, body string) {
		if r := shop.DoAdmin(method, path, body); r.Status >= 300 {
			t.Fatalf("%s %s returns %d %s", method, path, r.Status, r.Body)
		}
	}
	admin("PUT", path, `{"enabled": false}`)
	c := visitors{t: t, variant: variant}
	done, err := c.submitOrder(shop)
	if err != nil {
		t.Fatal(err)
	}

	_, order, _ := strings.Cut(done, " ")
	shop.OK(200, "POST", "/v2/orders/"+order+"/cancel", nil)
	admin("PUT", path, `{"enabled": true}`)
	storetest.Eventually(t, "both events are sent", func() bool {
		admin("POST", path+"/recover", recoverAllBody)
		n, _ := late.count()
		return n == 2
	})
	late.mu.Lock()
	defer late.mu.Unlock()

	for _, body := range late.bodies {
		state := "cancelled"
		if strings.Contains(body, `"type":"order.submitted"`) {
			state = "submitted"
		}
		if !strings.Contains(body, `"state":"`+state+`"`) {
			t.Errorf("the payload does not have the state of the order at that time: %s", body)
		}
	}
}

// Of two nodes on PostgreSQL, the one with the leases is killed while a receiver hangs. The other node takes over, and
// no event is lost.
func TestWebhooks_surviveTheDeathOfTheirNode(t *testing.T) {
	t.Parallel()
	inst := newInstallation(t, database.Postgres)
	p, shop := inst.FirstRun("--dev")
	c := newVisitors(t, shop)
	healthy := startReceiver(t, shop, nil)
	release := make(chan struct{})
	hanging := startReceiver(t, shop, func(_ int, r *http.Request) int {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		return http.StatusOK
	})
	c.start(t.Context(), shop, 3, false)
	c.waitForMore(30)
	storetest.Eventually(t, "the hanging receiver has 8 requests", func() bool {
		_, requests := hanging.count()
		return requests >= 8
	})
	db := inst.openDB()
	defer db.Close()

	// Ids of nodes increase with time, so the lowest id is that of the first node.
	const leaseSQL = `SELECT COUNT(*) FROM lanes WHERE lane = $1 AND node = (SELECT id FROM nodes ORDER BY id LIMIT 1)`
	other := inst.Serve("--dev")
	storetest.Eventually(t, "there are two nodes",
		func() bool { return apitest.CountRows(t, db, `SELECT COUNT(*) FROM nodes`) == 2 })
	if apitest.CountRows(t, db, leaseSQL, hanging.id) != 1 {
		t.Error("the killed node does not hold the lease, so the test proves nothing")
	}

	p.Kill()
	killedAt := time.Now()
	c.wait.Wait()
	_, before := hanging.count()
	close(release)
	storetest.Eventually(t, "the other node takes over", func() bool {
		_, requests := hanging.count()
		return requests > before
	})
	t.Logf("the other node took over after %s", time.Since(killedAt).Round(10*time.Millisecond))
	ctx, stop := context.WithCancel(t.Context())
	c.start(ctx, other.Server(shop.Keys), 3, false)
	c.waitForMore(10)
	stop()
	c.wait.Wait()
	c.verifyDelivered(inst, healthy, hanging)
}

// After two crashes of PostgreSQL under load no event is lost, and nothing has to be restarted by hand.
func TestWebhooks_surviveACrashOfPostgreSQL(t *testing.T) {
	t.Parallel()
	server, err := pgserver.Start(pgserver.Options{})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	serverURL, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}

	settings := serverURL.Query()

	// Test servers run without synchronous_commit and would lose the last commits.
	settings.Set("synchronous_commit", "on")
	serverURL.RawQuery = settings.Encode()
	inst := newInstallation(t, database.Postgres)
	inst.Database = serverURL.String()
	_, shop := inst.FirstRun("--dev")
	c := newVisitors(t, shop)
	e := startReceiver(t, shop, nil)
	ctx, stop := context.WithCancel(t.Context())
	c.start(ctx, shop, 3, true)

	for range 2 {
		c.waitForMore(20)
		if err := server.Restart(); err != nil {
			t.Fatal(err)
		}
	}

	c.waitForMore(20)
	stop()
	c.wait.Wait()
	c.verifyDelivered(inst, e)
}
