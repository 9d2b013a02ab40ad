package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/testkit/apitest"
)

// filled are lines of products so long that a hundred of them are a batch: a push of a dozen batches, and yet of few products.
func (g goods) filled() (lines []string) {
	filling := strings.Repeat("x", 40<<10)
	for i := range g.products {
		lines = append(lines, `{"filling": "`+filling+`", `+strings.TrimPrefix(g.product(i), "{")+"\n")
	}
	return lines
}

// spoiled are such lines with some that fail, and where those stand.
func (g goods) spoiled() (lines string, bad []string) {
	list := g.filled()
	for _, at := range []int{0, len(list) / 2, len(list)} {
		list = slices.Insert(list, at, `{"id": "bad", "name": {}}`+"\n")
		bad = append(bad, fmt.Sprint(at))
	}
	return strings.Join(list, ""), bad
}

// A push in the background goes on after a kill where its last batch ended, those behind it are applied in their order, and one whose token
// was revoked meanwhile is not.
func TestKill_inTheBackgroundGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	all, next := goods{1200, 1}, goods{10, 2}
	eachPlace(t, func(t *testing.T, at *place) {
		p, shop := at.first()
		lines, bad := all.spoiled()
		clean := gate{p.Shop(at.another()), t}
		clean.push(all)
		clean.lines(200, next.lines())
		want := clean.State()

		g := gate{shop, t}
		async := apitest.Header("Prefer", "respond-async")
		for _, entity := range around {
			g.OK(200, "POST", g.at(entity), all.payload(entity))
		}
		token := apitest.ParseJSON[keyLine](t, at.run("key", "create", "--json", "--name", "till", "--kind", "exchange", "--store", shop.StoreID.String())).Token
		first := g.lines(202, lines, async).Text("data.id")
		revoked := g.OK(202, "POST", "/v2/sync-gate/"+token+"/products", `{"payload": [{"id": "never", "name": "x"}]}`, async).Text("data.id")
		second := g.lines(202, next.lines(), async).Text("data.id")
		seen := g.number(g.under(first), "received")
		p.Kill()
		if seen >= all.products {
			t.Fatalf("%d items were applied before the kill: too many to tell anything", seen)
		}
		at.run("key", "revoke", token)

		p = at.serve()
		g = gate{p.Shop(shop.Keys), t}
		if got := g.number(g.run(first), "received"); got < seen {
			t.Errorf("after the kill %d items are applied, before it there were %d", got, seen)
		}
		r := g.settled(first)
		if got, want := g.counts(r), fmt.Sprintf("completed %d: +%d ~0 =0 !%d", all.products+len(bad), all.products, len(bad)); got != want {
			t.Errorf("the run is %q, want %q", got, want)
		}
		if got := r.Text("data.ignored_fields"); got != `["filling"]` {
			t.Errorf("ignored are %s", got)
		}
		if diff := cmp.Diff(bad, r.Each("data.errors", "index")); diff != "" {
			t.Errorf("the lines that failed:\n%s", diff)
		}
		if got := string(g.Get(g.at("runs/" + first + "/rejects")).Body); got != strings.Repeat(`{"id": "bad", "name": {}}`+"\n", len(bad)) {
			t.Errorf("the rejects are %s", got)
		}
		behind := g.settled(second)
		if got, want := g.counts(behind), fmt.Sprintf("completed %d: +0 ~%d =0 !0", next.products, next.products); got != want {
			t.Errorf("the run behind it is %q, want %q", got, want)
		}
		if behind.Text("data.started_at.timestamp") < r.Text("data.finished_at.timestamp") {
			t.Errorf("it began at %s, before the one before it had ended at %s", behind.Text("data.started_at"), r.Text("data.finished_at"))
		}
		g.same(want)
		if got := at.recorded(revoked); got != "failed invalid_exchange_token 0" {
			t.Errorf("the push by a token that was revoked is %q", got)
		}
		events := string(g.Admin("GET", "/api/store/events?per_page=250", nil).Body)
		for _, run := range []string{first, revoked, second} {
			if n := strings.Count(events, `"payload":{"id":"`+run+`"`); n != 1 {
				t.Errorf("%d events tell of the end of run %s", n, run)
			}
		}
	})
}

// recorded is what the database says of a run that no token can read any more: its status, its problem, and how many items were applied.
func (at *place) recorded(run string) (text string) {
	at.t.Helper()
	runID, err := id.Parse[exchange.Run](run)
	if err != nil {
		at.t.Fatal(err)
	}
	at.sql(func(q database.Querier) error {
		const sql = `SELECT status || ' ' || COALESCE(problem_code, '') || ' ' || CAST(received AS TEXT) FROM exchange_runs WHERE id = $1`
		return database.QueryRow(at.t.Context(), q, sql, []any{runID}, &text)
	})
	return text
}

// under waits until a run in the background has applied something, and checks that it is told to go on.
func (g gate) under(id string) *apitest.Response {
	g.t.Helper()
	return g.until("a run goes on", id, 3*time.Millisecond, func(r *apitest.Response) bool {
		status, received := r.Text("data.status"), g.number(r, "received")
		if (status == "queued") != (r.Text("data.started_at") == "null") || (status == "queued" && received > 0) {
			g.t.Errorf("the run is %s", r.Body)
		}
		return received > 0
	})
}

// counts are those of a run in a few characters.
func (g gate) counts(r *apitest.Response) string {
	g.t.Helper()
	return fmt.Sprintf("%s %d: +%d ~%d =%d !%d", r.Text("data.status"), g.number(r, "received"), g.number(r, "created"), g.number(r, "updated"), g.number(r, "unchanged"), g.number(r, "failed"))
}

// Of two nodes on one PostgreSQL, one finishes what the other was at when it was killed.
func TestKill_inTheBackgroundIsFinishedByAnotherNode(t *testing.T) {
	t.Parallel()
	all := goods{1200, 1}
	at := newPlace(t, database.Postgres)
	p, shop := at.first()
	other := at.serve()
	g, still := gate{shop, t}, gate{other.Shop(shop.Keys), t}
	run := g.lines(202, strings.Join(all.filled(), ""), apitest.Header("Prefer", "respond-async")).Text("data.id")
	seen := g.number(g.under(run), "received")
	p.Kill()
	if got, want := still.counts(still.settled(run)), fmt.Sprintf("completed %d: +%d ~0 =0 !0", all.products, all.products); got != want {
		t.Errorf("the run is %q, want %q", got, want)
	}
	if total := still.Get("/v2/products?per_page=1").Text("meta.total"); total != fmt.Sprint(all.products) {
		t.Errorf("%s products are there, want %d", total, all.products)
	}
	if told := other.Stderr.Lines("push"); len(told) != 1 || told[0]["run"] != run {
		t.Errorf("the node that is left ended %v", told)
	}
	t.Logf("%d items were applied before the kill", seen)
}
