package exchangeapi_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/testkit/apitest"
)

// rowsOfStore returns the rows of a dump that contain the id of a store.
func rowsOfStore(d apitest.Dump, k apitest.Keys) apitest.Dump {
	id := k.StoreID.Bytes()
	text := k.StoreID.String()
	bytes := hex.EncodeToString(id[:])
	part := apitest.Dump{}
	for table, rows := range d {
		part[table] = slices.DeleteFunc(slices.Clone(rows),
			func(row string) bool { return !strings.Contains(row, text) && !strings.Contains(row, bytes) })
	}
	return part
}

// Two stores use the same external ids. Pushes to one store, with archiving, reverting and linking, do not change the
// other one.
func TestPush_doesNotChangeOtherStore(t *testing.T) {
	t.Parallel()
	apitest.Sampled(t, func(t *testing.T, shared *apitest.Server) {
		s := gateServer{shared, t}
		other := gateServer{shared.WithKeys(shared.Other), t}
		now := sampleCatalog(1)
		other.pushAll(sampleCatalog(0))

		// A product of the other store has pending references to ids that are pushed to this store later.
		other.push("products",
			`{"payload": [{"id": "waits", "name": "x", "categories": ["c9"], "features": [{"id": "f9", `+
				`"value_id": 1}], "variants": [{"id": 1, "price": 1, "options": [{"id": "o9", "value_id": 1}]}]}]}`)
		before := rowsOfStore(s.Dump(), s.Other)
		if len(before["products"]) != 7 || len(before["exchange_runs"]) != 6 || len(before["pending_references"]) != 3 {
			t.Fatalf("the other store has %d products, %d runs and %d pending references", len(before["products"]),
				len(before["exchange_runs"]), len(before["pending_references"]))
		}

		s.pushAll(now)

		for entity, items := range map[string]string{
			"categories": `{"id": "c9", "name": "x"}, {"id": "c1", "parent_id": null}`,
			"features": `{"id": "f9", "name": "x", "values": [{"id": 1, "name": "x"}]}, {"id": "kind", ` +
				`"removed_values": ["a"]}`,
			"variant-options": `{"id": "o9", "name": "x", "values": [{"id": 1, "name": "x"}]}, {"id": "size", ` +
				`"removed_values": ["a"]}`,
			"stocks": `{"id": "main", "name": "x"}`, "prices": `{"product_id": 1, "variant_id": "v0", "price": 99}`,
			"remainders": `{"product_id": 1, "variant_id": "v0", "stock_id": "main", "quantity": 99}`,
		} {
			if r := s.push(entity, `{"payload": [`+items+`]}`); r.Text("data.failed") != "0" {
				t.Errorf("%s: %s", entity, r.Body)
			}
		}

		// A variant of the other store is unknown in this one.
		if r := s.push("prices",
			`{"payload": [{"product_id": "waits", "variant_id": 1, "price": 1}]}`); r.Text(
			"data.errors.0.code") != "unknown_variant" {
			t.Errorf("%s", r.Body)
		}

		s.Clock.Advance(time.Second) // products created at the time of a push do not count as missing from it
		archived := s.push("products?archive_missing=true&max_archive_share=1", payload(now["products"][:1]))
		if archived.Text("data.archived") != "5" {
			t.Errorf("%s", archived.Body)
		}

		s.WantProblem("404 not_found", "POST", other.path("runs/"+archived.Text("data.id")+"/revert"), nil)
		s.OK(200, "POST", s.path("runs/"+archived.Text("data.id")+"/revert"), nil)
		s.push("products?atomic=true&dry_run=true", payload(now["products"]))
		s.waitFinished(s.OK(202, "POST", s.path("products"), payload(now["products"]),
			header("Prefer", "respond-async")).Header.Get("Location"))

		if diff := before.Diff(rowsOfStore(s.Dump(), s.Other)); diff != "" {
			t.Errorf("the other store has changed:\n%s", diff)
		}
		if got, all := other.Get(other.path("runs")).Len("data"), len(before["exchange_runs"]); got != all {
			t.Errorf("the other store's token sees %d runs of %d", got, all)
		}
		if n := len(rowsOfStore(s.Dump(), s.Keys)["products"]); n != 6 {
			t.Errorf("this store has %d products, want 6: %s", n, fmt.Sprint(s.LiveCatalogSnapshot()))
		}
	}, apitest.Alone())
}
