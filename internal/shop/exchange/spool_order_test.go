package exchange

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/queue"
)

// If the first attempt of a push fails, newer pushes of the store wait until it has been retried.
func TestSpool_appliesPushesInOrderDespiteRetry(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		spool := func(name string) Run {
			s.Helper()
			body := payload(`{"id": 1, "name": "` + name + `"}`)
			run, err := s.Pushes.Spool(s.Context(), s.Store.ID, s.params(Stocks), strings.NewReader(body))
			if err != nil {
				s.Error(err)
			}
			return run
		}

		newer := make(chan Run, 1)
		kind := s.Pushes.Kind()
		kind.Retries[0] = 200 * time.Millisecond // long enough to apply the newer push first, if it did not wait
		apply := kind.Run
		failed := false
		kind.Run = func(ctx context.Context, t *spoolTask) error {
			if !failed {
				failed = true
				newer <- spool("new")
				return errors.New("first attempt fails")
			}
			return apply(ctx, t)
		}
		s.Queue = queue.New(queue.Deps{DB: s.DB, Now: time.Now}, kind)
		older := spool("old")
		s.Start(s.Queue.Run)
		last := <-newer
		s.Eventually("both runs are completed", func() bool {
			return s.find(older).Status == Completed && s.find(last).Status == Completed
		})

		if got := s.countsText(s.find(older)); got != "1: +1 ~0 =0 !0 ?0" {
			s.Errorf("the counts of the older push are %q", got)
		}
		if got := s.countsText(s.find(last)); got != "1: +0 ~1 =0 !0 ?0" {
			s.Errorf("the counts of the newer push are %q", got)
		}
		if state := s.CatalogState(); !strings.Contains(state, "new") || strings.Contains(state, "old") {
			s.Errorf("the newer push was not applied last:\n%s", state)
		}
	})
}
