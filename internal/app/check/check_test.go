package check_test

import (
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vitrine/internal/app/check"
	"vitrine/internal/kit/blob"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/testkit/apitest"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// checkFixture is a running server with a submitted order of a variant, a cart with another one, an image, a push, and
// a product in the other store.
type checkFixture struct {
	*apitest.Server
	t         *testing.T
	storage   config.Storage
	submitted string // the order
}

func eachCheckFixture(t *testing.T, fn func(f *checkFixture), options ...apitest.Option) {
	t.Helper()

	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f := &checkFixture{t: t, storage: config.Storage{Database: databasetest.NewMigratedURL(t, engine)}}
			f.Server = apitest.StartServer(t, engine, append(options, apitest.WithDatabase(f.storage.Database),
				apitest.WithConfig(func(c *config.Serve) { f.storage.Data = c.Data }))...)
			sold, wanted := f.NewStockedVariant(), f.NewStockedVariant()
			f.WithKeys(f.Other).NewStockedVariant()
			f.submitted = f.SubmitOrder(sold)
			f.OK(201, "POST", "/v2/orders", `{"items": [{"variant_id": "`+wanted+`", "quantity": 1}]}`)
			f.OK(201, "POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type", "image/png"))
			f.OK(200, "POST", "/v2/sync-gate/stocks", `[{"id": "s", "name": "pushed"}]`, apitest.As(f.Exchange))
			fn(f)
		})
	}
}

func (f *checkFixture) exec(statements ...string) {
	f.t.Helper()
	f.Write(func(ctx context.Context, q database.Querier) error {
		for _, sql := range statements {
			var args []any // OWN and OTHER are the stores
			if strings.Contains(sql, "OWN") {
				args = append(args, f.StoreID)
			} else if strings.Contains(sql, "OTHER") {
				args = append(args, f.Other.StoreID)
			}

			sql = strings.NewReplacer("OWN", "$1", "OTHER", "$1").Replace(sql)
			if _, err := q.Exec(ctx, sql, args...); err != nil {
				return err
			}
		}

		return nil
	})
}

// broken returns the names of the rules that the check finds broken.
func (f *checkFixture) broken() []string {
	f.t.Helper()
	r, err := check.Run(f.t.Context(), f.storage, config.Files{}, check.Options{}, slog.New(slog.DiscardHandler))
	if err != nil {
		f.t.Fatal(err)
	}

	var names []string
	for _, c := range r.Checks {
		if c.Problems > 0 {
			names = append(names, c.Name)
			f.t.Logf("%s: %q", c.Name, c.Examples)
			if len(c.Examples) == 0 {
				f.t.Errorf("%s has no example", c.Name)
			}
		}
	}

	if r.OK != (len(names) == 0) || r.Tables["orders"] != 2 {
		f.t.Errorf("ok is %t with the problems %q; there are %d orders", r.OK, names, r.Tables["orders"])
	}

	slices.Sort(names)
	return names
}

func (f *checkFixture) wantBroken(what string, want ...string) {
	f.t.Helper()
	slices.Sort(want)
	if got := f.broken(); !slices.Equal(got, want) {
		f.t.Errorf("%s: the check finds %q, want %q", what, got, want)
	}
}

