package kill

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest/pgserver"
	"vitrine/internal/testkit/promise"
)

// PostgreSQL crashes and starts again, twice, or five times with VITRINE_PROVE, under pushes, orders, edits and reads
// on persistent connections. No response reports a success that did not happen, as an empty 2xx would. Every
// acknowledged write exists afterwards, and the connections are still usable.
func TestRestart_ofPostgreSQLKeepsConnectionsUsable(t *testing.T) {
	promise.OnlyThorough(t)
	t.Parallel()
	restarts := 2
	if promise.ProveAll() {
		restarts = 5
	}

	server, err := pgserver.Start(pgserver.Options{Durable: true}) // acknowledged commits survive the crash
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	shop := apitest.StartServer(t, database.Postgres, apitest.WithDatabase(server.URL))
	l := newLoad(t, shop)
	l.run()

	sound := l.waitUntilClean()
	for round := 0; round < restarts && sound; round++ {
		// In even rounds PostgreSQL crashes while each connection to the program carries a push, one of which is
		// writing a batch. In odd rounds it crashes at a random moment.
		if round%2 == 0 && !holdPushes(t, l, server.URL) {
			break
		}
		if err := server.Restart(); err != nil {
			t.Fatal(err)
		}

		sound = l.waitUntilClean()
	}

	l.stop()
	direct, proxied := l.failedPushes()
	t.Logf("%d restarts: %d requests succeeded, %d got 503, %d lost their connection",
		restarts, l.acked.Load(), l.refused.Load(), l.broken.Load())
	t.Logf("%d direct and %d proxied pushes failed after their run was created; the direct client connected %d times",
		direct, proxied, l.direct.Dials())

	if n := l.wrong.Load(); n > 0 {
		t.Fatalf("%d responses are wrong; %d of them are 2xx with an empty body", n, l.empty.Load())
	}
	if direct+proxied == 0 {
		t.Error("no restart hit a push; so the test proves nothing")
	}
	if r := shop.DoAdmin("GET", "/readyz", nil); r.Status != 200 {
		t.Errorf("/readyz returns %d %s, want 200", r.Status, r.Body)
	}

	for _, line := range shop.Log.Lines("request") {
		if fmt.Sprint(line["status"]) == "499" {
			t.Errorf("the log has a 499, but no client disconnected: %v", line)
		}
	}

	l.verify()
}

// holdPushes locks the products against writes, until the caller restarts the server. It returns when every connection
// to the program carries a push whose run is created, and one of them waits for the lock with its batch; the others
// wait for their turn. It returns false if a response was wrong, because some client may then never push.
func holdPushes(t *testing.T, l *restartLoad, serverURL string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	conn, err := pgx.Connect(ctx, serverURL)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		cancel()
		conn.Close(context.Background())
	})

	for _, statement := range []string{"BEGIN", "LOCK TABLE products IN SHARE ROW EXCLUSIVE MODE"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatal(err)
		}
	}

	held := l.waitUntil("every connection has a push, and one of them waits for the lock", func() bool {
		var waiting, runs int
		if err := conn.QueryRow(ctx, "SELECT (SELECT COUNT(*) FROM pg_locks WHERE NOT granted), "+
			"(SELECT COUNT(*) FROM exchange_runs WHERE finished_at IS NULL)").Scan(&waiting, &runs); err != nil {
			t.Fatal(err)
		}
		return waiting >= 1 && runs >= 1+upstreamConns
	})
	if !held {
		conn.Close(ctx) // releases the lock
	}

	return held
}

// verify checks, once the clients have stopped, that the store has what was acknowledged to them.
func (l *restartLoad) verify() {
	l.t.Helper()
	type stored struct{ comment, state, number string }
	orders := map[string]stored{}
	keys := map[string]int{}
	numbers := map[string]int{}

	for page, last := 1, false; !last; page++ {
		r := l.shop.Get(fmt.Sprintf("/v2/orders?per_page=250&page=%d", page))
		for i, id := range r.Texts("data", "id") {
			at := fmt.Sprintf("data.%d.", i)
			o := stored{r.Text(at + "comment"), r.Text(at + "state"), r.Text(at + "number")}
			orders[id] = o
			if keys[o.comment]++; keys[o.comment] > 1 {
				l.t.Errorf("order %s was created %d times under one Idempotency-Key", o.comment, keys[o.comment])
			}
			if numbers[o.number]++; numbers[o.number] > 1 && o.number != "null" {
				l.t.Errorf("%d orders have the number %s", numbers[o.number], o.number)
			}
		}

		last = r.Len("data") == 0
	}

	acknowledged := 0
	for _, c := range l.clients {
		for _, o := range c.orders {
			got, there := orders[o.id]
			switch {
			case o.id == "":
				continue
			case !there || got.comment != o.key:
				l.t.Errorf("order %s was acknowledged with the id %s, which is %v", o.key, o.id, got)
			case o.number != "" && (got.number != o.number || got.state != "submitted"):
				l.t.Errorf("order %s was submitted with the number %s, but is %v", o.key, o.number, got)
			}

			acknowledged++
		}

		for _, path := range c.products {
			if price := l.shop.Get(path).Text("data.variants.0.price"); !c.price.allows(price) {
				l.t.Errorf("%s: %s costs %s, want %s", c.name, path, price, c.price)
			}
		}

		if title := l.shop.Get(c.feature).Text("data.name"); !c.title.allows(title) {
			l.t.Errorf("%s: the feature is named %s, want %s", c.name, title, c.title)
		}
	}

	l.t.Logf("%d orders were acknowledged", acknowledged)
}
