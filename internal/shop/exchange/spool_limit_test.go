package exchange

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/memory"
	"vitrine/internal/kit/queue"
)

// limitSpool limits the spool to a number of bytes, of which one store may have half.
func (s *fixture) limitSpool(limit int64) {
	s.SpoolShare = memory.NewShare("spool", "large request bodies", limit)
}

// spoolRandom spools a push of random bytes, which cannot be compressed and are no JSON.
func (s *fixture) spoolRandom(size int) (Run, error) {
	body := io.LimitReader(rand.NewChaCha8([32]byte{1}), int64(size))
	return s.Pushes.Spool(s.Context(), s.Store.ID, s.params(Stocks), body)
}

// spooledBytesOf returns the bytes of a run's body that are stored, and those that are counted.
func (s *fixture) spooledBytesOf(run Run) (stored, counted int64) {
	s.Helper()
	stored = s.queryInt("SELECT COALESCE(SUM(LENGTH(packed)), 0) FROM exchange_pieces WHERE run_key = $1", run.Key)
	return stored, s.queryInt("SELECT spooled_bytes FROM exchange_runs WHERE key = $1", run.Key)
}

// wantKind checks the kind and the code of the fault of a refused push, and that the client is told when to retry.
func (s *fixture) wantKind(err error, kind fault.Kind, code string) {
	s.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != kind || f.Code != code || (f.RetryAfter == 0) != (kind == fault.TooLarge) {
		s.Errorf("the push returned %v, want %s", err, code)
	}
}

// Bodies that wait to be applied in the background were not limited: one client could fill the disk of all stores.
func TestH7_backgroundBodiesAreBounded(t *testing.T) {
	const mib = 1 << 20

	eachEngine(t, func(s *fixture) {
		s.limitSpool(4 * mib)
		first, err := s.spoolRandom(3 * mib / 2)
		if err != nil {
			s.Fatal(err)
		}
		if stored, counted := s.spooledBytesOf(first); stored < 3*mib/2 || stored != counted {
			s.Errorf("%d bytes are stored and %d are counted", stored, counted)
		}

		for _, size := range []int{mib, 3 * mib} { // the larger one is refused before it is known to be too large
			refused, err := s.spoolRandom(size)
			s.wantKind(err, fault.TooMany, "too_many_requests")
			s.wantFault(refused, err, "too_many_requests")
			if stored, counted := s.spooledBytesOf(refused); stored != 0 || counted != 0 {
				s.Errorf("of a refused push, %d bytes are stored and %d are counted", stored, counted)
			}
		}

		firstStore, firstToken := s.Fixture, s.credential
		s.createStore()
		refused, err := s.spoolRandom(3 * mib)
		s.wantKind(err, fault.TooLarge, "push_too_large")
		s.wantFault(refused, err, "push_too_large")
		if _, err := s.spoolRandom(3 * mib / 2); err != nil {
			s.Fatal("another store: ", err)
		}

		s.createStore()
		_, err = s.spoolRandom(3 * mib / 2)
		s.wantKind(err, fault.Unavailable, "overloaded")
		s.Fixture, s.credential = firstStore, firstToken

		// A store that has used up its part is refused before a run is inserted.
		s.limitSpool(2 * mib)
		if run, err := s.spoolRandom(1); fault.KindOf(err) != fault.TooMany || !run.ID.IsZero() {
			s.Errorf("the run is %v, the error %v", run, err)
		}

		s.limitSpool(4 * mib)
		s.runQueueUntilFinished(first)
		s.Eventually("the body is deleted",
			func() bool { stored, counted := s.spooledBytesOf(first); return stored+counted == 0 })

		if _, err := s.spoolRandom(mib); err != nil {
			s.Errorf("after the first push was applied: %v", err)
		}

		s.DatabaseRoom = func() int64 { return 0 }
		_, err = s.spoolRandom(1)
		s.wantKind(err, fault.Unavailable, "disk_full")
	})
}

