package exchange

import (
	"slices"
	"testing"
)

func TestHealth_summarizesTheNewestRuns(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		wantHealth := func(stores, failing int, entities ...string) {
			t.Helper()
			h, err := s.Runs.Health(s.Context())
			if err != nil {
				t.Fatal(err)
			}
			if h.Stores != stores || h.FailingStores != failing || len(h.LastCompleted) != len(entities) {
				t.Errorf("%+v; want %d stores, %d failing, %v", h, stores, failing, entities)
			}

			for _, entity := range entities {
				if s.Clock.Now().Before(h.LastCompleted[entity]) || h.LastCompleted[entity].IsZero() {
					t.Errorf("the last completed push of %s was at %v", entity, h.LastCompleted[entity])
				}
			}
		}

		wantHealth(0, 0)
		s.push(Stocks, `{"payload": [{"id": 1, "name": "A"}]}`, dryRun)
		wantHealth(0, 0)
		s.push(Stocks, `{"payload": [{"id": 1, "name": "A"}]}`)
		wantHealth(1, 0, Stocks)

		if _, err := s.tryPush(Categories, `{"payload": [`); err == nil {
			t.Fatal("half a body was accepted")
		}

		wantHealth(1, 1, Stocks)
		s.createStore()
		s.push(Prices, `{"payload": [{"sku": "none", "price": 1}]}`)
		wantHealth(2, 1, Prices, Stocks)
	})
}

func TestObserve_isCalledOncePerPush(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		var ended []Ended
		s.Observe = func(e Ended) { ended = append(ended, e) }
		s.push(Stocks, `{"payload": [{"id": 1, "name": "A"}, {"name": "B"}]}`) // small: one transaction
		s.push(Categories, `{"payload": [{"id": 1, "name": "A"}]}`)

		if _, err := s.tryPush(Categories, `{"payload": [{"id": 2, "name": "B"}, `, atomic); err == nil {
			t.Fatal("half a body was accepted")
		}

		s.Pushes.CountRefused(s.params(Prices))
		want := []Ended{
			{Entity: Stocks, Status: Completed, Counts: Counts{Received: 2, Created: 1, Failed: 1, Errors: 1}},
			{Entity: Categories, Status: Completed, Counts: Counts{Received: 1, Created: 1}},
			{Entity: Categories, Status: Failed},
			{Entity: Prices, Status: Refused},
		}
		if !slices.Equal(ended, want) {
			t.Errorf("the ends are %+v, want %+v", ended, want)
		}
	})
}
