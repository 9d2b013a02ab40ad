package exchange

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/storetest"
)

// Each of the following tests reproduces a bug that was fixed. Its comment describes the bug.

// An atomic push locked the store's row of catalog_versions, which every write locks last, and then locked more
// products. Concurrent edits deadlocked with it.
func TestRegression_atomicPushDoesNotDeadlockWithEdits(t *testing.T) {
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newFixture(storetest.Open(t, engine))
			items := make([]string, 3*batchItems)
			for i := range items {
				items[i] = fmt.Sprintf(`{"id": %d, "name": "P"}`, i)
			}

			s.push(Products, payload(items...))
			stop := make(chan struct{})
			edits := sync.WaitGroup{}
			for n := range 4 {
				edits.Go(func() {
					for i := n; ; i += 37 {
						select {
						case <-stop:
							return
						default:
							s.renameProduct(fmt.Sprint(i % len(items)))
						}
					}
				})
			}

			for i := range items {
				items[i] = fmt.Sprintf(`{"id": %d, "name": "Q"}`, i)
			}

			run, err := s.tryPush(Products, payload(items...), atomic)
			close(stop)
			edits.Wait()
			if err != nil || run.Updated != int64(len(items)) {
				t.Errorf("%s, %v", s.countsText(run), err)
			}
		})
	}
}

// renameProduct edits a product in the same way as the API.
func (s *fixture) renameProduct(externalID string) {
	err := s.TryWrite(func(tx store.Tx) error {
		keys, err := s.Catalog.Products.KeysByExternalID(s.Context(), tx, []string{externalID})
		if err != nil {
			return err
		}
		list, err := s.Catalog.Products.ByKeys(s.Context(), tx, []int64{keys[externalID]})
		if err != nil || len(list) == 0 {
			return err
		}
		_, err = s.Catalog.Products.Edit(s.Context(), tx, list[0].ID, catalog.ProductEdit{Name: new("edited")}, nil)
		return err
	})
	if err != nil {
		s.Error(err)
	}
}

// The failed items that an atomic push collects in memory, and the names of unknown members, were limited in number but
// not in bytes.
func TestRegression_limitsBytesOfFailedItems(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const size = 2 << 20
		const items = maxCollectedBytes/size + 4
		long := strings.Repeat("x", size)
		var body strings.Builder
		for i := range items {
			fmt.Fprintf(&body, `{"id": %d, "%s%d": 1}`+"\n", i, long, i)
		}

		run, err := s.tryPush(Products, body.String(), ndjson, atomic)
		s.wantFault(run, err, "push_rejected")
		if run.Failed >= items {
			s.Errorf("an atomic push collected all %d failed items, want at most %d bytes", items, maxCollectedBytes)
		}

		run = s.push(Products, body.String(), ndjson)
		if run.Failed != items {
			s.Errorf("%d items failed, want %d", run.Failed, items)
		}

		for _, path := range run.IgnoredFields {
			if len(path) > 200+len("…") {
				s.Fatalf("an ignored field has %d bytes, want at most 200 and an ellipsis", len(path))
			}
		}

		if n := len(s.rejects(run)); n != items {
			s.Errorf("the run has %d rejects, want %d", n, items)
		}
	})
}

// A node stopped between the commit of an atomic push in the background and the end of its run. The next node applied
// and counted the items again.
func TestRegression_backgroundAtomicPushIsAppliedOnce(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		body := payload(lampItem, `{"id": 2, "name": "B", "categories": [1]}`)
		run, err := s.Pushes.Spool(s.Context(), s.Store.ID, s.params(Products, atomic), strings.NewReader(body))
		if err != nil {
			s.Fatal(err)
		}

		p := s.Pushes.newPushRun(s.Store.ID, &run)
		run.StartedAt = &run.CreatedAt
		spooled := &spooledBody{ctx: s.Context(), s: s.Bodies, storeID: s.Store.ID, runKey: run.Key}
		if err := p.pushBody(s.Context(), spooled); err != nil {
			s.Fatal(err)
		}

		s.runQueueUntilFinished(run)
		if got := s.countsText(s.find(run)); got != "2: +2 ~0 =0 !0 ?1" {
			s.Errorf("the counts are %q", got)
		}
	})
}

// runQueueUntilFinished runs the queue until a run is finished, and returns the run.
func (s *fixture) runQueueUntilFinished(run Run) Run {
	s.Helper()
	ctx, stop := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Queue.Run(ctx) }()
	for run.FinishedAt == nil && s.Context().Err() == nil {
		run = s.find(run)
	}
	stop()
	if err := <-ended; err != nil {
		s.Error(err)
	}
	return run
}

