package kill

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/promise"
	"vitrine/internal/testkit/storetest"
)

// testCatalog is a catalogue with a number of products. Names and prices depend on the version.
type testCatalog struct{ products, version int }

// referencedEntities are the entities that products refer to. If they are pushed in this order, each item refers only
// to items that exist.
var referencedEntities = []string{"variant-options", "features", "categories", "stocks"}

func (g testCatalog) payload(entity string) string {
	values := `{"id": "a", "name": "A"}, {"id": "b", "name": "B"}`
	item := map[string]string{
		"variant-options": `{"id": "size", "name": "Size of %d", "values": [` + values + `]}`,
		"features":        `{"id": "kind", "name": "Kind of %d", "values": [` + values + `]}`,
		"categories":      `{"id": "all", "name": "All of %d"}`,
		"stocks":          `{"id": "main", "name": "Main of %d"}`,
	}[entity]
	return fmt.Sprintf(`{"payload": [`+item+`]}`, g.version)
}

// product returns product i. Its name contains a word by which the products of this version are found.
func (g testCatalog) product(i int) string {
	return fmt.Sprintf(`{"id": %d, "name": "Thing %d %s", "categories": ["all"], "features": [{"id": "kind", `+
		`"value_id": %q}], "variants": [{"id": 1, "sku": "s-%d", "price": %d, `+
		`"options": [{"id": "size", "value_id": %q}], "remainders": [{"stock_id": "main", "quantity": %d}]}]}`,
		i, i, g.word(), []string{"a", "b"}[i%2], i, i+g.version, []string{"a", "b"}[i/2%2], i%7)
}

func (g testCatalog) word() string { return fmt.Sprintf("version%d", g.version) }

// ndjson returns all products as NDJSON.
func (g testCatalog) ndjson() string {
	var b strings.Builder
	for i := range g.products {
		b.WriteString(g.product(i) + "\n")
	}
	return b.String()
}

// gateClient pushes to the exchange gate of a store.
type gateClient struct {
	*apitest.Server
	t *testing.T
}

func (g gateClient) path(path string) string { return "/v2/sync-gate/" + g.Exchange + "/" + path }

// push pushes the whole catalogue and returns the response to its products.
func (g gateClient) push(all testCatalog) *apitest.Response {
	g.t.Helper()
	for _, entity := range referencedEntities {
		g.OK(200, "POST", g.path(entity), all.payload(entity))
	}
	return g.pushLines(200, all.ndjson())
}

// pushLines pushes products as NDJSON.
func (g gateClient) pushLines(status int, lines string, options ...apitest.RequestOption) *apitest.Response {
	g.t.Helper()
	return g.OK(status, "POST", g.path("products"), lines,
		append(options, apitest.Header("Content-Type", "application/x-ndjson"))...)
}

func (g gateClient) run(id string) *apitest.Response {
	g.t.Helper()
	return g.Get(g.path("runs/" + id))
}

// waitForEnd waits until the run is completed or failed.
func (g gateClient) waitForEnd(id string) *apitest.Response {
	g.t.Helper()
	return g.waitForRun("the run ends", id, func(r *apitest.Response) bool {
		status := r.Text("data.status")
		return status == "completed" || status == "failed"
	})
}

// waitForRun reads the run until ok accepts it.
func (g gateClient) waitForRun(what, id string, ok func(r *apitest.Response) bool) (r *apitest.Response) {
	g.t.Helper()
	storetest.Eventually(g.t, what, func() bool {
		r = g.run(id)
		return ok(r)
	})
	return r
}

// runCount returns a count of a run, such as received.
func (g gateClient) runCount(r *apitest.Response, name string) int {
	g.t.Helper()
	n, err := strconv.Atoi(r.Text("data." + name))
	if err != nil {
		g.t.Fatal(err)
	}
	return n
}

// waitForState waits until the store has the wanted state. After a kill the program links pending references at its
// start, while it already handles requests.
func (g gateClient) waitForState(want []string) {
	g.t.Helper()
	diff := ""
	defer func() {
		if diff != "" {
			g.t.Logf("the wanted state (-) and the store (+) differ:\n%.4000s", diff)
		}
	}()
	storetest.Eventually(g.t, "the store has the wanted state", func() bool {
		diff = cmp.Diff(want, g.CatalogSnapshot())
		return diff == ""
	})
}

// newStore creates a second store.
func (inst *installation) newStore() apitest.Keys {
	inst.T.Helper()
	return apitest.ParseJSON[apitest.Provisioned](inst.T,
		inst.Run("store", "create", "--json", "--email", "owner@shop.example")).Keys(inst.T)
}

// waitForSessionsToEnd waits until PostgreSQL has ended the sessions of a killed program. Until then a statement that
// the program sent before its death may still be executed.
func (inst *installation) waitForSessionsToEnd() {
	inst.T.Helper()
	if inst.Engine != database.Postgres {
		return
	}

	u, err := url.Parse(inst.Database)
	if err != nil {
		inst.T.Fatal(err)
	}

	query := u.Query()
	query.Set("application_name", "test") // the sessions of the program are called vitrine
	u.RawQuery = query.Encode()

	db, err := database.Open(inst.T.Context(), database.Config{URL: u.String()})
	if err != nil {
		inst.T.Fatal(err)
	}
	defer db.Close()

	const sessionsSQL = `SELECT COUNT(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'vitrine'`
	storetest.Eventually(inst.T, "the sessions of the killed program end", func() bool {
		return apitest.CountRows(inst.T, db, sessionsSQL) == 0
	})
}