func TestCheck_findsEachBrokenRule(t *testing.T) {
	t.Parallel()
	eachCheckFixture(t, func(f *checkFixture) {
		f.wantBroken("nothing is broken")

		for _, c := range []struct {
			do, undo []string
			want     []string
		}{
			{[]string{"UPDATE remainders SET reserved = reserved + 1000 WHERE reserved > 0"},
				[]string{"UPDATE remainders SET reserved = reserved - 1000 WHERE reserved > 0"},
				[]string{"reserved", "available"}},
			{[]string{"UPDATE orders SET state = 'completed' WHERE state = 'submitted'"},
				[]string{"UPDATE orders SET state = 'submitted' WHERE state = 'completed'"},
				[]string{"reserved", "open_reservations", "order_totals"}},
			{[]string{"UPDATE remainders SET quantity = quantity - 100000 WHERE reserved = 0"},
				[]string{"UPDATE remainders SET quantity = quantity + 100000 WHERE reserved = 0"},
				[]string{"remainders", "available"}},
			{[]string{"UPDATE variants SET available = available + 1"},
				[]string{"UPDATE variants SET available = available - 1"}, []string{"available"}},
			{[]string{"UPDATE order_items SET order_key = (SELECT key FROM orders WHERE state = 'draft') " +
				"WHERE quantity = 2000"},
				[]string{"UPDATE order_items SET order_key = (SELECT key FROM orders WHERE state = 'submitted') " +
					"WHERE quantity = 2000"},
				[]string{"order_lines", "open_reservations", "reserved"}},
			{[]string{"UPDATE orders SET empty = TRUE WHERE state = 'draft'"},
				[]string{"UPDATE orders SET empty = FALSE WHERE state = 'draft'"}, []string{"empty_drafts"}},
			{[]string{"UPDATE order_numbers SET last = last - 1"}, []string{"UPDATE order_numbers SET last = last + 1"},
				[]string{"order_numbers"}},
			{[]string{"UPDATE event_sequences SET last = last - 1"},
				[]string{"UPDATE event_sequences SET last = last + 1"}, []string{"event_sequences"}},
			{[]string{"UPDATE order_totals SET orders = orders + 1 WHERE span = 'day'"},
				[]string{"UPDATE order_totals SET orders = orders - 1 WHERE span = 'day'"}, []string{"order_totals"}},
			{[]string{"INSERT INTO exchange_kept (store_id, bytes) SELECT id, 7 FROM stores WHERE id = OWN"},
				[]string{"DELETE FROM exchange_kept"}, []string{"exchange_kept"}},
			{[]string{newCustomerSQL("OWN"), totalOfCustomerSQL},
				[]string{"DELETE FROM customer_totals", "DELETE FROM customers"},
				[]string{"customer_totals"}},
			{[]string{newCustomerSQL("OTHER"), strings.ReplaceAll(totalOfCustomerSQL, "SELECT store_id, key",
				"SELECT OWN, key")},
				[]string{"DELETE FROM customer_totals", "DELETE FROM customers"}, []string{"customers_of_store"}},
			{[]string{"UPDATE order_items SET variant_key = variant_key + 1, " +
				"variant_id = (SELECT v.id FROM variants v WHERE v.key = order_items.variant_key + 1) " +
				"WHERE quantity = 1000"},
				[]string{"UPDATE order_items SET variant_key = variant_key - 1, " +
					"variant_id = (SELECT v.id FROM variants v WHERE v.key = order_items.variant_key - 1) " +
					"WHERE quantity = 1000"},
				[]string{"lines_of_store"}},
			{[]string{"UPDATE reservations SET stock_key = stock_key + 2"},
				[]string{"UPDATE reservations SET stock_key = stock_key - 2"}, []string{"stocks_of_store", "reserved"}},
			{[]string{"UPDATE exchange_runs SET credential_id = (SELECT id FROM credentials WHERE store_id <> " +
				"exchange_runs.store_id ORDER BY id LIMIT 1)"},
				[]string{"UPDATE exchange_runs SET credential_id = id"}, []string{"pushes_of_store"}},
			{[]string{"INSERT INTO receivers (store_id, id, url, types, enabled, secret, version, created_at, " +
				"updated_at) " +
				"SELECT id, id, '', '', FALSE, id, 1, 0, 0 FROM stores WHERE id = OWN",
				"INSERT INTO deliveries (store_id, id, receiver_key, sequence, type, status, stranded, " +
					"attempts_count, " +
					"created_at, updated_at) SELECT r.store_id, r.id, r.key, (SELECT MIN(e.sequence) FROM events e " +
					"WHERE " +
					"e.store_id = r.store_id), '', 'delivered', FALSE, 1, 0, 0 FROM receivers r",
				"INSERT INTO attempts (store_id, delivery_key, number, started_at, duration_ms, excerpt) " +
					"SELECT s.id, d.key, 1, 0, 0, '' FROM deliveries d CROSS JOIN stores s WHERE s.id <> d.store_id"},
				[]string{"DELETE FROM attempts", "DELETE FROM deliveries", "DELETE FROM receivers"},
				[]string{"deliveries_of_store"}},
			{[]string{"INSERT INTO search_words (store_id, kind, word, key) " +
				"SELECT s.id, 'order', 'x', o.key FROM orders o " +
				"CROSS JOIN stores s WHERE s.id <> o.store_id AND o.state = 'submitted'"},
				[]string{"DELETE FROM search_words WHERE word = 'x'"}, []string{"search_of_store"}},
			{[]string{"UPDATE events SET id = store_id WHERE type = 'order.submitted'"},
				[]string{"UPDATE events SET id = (SELECT o.submitted_event FROM orders o " +
					"WHERE o.state = 'submitted') " +
					"WHERE type = 'order.submitted'"},
				[]string{"order_events"}},
		} {
			do := slices.Clone(c.do)
			if f.Engine == database.Postgres {
				for i := range do { // a BLOB on SQLite is a UUID or BYTEA here
					do[i] = strings.ReplaceAll(do[i], "FALSE, id, 1, 0, 0", "FALSE, '', 1, 0, 0")
				}
			}

			f.exec(do...)
			f.wantBroken(c.do[0], c.want...)
			f.exec(c.undo...)
		}

		if f.Engine == database.Postgres {
			f.exec("ALTER TABLE remainders DISABLE TRIGGER ALL")
			f.wantBroken("foreign keys are off", "integrity")
			f.exec("ALTER TABLE remainders ENABLE TRIGGER ALL")
		}

		f.wantBroken("all was undone")
	})
}

