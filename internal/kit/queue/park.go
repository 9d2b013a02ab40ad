package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// A parked job is a row of parked_jobs instead of jobs: nothing runs it and no other job of its lane waits for it. It
// keeps its key, its payload and its unique name, so Add adds no other job with that name. It stays until Unpark or
// RunNow makes it due again, or Discard, CancelLane or CancelParked deletes it.

// parkRetryDelay is when parking a job is tried again after it failed.
const parkRetryDelay = 10 * time.Second

// ParkedJob is a job that is not tried any more, because too many processes died while they ran it.
type ParkedJob struct {
	Key        int64
	Kind, Lane string
	// UniqueName is empty if the job has none. Owner is what Kind.Owner returned.
	UniqueName, Owner string
	// Deaths is how many processes died.
	Deaths            int
	AddedAt, ParkedAt time.Time

	payload []byte
}

// errNotConvicted reports that fewer deaths are recorded than were known: a node turned out to be alive.
var errNotConvicted = errors.New("fewer processes died than was known")

// park parks a job, in one transaction with the kind's OnPark function. The result is empty if the job was parked.
func (w *workers) park(t *Task) result {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.lane.ctx), writeTimeout)
	defer cancel()

	owner := t.lane.kindState.owner(t.payload)
	known, err := w.parkInTx(ctx, t, owner)
	if err == nil || errors.Is(err, errNotConvicted) {
		w.mu.Lock()
		w.suspects.suspicions = known
		w.mu.Unlock()
	}

	again := result{task: t, attempts: t.Attempt - 1, due: w.Now(), err: err}
	switch {
	case err == nil:
		w.Log.ErrorContext(ctx, "a job was parked: too many processes died while they ran it. It stays until somebody "+
			"tries it again, with vitrine jobs retry or in the administration",
			"kind", t.Kind, "owner", owner, "lane", t.Lane, "id", t.key, "deaths", t.deaths)
		t.lane.kindState.count.parked.Add(1)
		return result{}
	case errors.Is(err, ErrLost):
		return result{}
	case errors.Is(err, errNotConvicted):
		return again
	}

	w.Log.ErrorContext(ctx, "cannot park a job; retrying", "kind", t.Kind, "lane", t.Lane, "id", t.key, "error", err)
	again.due = w.Now().Add(parkRetryDelay)
	return again
}

// parkInTx moves the job to parked_jobs, and returns what is known of the other jobs. Lock order: callers of Add lock
// the domain rows before the job row, and so does this function.
func (w *workers) parkInTx(ctx context.Context, t *Task, owner string) (known map[int64]suspicion, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()

	ks := t.lane.kindState

	err = w.DB.Write(ctx, func(tx database.Querier) (err error) {
		if err := setPlannerOptions(ctx, tx); err != nil {
			return err
		}
		if err := t.Fence(ctx, tx); err != nil {
			return err
		}

		if known, err = selectSuspicions(ctx, tx); err != nil {
			return err
		}
		if known[t.key].counted(ks.light) < t.deaths {
			return errNotConvicted
		}

		if err := ks.onPark(ctx, tx, t.payload); err != nil {
			return err
		}

		if _, err := lockJob(ctx, tx, t.key); errors.Is(err, database.ErrNoRows) {
			return ErrLost // it was cancelled
		} else if err != nil {
			return err
		}

		if err := insertParked(ctx, tx, t.key, owner, t.deaths, w.Now()); err != nil {
			return err
		}
		if err := deleteJobs(ctx, tx, []int64{t.key}); err != nil {
			return err
		}

		delete(known, t.key)
		return deleteStarts(ctx, tx, []int64{t.key})
	})

	return known, err
}

// Parked returns parked jobs, the newest first, at most limit. An owner or a kind that is not empty selects its jobs
// only.
func (q *Queue) Parked(ctx context.Context, tx database.Querier, owner, kind string, limit int) ([]ParkedJob, error) {
	return selectParked(ctx, tx, owner, kind, limit)
}

// FindParked returns the parked job of a kind with a unique name, or fault.NotFound.
func (q *Queue) FindParked(ctx context.Context, tx database.Querier, kind, uniqueName string) (ParkedJob, error) {
	job, err := parkedByName(ctx, tx, kind, uniqueName)
	if errors.Is(err, database.ErrNoRows) {
		err = errNoParkedJob()
	}
	return job, err
}

// Unpark makes a parked job due now, as if it was just added, in the caller's transaction. An owner that is not empty
// must be that of the job. It returns fault.NotFound, or the fault of the kind's OnUnpark.
func (q *Queue) Unpark(ctx context.Context, tx database.Querier, owner string, key int64) (job ParkedJob, err error) {
	job, ks, err := q.lockParked(ctx, tx, owner, key)
	if err != nil {
		return ParkedJob{}, err
	}
	if err := ks.onUnpark(ctx, tx, job.payload); err != nil {
		return ParkedJob{}, err
	}
	return job, q.moveBack(ctx, tx, ks, []int64{key})
}

// Discard gives up a parked job in the caller's transaction. owner is as in Unpark. It returns fault.NotFound.
func (q *Queue) Discard(ctx context.Context, tx database.Querier, owner string, key int64) (job ParkedJob, err error) {
	job, ks, err := q.lockParked(ctx, tx, owner, key)
	if err != nil {
		return ParkedJob{}, err
	}
	if err := ks.onDiscard(ctx, tx, job.payload); err != nil {
		return ParkedJob{}, err
	}
	return job, deleteParked(ctx, tx, []int64{key})
}

// lockParked returns a parked job and its kind, or fault.NotFound.
func (q *Queue) lockParked(
	ctx context.Context, tx database.Querier, owner string, key int64,
) (job ParkedJob, ks *kindState, err error) {
	job, err = parkedByKey(ctx, tx, key)
	if errors.Is(err, database.ErrNoRows) || err == nil && owner != "" && job.Owner != owner {
		return ParkedJob{}, nil, errNoParkedJob()
	}
	if err != nil {
		return ParkedJob{}, nil, err
	}
	q.mu.Lock()
	ks = q.kinds[job.Kind]
	q.mu.Unlock()
	if ks == nil {
		return ParkedJob{}, nil, fmt.Errorf("change a parked job: unknown kind %q", job.Kind)
	}
	return job, ks, nil
}

// moveBack makes parked jobs of one kind due now. Their lanes are resumed after the commit.
func (q *Queue) moveBack(ctx context.Context, tx database.Querier, ks *kindState, keys []int64) error {
	if len(keys) == 0 {
		return nil
	}
	if err := insertUnparked(ctx, tx, keys, ks.dueNow(q.Now())); err != nil {
		return err
	}
	if err := deleteParked(ctx, tx, keys); err != nil {
		return err
	}
	tx.AfterCommit(func() {
		q.Wake()
		q.peers.notifyUnleased()
	})
	return nil
}

// CancelParked deletes the parked jobs of a kind with these unique names, in the caller's transaction.
func (q *Queue) CancelParked(ctx context.Context, tx database.Querier, kind string, uniqueNames []string) error {
	keys, err := parkedKeys(ctx, tx, kind, uniqueNames)
	if err != nil || len(keys) == 0 {
		return err
	}
	return deleteParked(ctx, tx, keys)
}

func errNoParkedJob() error {
	return fault.New(fault.NotFound, "no_parked_job",
		"There is no such parked job. It may have been tried again already.")
}