// ageHeartbeats sets the heartbeats of all runs of a killed server back by an hour, so that the next server considers
// the runs abandoned.
func (inst *installation) ageHeartbeats() {
	inst.T.Helper()
	inst.waitForSessionsToEnd()
	inst.WriteDB(func(q database.Querier) error {
		_, err := q.Exec(inst.T.Context(), `UPDATE exchange_runs SET alive_at = alive_at - $1`,
			time.Hour.Microseconds())
		return err
	})
}

// After each kill during a push, the store has exactly the products that the run counts, and the run has failed with
// the code interrupted. A complete push at the end leads to the same state as in a new store.
func TestKill_duringPushKeepsWhatItsRunCounts(t *testing.T) {
	t.Parallel()
	const products = 1500
	kills := promise.Sample(promise.Repeat(1, 2), 5)

	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun()
		keys := shop.Keys
		last := testCatalog{products, kills}
		clean := gateClient{p.Server(inst.newStore()), t}
		clean.push(last)

		want := clean.CatalogSnapshot()
		if len(want) != products+len(referencedEntities) {
			t.Fatalf("a complete push creates %d entities", len(want))
		}

		for round := range kills {
			g := gateClient{p.Server(keys), t}
			seen := g.pushAndKill(p, testCatalog{products, round}, 1+rand.IntN(products), round%2 == 0)
			inst.ageHeartbeats()
			p = inst.Serve()
			g = gateClient{p.Server(keys), t}
			g.verifyInterrupted(seen, testCatalog{products, round})
		}

		g := gateClient{p.Server(keys), t}
		g.push(last)
		g.waitForState(want)
	})
}

// runProgress is what a run reported before its server was killed.
type runProgress struct {
	id       string
	received int
}

// pushAndKill pushes the first products and, at the same time, the entities that they refer to. It kills the server
// before the body of the push ends, and returns the last progress of the run. If progress is set, it waits
// until the run has counted items before it kills the server.
func (g gateClient) pushAndKill(p *apitest.Process, all testCatalog, products int, progress bool) runProgress {
	g.t.Helper()
	killed := make(chan struct{})
	reader, writer := io.Pipe()

	go func() {
		for i := range products {
			if _, err := fmt.Fprintln(writer, all.product(i)); err != nil {
				return
			}
		}
		<-killed
		_ = writer.Close()
	}()

	failures := make(chan error, 2)
	go func() {
		_, err := g.Try("POST", g.path("products"), reader, apitest.Header("Content-Type", "application/x-ndjson"))
		failures <- err
	}()
	seen := g.waitForStart(all)

	go func() {
		for {
			for _, entity := range referencedEntities {
				if _, err := g.Try("POST", g.path(entity), all.payload(entity)); err != nil {
					failures <- err
					return
				}
			}
		}
	}()

	killTime := time.Now().Add(time.Duration(rand.IntN(300)) * time.Millisecond) // the process runs in real time
	storetest.Eventually(g.t, "the push makes progress", func() bool {
		seen.received = g.runCount(g.run(seen.id), "received")
		return (!progress || seen.received > 0) && time.Now().After(killTime)
	})
	p.Kill()
	close(killed)

	for range 2 {
		if err := <-failures; err == nil {
			g.t.Error("a push got a response although its server was killed before the body ended")
		}
	}

	return seen
}

// waitForStart waits until the push of products is running.
func (g gateClient) waitForStart(all testCatalog) runProgress {
	g.t.Helper()
	var r *apitest.Response
	storetest.Eventually(g.t, "the push of "+all.word()+" starts", func() bool {
		r = g.Get(g.path("runs?per_page=1"))
		return r.Len("data") == 1 && r.Text("data.0.entity") == "products" && r.Text("data.0.status") == "running"
	})
	return runProgress{id: r.Text("data.0.id")}
}

// verifyInterrupted checks the run of a push and its products after its server was killed and restarted.
func (g gateClient) verifyInterrupted(seen runProgress, all testCatalog) {
	g.t.Helper()
	r := g.waitForEnd(seen.id)
	if r.Text("data.status") != "failed" || r.Text("data.problem.code") != "interrupted" {
		g.t.Errorf("the interrupted run is %s", r.Body)
	}
	if got := g.runCount(r, "received"); got < seen.received {
		g.t.Errorf("the run counts %d received items, and counted %d before the kill", got, seen.received)
	}

	applied := g.runCount(r, "created") + g.runCount(r, "updated")
	if got := g.Get("/v2/products?per_page=1&q=" + all.word()).Text("meta.total"); got != fmt.Sprint(applied) ||
		applied != g.runCount(r, "received") {
		g.t.Errorf("the run counts %d applied and %d received items; the store has %s", applied,
			g.runCount(r, "received"), got)
	}

	// The restarted server ends each interrupted run in its own transaction, so the other runs may end a little later.
	storetest.Eventually(g.t, "no run is running", func() bool {
		return !slices.Contains(g.Get(g.path("runs")).Texts("data", "status"), "running")
	})
}