// newCustomerSQL inserts a customer into a store, which is a parameter.
func newCustomerSQL(storeID string) string {
	return "INSERT INTO customers (store_id, id, name, words, version, created_at, updated_at) " +
		"SELECT id, id, '', '', 1, 0, 0 FROM stores WHERE id = " + storeID
}

const totalOfCustomerSQL = "INSERT INTO customer_totals (store_id, customer_key, currency, orders, whole, rest) " +
	"SELECT store_id, key, 'EUR', 1, 0, 0 FROM customers"

func TestCheck_comparesImagesWithFilesInBothDirections(t *testing.T) {
	t.Parallel()
	eachCheckFixture(t, func(f *checkFixture) {
		folder := filepath.Join(f.storage.Data, "blobs")
		blobs, err := blob.Open(t.Context(), blob.Config{URL: folder})
		if err != nil {
			t.Fatal(err)
		}
		defer blobs.Close()

		put := func(name, content string) {
			if err := blobs.Put(f.t.Context(), name, []byte(content)); err != nil {
				f.t.Fatal(err)
			}
		}
		stored := map[string]int64{}
		if err := blobs.Each(f.t.Context(), func(name string,
			size int64) error {
			stored[name] = size
			return nil
		}); err != nil {
			f.t.Fatal(err)
		}

		var original string
		for name := range maps.Keys(stored) {
			if strings.HasSuffix(name, "/original.png") {
				original = name
			}
		}

		content, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(blob.DiskPath(original))))
		if err != nil {
			f.t.Fatal(err)
		}

		put(original, "short")
		f.wantBroken("a file has another size", "image_files")

		if err := blobs.Remove(f.t.Context(), filepath.ToSlash(filepath.Dir(original))); err != nil {
			f.t.Fatal(err)
		}

		f.wantBroken("a file is missing", "image_files")
		put(original, string(content))
		f.wantBroken("the file is back")

		put(f.StoreID.String()+"/"+id.New[entity]().String()+"/original.png", "of an upload in progress")
		put("elsewhere/notes.txt", "not of Vitrine")
		f.wantBroken("a new file without an image")
		const old = "00000000-0000-7000-8000-000000000001"
		put(f.StoreID.String()+"/"+old+"/small.jpg", "of nobody")
		f.wantBroken("an old file without an image", "orphaned_files")

		f.Write(func(ctx context.Context, q database.Querier) error {
			image, err := id.Parse[entity](old)
			if err != nil {
				return err
			}
			_, err = q.Exec(ctx, "INSERT INTO image_leftovers (store_id, image_id, due_at) VALUES ($1, $2, $3)",
				f.StoreID,
				image, time.Now().Add(1000*time.Hour).UnixMicro())
			return err
		})

		f.wantBroken("a file that will be removed")
	})
}

