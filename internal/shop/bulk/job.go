package bulk

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

// kindName is the name of the jobs that run changes.
const kindName = "bulk"

// job identifies a change that a job runs.
type job struct {
	storeID  store.ID
	changeID ID
}

func jobOf(storeID store.ID, changeID ID) job { return job{storeID, changeID} }

func (j job) payload() []byte { return append(j.storeID[:], j.changeID[:]...) }

func decodeJob(b []byte) (job, error) {
	if len(b) != 32 {
		return job{}, fmt.Errorf("the payload of a bulk change has %d bytes, want 32", len(b))
	}
	return job{store.ID(b[:16]), ID(b[16:])}, nil
}

// Kind returns the kind of the jobs. The changes of a store run one after the other.
func (s *Service) Kind() queue.Kind[job, queue.NoOutput] {
	return queue.Kind[job, queue.NoOutput]{
		Name: kindName, LaneSlots: 1, NodeSlots: 2, Decode: decodeJob, Run: s.run,
		Owner: func(j job) string { return j.storeID.String() }, OnPark: s.park, OnUnpark: s.unpark,
		OnDiscard: s.discard,
		Retries:   []time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute, time.Hour},
	}
}

// parkedFailure is the Failure of a change whose job is parked.
const parkedFailure = "The server stopped unexpectedly several times during this change, " +
	"so the rest of it was set aside."

// discardedFailure is the Failure of a change whose parked job was discarded.
const discardedFailure = "The server stopped unexpectedly several times during this change, and an operator has " +
	"discarded the rest of it."

// park says in the change that its job is parked. The change is not finished: it goes on when it is tried again.
func (s *Service) park(ctx context.Context, q database.Querier, j job) error {
	return s.setFailure(ctx, q, j, parkedFailure)
}

func (s *Service) unpark(ctx context.Context, q database.Querier, j job) error {
	return s.setFailure(ctx, q, j, "")
}

// discard ends a change whose parked job is given up. What it has done can be undone.
func (s *Service) discard(ctx context.Context, q database.Querier, j job) error {
	return s.editUnfinished(ctx, q, j, func(c *Change) {
		c.Failure = discardedFailure
		c.FinishedAt = new(database.Moment(s.Now()))
	})
}

// setFailure sets the failure of a change that is not finished.
func (s *Service) setFailure(ctx context.Context, q database.Querier, j job, failure string) error {
	return s.editUnfinished(ctx, q, j, func(c *Change) { c.Failure = failure })
}

// editUnfinished edits a change. It does nothing if the change is finished or was deleted.
func (s *Service) editUnfinished(ctx context.Context, q database.Querier, j job, edit func(c *Change)) error {
	tx := store.In(q, j.storeID)
	c, err := selectChange(ctx, tx, j.changeID, tx.Dialect().ForUpdate)
	if fault.KindOf(err) == fault.NotFound || err == nil && c.FinishedAt != nil {
		return nil
	}
	if err != nil {
		return err
	}
	edit(&c)
	return updateChange(ctx, tx, &c)
}

// run does the chunks of a change that are not done.
func (s *Service) run(ctx context.Context, t *queue.TaskOf[job, queue.NoOutput]) error {
	ctx = database.InBackground(ctx)
	for {
		finished := false

		err := s.DB.Write(ctx, func(q database.Querier) error {
			tx := store.In(q, t.Payload.storeID)
			c, err := selectChange(ctx, tx, t.Payload.changeID, tx.Dialect().ForUpdate)
			if err != nil {
				return err
			}

			if c.FinishedAt == nil {
				err = s.runChunk(ctx, tx, &c)
			}

			finished = c.FinishedAt != nil
			return err
		})

		var missing *fault.Error
		if errors.As(err, &missing) && missing.Kind == fault.NotFound {
			return nil // the store or the change was deleted
		}
		if err != nil || finished {
			return err
		}
	}
}