// A failed item created the stock that it referred to.
func TestRegression_failedItemCreatesNoStock(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		const remainders = `"single_variant": true, "variant_price": 1, ` +
			`"variant_remainders": [{"stock_id": "S9", "quantity": 1}]`
		s.wantCounts("1: +0 ~0 =0 !1 ?0", Products, payload(`{"id": 1, `+remainders+`}`))
		if state := s.CatalogState(); strings.Contains(state, "S9") {
			s.Errorf("the failed item created a stock:\n%s", state)
		}
		s.wantCounts("2: +1 ~0 =0 !1 ?0", Products, payload(`{"id": 1, `+remainders+`}`,
			`{"id": 2, "name": "B", `+remainders+`}`))
		if state := s.CatalogState(); !strings.Contains(state, "remainder 2/- S9=1000") {
			s.Errorf("the valid item did not create its stock:\n%s", state)
		}
	})
}

// The last of several prices of one variant did not win if some of the items had a product_id and others had none.
func TestRegression_lastPriceWins(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(`{"id": "P", "name": "P", "variants": [{"id": "V", "price": 9}]}`))
		run := s.wantCounts("3: +0 ~3 =0 !0 ?2", Prices,
			payload(`{"variant_id": "V", "product_id": "P", "price": 1}`,
				`{"variant_id": "V", "product_id": "P", "price": 2}`, `{"variant_id": "V", "price": 3}`))
		s.wantNotes(run, "1 V variant_id:duplicate_id; 2 V variant_id:duplicate_id")
		if state := s.CatalogState(); !strings.Contains(state, " 30000 ") {
			s.Errorf("the variant does not have the last price:\n%s", state)
		}
	})
}

// A product with variants was pushed again with single_variant. Pushes of prices and remainders then found its variant
// neither by the variant's id nor by the product's.
func TestRegression_singleVariantIsFoundByProductID(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(`{"id": "P", "name": "P", "variants": [{"id": "V", "sku": "S", "price": 9}]}`))
		s.push(Products, payload(`{"id": "P", "single_variant": true, "variant_sku": "S"}`))
		s.wantCounts("1: +0 ~1 =0 !0 ?0", Prices, payload(`{"variant_id": "P", "price": 1}`))
		s.push(Products, payload(`{"id": "P", "variants": [{"id": "W", "sku": "S"}]}`))
		if state := s.CatalogState(); !strings.Contains(state, "variant P/W S  10000") ||
			strings.Contains(state, "archived") {
			s.Errorf("the push did not keep the variant with the SKU S:\n%s", state)
		}
	})
}

// A dry run warned of unknown parents that were in the same push, and computed the share of missing products without
// the products that it would create.
func TestRegression_dryRunReportsSameAsPush(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		items := []string{`{"id": "root", "name": "R"}`}
		for i := range batchItems + 10 {
			items = append(items, fmt.Sprintf(`{"id": %d, "name": "C", "parent_id": "root"}`, i))
		}

		want := fmt.Sprintf("%d: +%[1]d ~0 =0 !0 ?0", len(items))
		s.wantCounts(want, Categories, payload(items...), dryRun)
		s.wantCounts(want, Categories, payload(items...))
		s.push(Products, payload(`{"id": "old", "name": "O"}`))
		var made []string

		for i := range 9 {
			made = append(made, fmt.Sprintf(`{"id": %d, "name": "N"}`, i))
		}

		for _, options := range [][]paramOption{{dryRun, archiveMissing}, {dryRun, atomic, archiveMissing},
			{archiveMissing}} {
			if run := s.push(Products, payload(made...), options...); run.Archived != 1 {
				s.Errorf("%d products were archived, want 1", run.Archived)
			}
		}

		run, err := s.tryPush(Products, payload(made[:1]...), archiveMissing, atomic)
		if s.wantFault(run, err, "archive_refused"); !strings.Contains(run.Problem.Message, "Nothing was applied") {
			s.Errorf("the problem is %q, want it to say that nothing was applied", run.Problem.Message)
		}
	})
}

// A product with both variants and single_variant failed because of errors in the members that it does not use.
func TestRegression_variantsBesideSingleVariantAreIgnored(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run := s.wantCounts("2: +2 ~0 =0 !0 ?2", Products, payload(
			`{"id": 1, "name": "A", "variants": [{"price": "x"}, 7], "single_variant": true, "variant_price": 1}`,
			`{"id": 2, "name": "B", "variant_price": "x", "variants": [{"id": 1, "price": 1}]}`))
		s.wantNotes(run, "0 1 variants:unused_members; 1 2 variant_price:unused_members")
	})
}

// A run that was resumed after a crash failed if a product that it had already archived was restored in the meantime.
func TestRegression_archivesRestoredProductAgain(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, payload(`{"id": 1, "name": "A"}`, `{"id": 2, "name": "B"}`))
		run := s.push(Products, payload(`{"id": 2, "name": "B"}`), archiveMissing, maxShare(1))
		s.push(Products, payload(`{"id": 1, "name": "A"}`))
		p := s.Pushes.newPushRun(s.Store.ID, &run)
		p.unresolvedIDs = []string{"2"}
		if err := p.archiveMissing(s.Context()); err != nil || run.Archived != 2 {
			s.Errorf("%d archived, %v", run.Archived, err)
		}
	})
}