// The events of old orders were deleted under a short retention. A longer one afterwards does not make the check miss
// them; it still misses those of orders that are younger than the deletion.
func TestCheck_knowsWhichEventsHaveExpired(t *testing.T) {
	eachCheckFixture(t, func(f *checkFixture) {
		f.Clock.Advance(48 * time.Hour)
		f.exec("DELETE FROM deliveries")
		storetest.Eventually(f.t, "the events are fanned out and deleted", func() bool {
			if err := f.App.Webhooks.Prune(f.t.Context()); err != nil {
				f.t.Fatal(err)
			}

			return apitest.CountRows(f.t, f.App.DB, "SELECT COUNT(*) FROM events") == 0
		})
		f.wantBroken("with events that have expired, and a check for which they never do")
		f.exec("UPDATE meta SET name = 'kept' WHERE name = 'events_pruned_before'")
		f.wantBroken("without the record of the deletion", "order_events")
		f.exec("UPDATE meta SET name = 'events_pruned_before' WHERE name = 'kept'")
		f.OK(200, "POST", "/v2/orders/"+f.submitted+"/confirm", "{}")
		f.wantBroken("after a new event")
		f.exec("DELETE FROM deliveries", "DELETE FROM events")
		f.wantBroken("a new event is missing", "order_events")
	}, apitest.WithConfig(func(c *config.Serve) { c.EventRetention = 24 * time.Hour }))
}

type entity struct{}

// The command prints a report, also as JSON, and exits with 1 if there are problems.
func TestCheck_asACommandWhileTheServerRuns(t *testing.T) {
	apitest.EachInstallation(t, func(t *testing.T, inst *apitest.Installation) {
		if inst.Engine == database.SQLite {
			inst.WantFailure(1, []string{"there is no shop at"}, "check")
		} else {
			inst.WantFailure(1, []string{"there is no shop in the PostgreSQL database"}, "check")
		}

		_, shop := inst.FirstRun()
		shop.OK(201, "POST", "/v2/images", apitest.PNG(1), apitest.Header("Content-Type", "image/png"))
		shop.SubmitOrder(shop.NewStockedVariant())

		if out := inst.Run("check"); !strings.Contains(out, "No problems") || !strings.Contains(out, "orders ") {
			t.Errorf("check prints %s", out)
		}

		if r := apitest.ParseJSON[check.Report](t, inst.Run("check", "--json")); !r.OK || r.Images == nil ||
			r.Images.Images != 1 || r.Tables["orders"] != 1 {
			t.Errorf("check --json prints %+v", r)
		}

		if err := os.RemoveAll(filepath.Join(inst.Data, "blobs", shop.StoreID.String())); err != nil {
			t.Fatal(err)
		}

		for _, args := range [][]string{{"check"}, {"check", "--json"}} {
			p := apitest.Launch(t, inst.Command(args...))
			if code := p.Wait(); code != 1 || !strings.Contains(p.Stdout.String(), "original.png is missing") {
				t.Errorf("%v exits with %d and prints %s", args, code, p.Stdout)
			}
		}

		inst.Run("check", "--no-images")
	})
}
