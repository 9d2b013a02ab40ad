package exchange

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// A push of a few items is applied in one transaction, and has the same outcome as in several.
func TestPush_ofFewItemsHasTheSameOutcomeInOneTransaction(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		pushAll := func() (outcome string) {
			s.createStore()

			for _, p := range []struct{ entity, body string }{
				{Stocks, payload(`{"id": 1, "name": "Main"}`)},
				{Products, payload(
					`{"id": 1, "name": "A", "unknown": 1, "variants": [{"id": 1, "price": 5}, {"id": 2, "price": 6}]}`,
					`{"id": 1, "name": "B", "variants": [{"id": 1, "price": 7}]}`, `{"id": 2, "name": {}}`)},
				{Prices, payload(`{"product_id": 1, "variant_id": 1, "price": 8}`, `{"variant_id": 9, "price": 8}`)},
				{Remainders, payload(`{"product_id": 1, "variant_id": 1, "stock_id": 1, "quantity": 3}`)},
				{Prices, payload(`{"product_id": 1, "variant_id": 1, "price": 8}`)},
			} {
				run := s.push(p.entity, p.body)
				if got, want := s.find(run), run; got.Received != want.Received || got.Status != want.Status ||
					got.FinishedAt == nil || len(got.Ignored) != len(want.Ignored) || got.Warnings != want.Warnings {
					s.Errorf("%s: the stored run is %+v, want %+v", p.entity, got, want)
				}
				outcome += s.countsText(run) + " " + s.notesText(run) + " " + strings.Join(s.rejects(run), " ") +
					strings.Join(run.IgnoredFields, ",") + "\n"
			}

			for _, event := range s.completedEvents() {
				_, how, _ := strings.Cut(event, " ")
				outcome += how + "\n"
			}

			return outcome + s.CatalogState()
		}

		at := pushAll()
		versions := s.Count("product_changes WHERE store_id = $1", s.Store.ID)
		s.Pushes.smallPushItems = 0
		if want := pushAll(); at != want {
			s.Errorf("in one transaction:\n%s\nin several:\n%s", at, want)
		}
		if got := s.Count("product_changes WHERE store_id = $1", s.Store.ID); got != versions {
			s.Errorf("%d changes are recorded in one transaction, %d in several", versions, got)
		}
	})
}

// A push that pushSmall cannot apply is applied in the usual way, which records its failure.
func TestPush_ofFewItemsRecordsItsFailure(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		run, err := s.tryPush(Stocks, `{"payload": [{"id": 1, "name": "Main"}, {`)
		run = s.wantFault(run, err, "malformed_json")
		if got := s.find(run); got.Status != Failed || got.Received != 1 {
			s.Errorf("the stored run is %s with %d items, want failed with 1", got.Status, got.Received)
		}
		s.Write(func(tx store.Tx) error { return s.Access.RevokeKey(s.Context(), tx, s.credential) })
		run, err = s.tryPush(Stocks, payload(`{"id": 2, "name": "Cellar"}`))
		run = s.wantFault(run, err, "invalid_exchange_token")
		if got := s.find(run); got.Status != Failed || got.Received != 0 {
			s.Errorf("the stored run is %s with %d items, want failed with 0", got.Status, got.Received)
		}
	})
}

// A small body that breaks off, or that is larger than declared because it was compressed, is read again in the usual
// way.
func TestReadSmallBody_returnsWhatWasRead(t *testing.T) {
	broken := errors.New("the connection ended")
	large := strings.Repeat("x", smallPushBytes+10)
	for name, c := range map[string]struct {
		body io.Reader
		want string
		err  error
	}{
		"broken": {io.MultiReader(strings.NewReader("start"), iotest.ErrReader(broken)), "start", broken},
		"large":  {strings.NewReader(large), large, nil},
	} {
		whole, again := readSmallBody(io.NopCloser(c.body))
		if whole != nil {
			t.Errorf("%s: the body of %d bytes is whole", name, len(whole))
		}

		if got, err := io.ReadAll(again); string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: read %d bytes again, %v, want %d, %v", name, len(got), err, len(c.want), c.err)
		}
	}
}

// A transaction of a push ended only after a batch of 1,000 items, however many other writes waited for it.
func TestPush_endsItsTransactionIfShortWritesWait(t *testing.T) {
	s := newFixture(storetest.Open(t, database.SQLite))
	var batch itemBatch
	body := io.NopCloser(strings.NewReader(manyProducts()))
	for b, err := range s.Pushes.handlers[Products].stream(s.Context(), item.NDJSON, body, batchItems,
		&item.Ignored{}) {
		if err != nil {
			t.Fatal(err)
		}
		batch = b
		break
	}

	run := s.insertRun(func(r *Run) {
		r.Status = Running
		r.FinishedAt = nil
	})
	p := s.Pushes.newPushRun(s.Store.ID, &run)
	other := make(chan error, 1)
	var applied *appliedItems
	err := s.DB.WriteAlone(s.Context(), func(q querier) (err error) {
		go func() { other <- s.DB.Write(s.Context(), func(querier) error { return nil }) }()
		storetest.Eventually(t, "another write waits", s.DB.ShortWritesWait)
		applied, err = p.fillTransaction(s.Context(), q, batch, 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	if err := <-other; err != nil {
		t.Error(err)
	}
	if n := len(applied.items); n != minStepItems {
		t.Errorf("the transaction applied %d items while another write waited, want %d", n, minStepItems)
	}
	if !s.DB.ShortWritesWaited(busyTime) {
		t.Error("the next steps are as long as if no other write had waited")
	}
}

// The transactions of a push end early while other clients write. All items are applied and counted.
func TestPush_appliesAllItemsWhileOthersWrite(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.withConcurrentWrites(1000, func() {
			s.wantCounts("2010: +2010 ~0 =0 !0 ?0", Products, manyProducts(), ndjson)
		})
		s.wantCounts("2010: +0 ~0 =2010 !0 ?0", Products, manyProducts(), ndjson)
	})
}
