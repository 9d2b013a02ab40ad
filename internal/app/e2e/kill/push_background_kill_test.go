package kill

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/testkit/apitest"
)

// paddedLines returns one line per product, padded to about 40 KiB, so that a hundred lines fill a batch of 4 MiB. A
// push of 1,200 products then has a dozen batches.
func (g testCatalog) paddedLines() (lines []string) {
	padding := strings.Repeat("x", 40<<10)
	for i := range g.products {
		lines = append(lines, `{"filling": "`+padding+`", `+strings.TrimPrefix(g.product(i), "{")+"\n")
	}
	return lines
}

// linesWithErrors returns padded lines, some of them invalid, and the indexes of the invalid ones.
func (g testCatalog) linesWithErrors() (lines string, bad []string) {
	list := g.paddedLines()
	for _, at := range []int{0, len(list) / 2, len(list)} {
		list = slices.Insert(list, at, `{"id": "bad", "name": {}}`+"\n")
		bad = append(bad, fmt.Sprint(at))
	}
	return strings.Join(list, ""), bad
}

// After a kill and a restart, a background push resumes after its last complete batch. The queued pushes then run in
// their order, except one whose token was revoked while it was queued.
func TestKill_resumesBackgroundPush(t *testing.T) {
	t.Parallel()
	all, next := testCatalog{1200, 1}, testCatalog{10, 2}

	eachEngine(t, func(t *testing.T, inst *installation) {
		p, shop := inst.FirstRun()
		lines, bad := all.linesWithErrors()
		clean := gateClient{p.Server(inst.newStore()), t}
		clean.push(all)
		clean.pushLines(200, next.ndjson())
		want := clean.CatalogSnapshot()

		g := gateClient{shop, t}
		async := apitest.Header("Prefer", "respond-async")
		for _, entity := range referencedEntities {
			g.OK(200, "POST", g.path(entity), all.payload(entity))
		}

		var created struct{ Token string }
		if err := json.Unmarshal([]byte(inst.Run("key", "create", "--json", "--name", "till", "--kind", "exchange",
			"--store", shop.StoreID.String())), &created); err != nil {
			t.Fatal(err)
		}

		token := created.Token
		first := g.pushLines(202, lines, async).Text("data.id")
		revoked := g.OK(202, "POST", "/v2/sync-gate/"+token+"/products", `{"payload": [{"id": "never", "name": "x"}]}`,
			async).Text("data.id")
		second := g.pushLines(202, next.ndjson(), async).Text("data.id")
		seen := g.runCount(g.waitForProgress(first), "received")
		p.Kill()
		if seen >= all.products {
			t.Fatalf("all %d items were applied before the kill, so the test proves nothing", seen)
		}

		inst.Run("key", "revoke", token)

		p = inst.Serve()
		g = gateClient{p.Server(shop.Keys), t}
		if got := g.runCount(g.run(first), "received"); got < seen {
			t.Errorf("the run counts %d items after the kill, and counted %d before it", got, seen)
		}

		r := g.waitForEnd(first)
		wantFirst := fmt.Sprintf("completed %d: +%d ~0 =0 !%d", all.products+len(bad), all.products, len(bad))
		if got := g.runSummary(r); got != wantFirst {
			t.Errorf("the run is %q, want %q", got, wantFirst)
		}
		if got := r.Text("data.ignored_fields"); got != `["filling"]` {
			t.Errorf("the ignored fields are %s", got)
		}
		if diff := cmp.Diff(bad, r.Texts("data.errors", "index")); diff != "" {
			t.Errorf("the indexes of the failed lines differ:\n%s", diff)
		}

		rejects := string(g.Get(g.path("runs/" + first + "/rejects")).Body)
		if rejects != strings.Repeat(`{"id": "bad", "name": {}}`+"\n", len(bad)) {
			t.Errorf("the rejects are %s", rejects)
		}

		following := g.waitForEnd(second)
		wantFollowing := fmt.Sprintf("completed %d: +0 ~%d =0 !0", next.products, next.products)
		if got := g.runSummary(following); got != wantFollowing {
			t.Errorf("the following run is %q, want %q", got, wantFollowing)
		}

		if following.Text("data.started_at.timestamp") < r.Text("data.finished_at.timestamp") {
			t.Errorf("the following run started at %s, before the first one finished at %s",
				following.Text("data.started_at"), r.Text("data.finished_at"))
		}

		g.waitForState(want)
		if got := inst.storedRun(revoked); got != "failed invalid_exchange_token 0" {
			t.Errorf("the run of the revoked token is %q", got)
		}

		events := string(g.DoAdmin("GET", "/api/store/events?per_page=250", nil).Body)
		for _, run := range []string{first, revoked, second} {
			if n := strings.Count(events, `"payload":{"id":"`+run+`"`); n != 1 {
				t.Errorf("%d events announce the end of run %s, want 1", n, run)
			}
		}
	})
}

