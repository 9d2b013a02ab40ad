package kill

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// Three nodes on one PostgreSQL, behind a proxy that takes them in turns. Under load they are killed and started again,
// and after a schema change of the next version, which the others do not know, they are stopped and started again. With
// VITRINE_PROVE each node is killed and upgraded, otherwise one is killed and the others are upgraded. Every
// acknowledged write is there, none is there twice, no read is older than the client's own writes, and no event is
// lost.
func TestNodes_surviveKillsAndARollingUpgrade(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	inst := newInstallation(t, database.Postgres)
	first, shop := inst.FirstRun("--dev")
	nodes := []*apitest.Process{first, inst.Serve("--dev"), inst.Serve("--dev")}
	receiver := startReceiver(t, shop, nil)
	b := startBalancer(t, nodes)
	shop.URL = b.url
	l := newLoad(t, shop)
	l.run()
	sound := l.waitUntilClean()

	replace := func(i int, end func(p *apitest.Process)) {
		t.Helper()
		if !sound {
			return
		}

		end(nodes[i])
		sound = l.waitUntilClean() // with two nodes
		nodes[i] = inst.Serve("--dev")
		b.set(i, nodes[i])
		sound = sound && l.waitUntilClean()
	}

	killed, upgraded := []int{0}, []int{1, 2}
	if promise.ProveAll() {
		killed, upgraded = []int{0, 1, 2}, []int{0, 1, 2}
	}

	for _, i := range killed {
		replace(i, (*apitest.Process).Kill)
	}

	inst.expandSchema()

	for _, i := range upgraded {
		replace(i, func(p *apitest.Process) {
			p.Signal(syscall.SIGTERM)
			if code := p.Wait(); code != 0 {
				t.Errorf("a node exits with %d: %s", code, p.Stderr)
			}
		})
	}

	l.stop()
	t.Logf("%d kills and %d upgrades: %d requests succeeded, %d got 503, %d lost their connection",
		len(killed), len(upgraded), l.acked.Load(), l.refused.Load(), l.broken.Load())
	l.verify()
	l.verifyEvents(inst, receiver)
}

// expandSchema changes the schema as the first node of the next version would: it adds what the nodes of this version
// do not know, and takes nothing away.
func (inst *installation) expandSchema() {
	inst.T.Helper()
	for _, sql := range []string{
		`ALTER TABLE products ADD COLUMN next_version text`,
		`ALTER TABLE orders ADD COLUMN next_version bigint NOT NULL DEFAULT 7`,
		`ALTER TABLE jobs ADD COLUMN next_version text`,
		`CREATE TABLE next_version (store_id uuid NOT NULL REFERENCES stores (id) ON DELETE CASCADE, n bigint)`,
		`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`,
	} {
		inst.WriteDB(func(q database.Querier) error { return database.Exec(inst.T.Context(), q, sql) })
	}
}

// verifyEvents waits until the receiver has an event for each order that was acknowledged as submitted, and checks that
// the database is consistent.
func (l *restartLoad) verifyEvents(inst *installation, receiver *testReceiver) {
	l.t.Helper()
	db := inst.openDB()
	defer db.Close()

	const undeliveredSQL = `SELECT COUNT(*) FROM deliveries WHERE status <> 'delivered'`
	storetest.Eventually(l.t, "all events are delivered", func() bool {
		return apitest.CountRows(l.t, db, notFannedOutSQL) == 0 && apitest.CountRows(l.t, db, undeliveredSQL) == 0
	})

	for what, sql := range violationsSQL {
		if n := apitest.CountRows(l.t, db, sql); n != 0 {
			l.t.Errorf("there are %d %s", n, what)
		}
	}

	received := receiver.eventIDCounts()
	for _, c := range l.clients {
		for _, o := range c.orders {
			if o.number != "" && received[event.OrderSubmitted+" "+o.id] == 0 {
				l.t.Errorf("the receiver did not get the event of order %s", o.key)
			}
		}
	}
}

// balancer is a reverse proxy that takes the nodes in turns, and passes over those that accept no connection.
type balancer struct {
	url string

	mu    sync.Mutex
	next  int
	nodes []string // addresses
}

func startBalancer(t *testing.T, nodes []*apitest.Process) *balancer {
	t.Helper()
	b := &balancer{nodes: make([]string, len(nodes))}
	for i, p := range nodes {
		b.set(i, p)
	}

	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: "nodes"}) },
		// Each request has a connection of its own, so each goes to the next node.
		Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true, DialContext: b.dial},
		// A request that broke may have been done: the client must decide whether to repeat it.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:     log.New(io.Discard, "", 0),
	})
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	b.url = server.URL

	return b
}

// set makes a process the node with this number.
func (b *balancer) set(i int, p *apitest.Process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nodes[i] = strings.TrimPrefix(p.URL, "http://")
}

// dial connects to the next node that accepts the connection.
func (b *balancer) dial(ctx context.Context, network, _ string) (conn net.Conn, err error) {
	for range len(b.nodes) {
		if conn, err = new(net.Dialer).DialContext(ctx, network, b.pick()); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func (b *balancer) pick() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = (b.next + 1) % len(b.nodes)
	return b.nodes[b.next]
}
