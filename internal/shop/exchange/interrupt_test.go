package exchange

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
	"vitrine/internal/testkit/storetest"
)

// productLines returns products as NDJSON.
func productLines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "{\"id\": %d, \"name\": \"Thing %d\"}\n", i, i)
	}
	return b.String()
}

// waitingPush starts a push whose client has sent some products and sends no more, and returns a function that returns
// its result.
func (s *fixture) waitingPush(push func(body io.ReadCloser) (Run, error), sent string) func() (Run, error) {
	s.Helper()
	reader, writer := io.Pipe()
	type result struct {
		run Run
		err error
	}
	results := make(chan result, 1)
	go func() {
		run, err := push(reader)
		results <- result{run, err}
	}()

	if _, err := io.WriteString(writer, sent); err != nil {
		s.Fatal(err)
	}

	return func() (Run, error) {
		s.Helper()
		select {
		case r := <-results:
			return r.run, r.err
		case <-time.After(time.Minute):
			s.Fatal("the push did not end")
			return Run{}, nil
		}
	}
}

func (s *fixture) products() int64 {
	return s.Count("products WHERE store_id = $1", s.Store.ID)
}

// wantInterrupted checks that a push was interrupted, that its client is told when to repeat it, and that its stored
// run has failed.
func (s *fixture) wantInterrupted(run Run, err error) Run {
	s.Helper()
	run = s.wantFault(run, err, "interrupted")
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.Unavailable || f.RetryAfter <= 0 {
		s.Errorf("the fault is %v, want one with a time for the next attempt", err)
	}
	s.Read(func(tx store.Tx) error {
		stored, err := selectRunByKey(s.Context(), tx, run.Key)
		if err == nil && (stored.Status != Failed || stored.FinishedAt == nil || stored.Received != run.Received) {
			s.Errorf("the stored run is %s with %d items, want failed with %d", stored.Status, stored.Received,
				run.Received)
		}
		return err
	})
	return run
}

func TestInterrupt_endsPushThatWaitsForItsClient(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		end := s.waitingPush(func(body io.ReadCloser) (Run, error) {
			return s.Pushes.Push(s.Context(), s.Store.ID, s.params(Products, ndjson), body)
		}, productLines(0, 1200))
		storetest.Eventually(s.TB, "items are applied", func() bool { return s.products() >= batchItems })
		s.Pushes.Interrupt()

		run := s.wantInterrupted(end())
		if got := s.products(); run.Received < batchItems || got != run.Received {
			s.Errorf("the run counts %d items, and there are %d products", run.Received, got)
		}

		// The push goes on after a restart, which is another Service.
		s.Pushes.interruption = newInterruption()
		again := s.push(Products, productLines(0, 1200), ndjson)
		if again.Received != 1200 || again.Unchanged != run.Received || s.products() != 1200 {
			s.Errorf("the repeated push has the counts %s", s.countsText(again))
		}
	})
}

func TestInterrupt_endsPushBetweenBatches(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.push(Products, productLines(0, batchItems), ndjson)
		s.Pushes.Interrupt()
		// Nothing was applied when the first batch begins, so it is applied; the second one is not.
		run := s.wantInterrupted(s.tryPush(Products, productLines(0, 2*batchItems+1), ndjson))
		// On SQLite a batch is split if a short write waits for it.
		if run.Received < minStepItems || run.Received > batchItems || s.products() != batchItems {
			s.Errorf("the run counts %d items, and there are %d products", run.Received, s.products())
		}
		// A push of one batch is completed.
		s.push(Products, productLines(0, minStepItems), ndjson)
		s.push(Products, productLines(0, 1), ndjson)
	})
}

func TestInterrupt_rollsBackAtomicPush(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.Pushes.Interrupt()
		run := s.wantInterrupted(s.tryPush(Products, productLines(0, 2*batchItems+1), ndjson, atomic))
		if run.Received != 0 || s.products() != 0 {
			s.Errorf("the run counts %d items, and there are %d products", run.Received, s.products())
		}
	})
}

func TestInterrupt_endsReceivingForTheBackground(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		end := s.waitingPush(func(body io.ReadCloser) (Run, error) {
			return s.Pushes.Spool(s.Context(), s.Store.ID, s.params(Products, ndjson), body)
		}, productLines(0, 10))
		storetest.Eventually(s.TB, "the run exists", func() bool { return s.Count("exchange_runs") == 1 })
		s.Pushes.Interrupt()
		s.wantInterrupted(end())
		if n := s.Count("exchange_pieces"); n != 0 {
			s.Errorf("%d chunks of the body are left", n)
		}
	})
}

// Abort ends a push whose batch waits for a lock.
func TestAbort_endsBatchThatWaits(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		unlock, err := s.Pushes.storeLocks.lock(s.Context(), s.Store.ID)
		if err != nil {
			s.Fatal(err)
		}
		defer unlock()
		end := s.waitingPush(func(body io.ReadCloser) (Run, error) {
			return s.Pushes.Push(s.Context(), s.Store.ID, s.params(Products, ndjson), body)
		}, productLines(0, 1200))
		storetest.Eventually(s.TB, "the run exists", func() bool { return s.Count("exchange_runs") == 1 })
		s.Pushes.Abort()
		if run := s.wantInterrupted(end()); run.Received != 0 || s.products() != 0 {
			s.Errorf("the run counts %d items, and there are %d products", run.Received, s.products())
		}
	})
}
