package exchange

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/queue"
)

// An older push whose first attempt fails is not applied over a newer one: that waits for it.
func TestSpool_appliesPushesInOrderDespiteRetry(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		spool := func(name string) Run {
			s.Helper()
			run, err := s.Spool(s.Context(), s.storeID, s.params(Stocks), strings.NewReader(payload(`{"id": 1, "name": "`+name+`"}`)))
			if err != nil {
				s.Error(err)
			}
			return run
		}
		newer := make(chan Run, 1)
		kind := s.Kinds()[0]
		kind.Retries[0] = 200 * time.Millisecond // long enough for the newer one to go first, if it could
		apply, failed := kind.Run, false
		kind.Run = func(ctx context.Context, t *queue.Task) error {
			if !failed {
				failed = true
				newer <- spool("new")
				return errors.New("not now")
			}
			return apply(ctx, t)
		}
		s.Queue = queue.New(queue.Deps{DB: s.DB, Now: time.Now}, kind)
		older := spool("old")
		ctx, stop := context.WithCancel(s.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Queue.Run(ctx) }()
		defer func() {
			stop()
			if err := <-ended; err != nil {
				s.Error(err)
			}
		}()
		s.eventually(func() bool { return len(newer) == 1 })
		last := <-newer
		s.eventually(func() bool { return s.find(older).Status == Completed && s.find(last).Status == Completed })
		if got := countsText(s.find(older)); got != "1: +1 ~0 =0 !0 ?0" {
			s.Errorf("the older one says %q", got)
		}
		if got := countsText(s.find(last)); got != "1: +0 ~1 =0 !0 ?0" {
			s.Errorf("the newer one says %q", got)
		}
		if state := s.catalogState(); !strings.Contains(state, "new") || strings.Contains(state, "old") {
			s.Errorf("it ends as\n%s", state)
		}
	})
}
