package exchangeapi_test

import (
	"bytes"
	"flag"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
)

// FuzzPush pushes arbitrary bodies to all entities. The status must never be a 5xx, each received item must have one
// outcome, failed items must have errors and rejects, and nothing of another store may change. The seeds run on both
// engines, the fuzzing itself on SQLite.
func FuzzPush(f *testing.F) {
	engines := databasetest.Engines()
	if fuzzing() {
		engines = []string{database.SQLite}
	}

	var targets []*fuzzTarget
	for _, engine := range engines {
		targets = append(targets, &fuzzTarget{Server: apitest.StartServer(f, engine, apitest.Alone())})
	}

	all := access.EntityScopes()
	for i, entity := range all {
		items := append(slices.Clone(sampleCatalog(0)[string(entity)]), validItem(string(entity), 7),
			strings.Replace(validItem(string(entity), 7), "7", "8", 1))
		for _, m := range memberCases[string(entity)] {
			items = append(items, strings.NewReplacer("VALUE",
				`[{"id": 1, "price": 1}, {"id": "b", "value_id": 2}, {"stock_id": 1, "quantity": 2}, "c"]`, "NUMBER",
				"7").Replace(m[2]))
		}

		f.Add(uint8(i), uint8(0), []byte(payload(items)))
		f.Add(uint8(i), asLines, []byte(strings.Join(items, "\n")+"\n{\n"))
		f.Add(uint8(i), asDryRun, []byte(payload(items)+" x"))
		f.Add(uint8(i), asLines|asAtomic, []byte(strings.Join(items[:2], "\n")))
		f.Add(uint8(i), asAtomic|asZipped, gzipped(payload(items)))
		f.Add(uint8(i), asLines|asZipped, gzipped(strings.Join(items, "\n"))[:60])
	}

	f.Add(uint8(0), asArchiving, []byte(payload(sampleCatalog(1)["products"][:2])))
	f.Add(uint8(0), uint8(0), []byte(`{"payload": [{"id": 1, "name": "x", "images_mode": "replace", `+
		`"images": [{"id": 1}, {"url": "x:y"}, "//", "http://127.0.0.1/"], "modifiers": [{"name": "m", `+
		`"items": [{}]}]}]}`))
	f.Add(uint8(3), uint8(0), []byte(`{"payload": [{"id": "c0", "parent_id": "c1"}, {"id": "c1", "parent_id": "c1"}, `+
		`{"id": "c1", "parent_id": "c0"}], "payload": []}`))
	f.Fuzz(func(t *testing.T, entity, form uint8, body []byte) {
		for _, on := range targets {
			on.push(t, string(all[int(entity)%len(all)]), form, body)
		}
	})
}

func fuzzing() bool {
	for _, name := range []string{"test.fuzz", "test.fuzzworker"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" && f.Value.String() != "false" {
			return true
		}
	}
	return false
}

// These bits of the argument form say how a body is pushed.
const (
	asLines uint8 = 1 << iota
	asAtomic
	asDryRun
	asArchiving
	asZipped
)

// fuzzTarget is a server whose stores have a small catalogue. The catalogue is reset every 50 pushes, since pushes make
// it grow.
type fuzzTarget struct {
	*apitest.Server
	pushes int
	other  apitest.Dump // the rows of the other store
}

// pushTables are the tables that pushes write, ordered so that no foreign key prevents the deletion of their rows.
var pushTables = []string{
	"exchange_notes", "exchange_rejects", "exchange_archived", "exchange_pieces", "exchange_runs", "exchange_kept",
	"pending_references", "variant_barcodes", "variant_values",
	"product_values", "product_categories", "remainders", "image_sources",
	"jobs",
	"variants", "products", "categories", "stocks", "attribute_values", "attributes",
}

func (on *fuzzTarget) prepare(t *testing.T) gateServer {
	t.Helper()
	s := gateServer{on.WithTB(t), t}
	s.Log.Reset() // otherwise it grows with every input
	if on.pushes++; on.pushes%50 != 1 {
		return s
	}

	s.Write(func(ctx context, q database.Querier) error {
		for _, table := range pushTables {
			if _, err := q.Exec(ctx, "DELETE FROM "+table); err != nil {
				return err
			}
		}
		return nil
	})
	s.pushAll(sampleCatalog(0))
	gateServer{s.WithKeys(s.Other), t}.pushAll(sampleCatalog(1))
	on.other = rowsOfStore(s.Dump(), s.Other)

	return s
}

func (on *fuzzTarget) push(t *testing.T, entity string, form uint8, body []byte) {
	t.Helper()
	s := on.prepare(t)
	path := s.path(entity) + "?atomic=" + strconv.FormatBool(form&asAtomic != 0) + "&dry_run=" +
		strconv.FormatBool(form&asDryRun != 0)
	media := "application/json"
	encoding := ""

	if form&asArchiving != 0 && entity == "products" {
		path += "&archive_missing=true&max_archive_share=1"
	}

	if form&asLines != 0 {
		media = ndjson
	}

	if form&asZipped != 0 {
		encoding = "gzip"
	}

	r := s.Do("POST", path, bytes.Clone(body), header("Content-Type", media), header("Content-Encoding", encoding))
	if r.Status >= 500 || (r.Status >= 300 && r.Status < 400) {
		t.Fatalf("%d %s", r.Status, r.Body)
	}

	run := "run"
	if r.Status == 200 {
		run = "data"
	}

	if r.Has(run) {
		on.checkRun(s, r, run, form&asAtomic != 0)
	}

	if diff := on.other.Diff(rowsOfStore(s.Dump(), s.Other)); diff != "" {
		t.Fatalf("the other store has changed:\n%s", diff)
	}
}

// checkRun checks the invariants that the run of every push must satisfy.
func (on *fuzzTarget) checkRun(s gateServer, r *apitest.Response, run string, atomic bool) {
	s.t.Helper()
	n := map[string]int{}
	for _, name := range []string{"received", "created", "updated", "unchanged", "failed", "warnings"} {
		n[name], _ = strconv.Atoi(r.Text(run + "." + name))
	}

	rejected := atomic && run == "run" // nothing was applied, so only failed items are counted
	if ended := n["created"] + n["updated"] + n["unchanged"] + n["failed"]; ended != n["received"] && !rejected {
		s.t.Errorf("%d of %d received items have an outcome: %s", ended, n["received"], r.Body)
	}

	if n["failed"] <= 1000 && r.Len(run+".errors") < min(1000, n["failed"]) ||
		min(1000, n["warnings"]) != r.Len(run+".warnings_list") {
		s.t.Errorf("%d items failed, the run has %d errors, and %d of %d warnings: %s", n["failed"],
			r.Len(run+".errors"), r.Len(run+".warnings_list"), n["warnings"], r.Body)
	}

	failed := map[string]bool{}
	for _, index := range r.Texts(run+".errors", "index") {
		failed[index] = true
	}

	if len(failed) != n["failed"] && r.Len(run+".errors") < 1000 {
		s.t.Errorf("%d items failed, the errors are of the items %v", n["failed"], slices.Sorted(maps.Keys(failed)))
	}

	rejects := s.Get(s.path("runs/" + r.Text(run+".id") + "/rejects")).Body
	if got := bytes.Count(rejects, []byte("\n")); got != n["failed"] {
		s.t.Errorf("%d items failed, the run has %d rejects: %q", n["failed"], got, rejects)
	}
}