// storedRun reads the status, the problem and the number of received items of a run from the database. It is for a run
// that cannot be read over HTTP, because its token was revoked.
func (inst *installation) storedRun(run string) (text string) {
	inst.T.Helper()
	runID, err := id.Parse[exchange.Run](run)
	if err != nil {
		inst.T.Fatal(err)
	}
	inst.WriteDB(func(q database.Querier) error {
		const sql = `SELECT status || ' ' || COALESCE(problem_code, '') || ' ' || CAST(received AS TEXT) ` +
			`FROM exchange_runs WHERE id = $1`
		return database.QueryRow(inst.T.Context(), q, sql, []any{runID}, &text)
	})
	return text
}

// waitForProgress waits until a background run has applied items. It checks that the run has no start time and has
// received no items while it is queued, and that it has a start time afterwards.
func (g gateClient) waitForProgress(id string) *apitest.Response {
	g.t.Helper()
	return g.waitForRun("the run applies items", id, func(r *apitest.Response) bool {
		status := r.Text("data.status")
		received := g.runCount(r, "received")
		if (status == "queued") != (r.Text("data.started_at") == "null") || (status == "queued" && received > 0) {
			g.t.Errorf("the run is inconsistent: %s", r.Body)
		}
		return received > 0
	})
}

// runSummary returns the status and the counts of a run as a short text.
func (g gateClient) runSummary(r *apitest.Response) string {
	g.t.Helper()
	return fmt.Sprintf("%s %d: +%d ~%d =%d !%d", r.Text("data.status"), g.runCount(r, "received"),
		g.runCount(r, "created"), g.runCount(r, "updated"), g.runCount(r, "unchanged"), g.runCount(r, "failed"))
}

// After one of two nodes on PostgreSQL is killed, the other one finishes its background push.
func TestKill_anotherNodeFinishesBackgroundPush(t *testing.T) {
	t.Parallel()
	all := testCatalog{1200, 1}
	inst := newInstallation(t, database.Postgres)
	p, shop := inst.FirstRun()
	other := inst.Serve()
	g := gateClient{shop, t}
	survivor := gateClient{other.Server(shop.Keys), t}
	run := g.pushLines(202, strings.Join(all.paddedLines(), ""), apitest.Header("Prefer", "respond-async")).
		Text("data.id")
	seen := g.runCount(g.waitForProgress(run), "received")
	p.Kill()

	want := fmt.Sprintf("completed %d: +%d ~0 =0 !0", all.products, all.products)
	if got := survivor.runSummary(survivor.waitForEnd(run)); got != want {
		t.Errorf("the run is %q, want %q", got, want)
	}
	if total := survivor.Get("/v2/products?per_page=1").Text("meta.total"); total != fmt.Sprint(all.products) {
		t.Errorf("there are %s products, want %d", total, all.products)
	}
	if ended := other.Stderr.Lines("push"); len(ended) != 1 || ended[0]["run_id"] != run {
		t.Errorf("the other node logged these ended pushes: %v", ended)
	}

	t.Logf("%d items were applied before the kill", seen)
}