// The body of a push that failed after all retries is deleted soon, so that it does not count until the run is pruned.
func TestDeleteFinishedBodies_deletesBodyOfDeadPush(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		dead, err := s.spoolRandom(ChunkBytes)
		if err != nil {
			s.Fatal(err)
		}
		waiting, err := s.spoolRandom(ChunkBytes)
		if err != nil {
			s.Fatal(err)
		}

		task := &spoolTask{Payload: RunRef{s.Store.ID, dead.Key}}
		err = s.DB.Write(s.Context(), func(q querier) error {
			return s.Pushes.failJob(s.Context(), q, task, errors.New("all retries failed"))
		})
		if err != nil {
			s.Fatal(err)
		}
		if err := s.Bodies.deleteFinished(s.Context()); err != nil {
			s.Fatal(err)
		}

		if stored, counted := s.spooledBytesOf(dead); stored != 0 || counted != 0 {
			s.Errorf("of the dead push, %d bytes are stored and %d are counted", stored, counted)
		}
		if stored, counted := s.spooledBytesOf(waiting); stored == 0 || stored != counted {
			s.Errorf("of the waiting push, %d bytes are stored and %d are counted", stored, counted)
		}
	})
}

// A push that was accepted failed for good if the store had other large bodies at the moment at which it was applied.
func TestSpool_waitsForRoomForAtomicPush(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.limitSpool(2 << 20)

		// Another push of the store has filled its part of the spool, and does not end before the second attempt.
		body, client := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			_, err := s.Pushes.Push(s.Context(), s.Store.ID, s.params(Stocks, atomic), body)
			ended <- err
		}()
		item := payload(`{"id": 1, "name": "Main"}`)
		limit := s.SpoolShare.StoreLimit()
		_, _ = client.Write(bytes.Repeat([]byte(" "), int(limit)-len(item)))
		s.Eventually("the spool is full", func() bool { return s.SpoolShare.Used() == limit })

		run, err := s.Pushes.Spool(s.Context(), s.Store.ID, s.params(Stocks, atomic), strings.NewReader(item))
		if err != nil {
			s.Fatal(err)
		}

		attempts := 0
		kind := s.Pushes.Kind()
		kind.Retries = nil // an attempt that fails would be the last one
		apply := kind.Run

		kind.Run = func(ctx context.Context, t *spoolTask) error {
			if attempts++; attempts == 2 {
				_, _ = io.WriteString(client, item)
				_ = client.Close()
				if err := <-ended; err != nil {
					s.Error(err)
				}
			}
			return apply(ctx, t)
		}

		s.Queue = queue.New(queue.Deps{DB: s.DB, Now: time.Now}, kind)
		if got := s.runQueueUntilFinished(run); got.Status != Completed || got.Unchanged != 1 || attempts != 2 {
			s.Errorf("the run is %s after %d attempts, %v", got.Status, attempts, got.Problem)
		}
	})
}

// An atomic push that is larger than a store's part of the spool got a 429 to try again, which could never succeed.
func TestAtomicPush_largerThanSpoolIsRefusedForGood(t *testing.T) {
	eachEngine(t, func(s *fixture) {
		s.limitSpool(1 << 20)
		limit := int(s.SpoolShare.StoreLimit())
		body := func(size int) []byte {
			text := payload(`{"id": 1, "name": "Main"}`)
			return append(bytes.Repeat([]byte(" "), size-len(text)), text...)
		}
		push := func(size int) (Run, error) {
			return s.Pushes.Push(s.Context(), s.Store.ID, s.params(Stocks, atomic),
				io.NopCloser(bytes.NewReader(body(size))))
		}
		if _, err := push(limit); err != nil {
			s.Errorf("a body of the largest size: %v", err)
		}

		run, err := push(limit + 1)
		s.wantFault(run, err, "push_too_large")
		s.wantKind(err, fault.TooLarge, "push_too_large")

		// In the background, it is refused while it is received, although it is small after compression.
		run, err = s.Pushes.Spool(s.Context(), s.Store.ID, s.params(Stocks, atomic), bytes.NewReader(body(limit+1)))
		s.wantFault(run, err, "push_too_large")
		if !strings.Contains(err.Error(), "without atomic=true") {
			s.Errorf("the message gives no advice: %v", err)
		}
	})
}
