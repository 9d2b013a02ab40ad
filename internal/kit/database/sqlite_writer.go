package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// A commit costs one fsync, regardless of its size. Writes that are queued when a write finishes join its transaction,
// until the transaction has taken shareWindow or contains maxShared writes. The window is short, so that a write hardly
// waits for the writes that join its transaction.
const (
	shareWindow = 3 * time.Millisecond
	maxShared   = 64
)

var (
	errClosed     = errors.New("the database is closed")
	errRolledBack = errors.New("the transaction was rolled back")
)

// sqliteWriter owns the only write connection. All writes run one after the other in its goroutine.
type sqliteWriter struct {
	conn        *sqliteConn
	queue       *writeQueue
	stopped     chan struct{}
	shareWindow time.Duration
	// waiting counts the submitted jobs that have not started.
	waiting waitingWrites
}

// writeJob is one write and its result.
type writeJob struct {
	fn func(Querier) error
	writeMode
	background bool
	owner      any // see WithOwner; nil if there is none
	// state changes once, from jobWaiting to jobStarted or jobAbandoned.
	state atomic.Int32
	done  chan struct{}
	err   error
	panic any
}

const (
	jobWaiting = iota
	jobStarted
	jobAbandoned
)

func newSQLiteWriter(c *sqliteConn) *sqliteWriter {
	w := &sqliteWriter{conn: c, queue: newWriteQueue(), shareWindow: shareWindow, stopped: make(chan struct{})}
	// An interrupted statement would make SQLite roll back the other jobs of the group too.
	c.uninterrupted = true
	c.SetInterrupt(context.Background())
	go w.run()
	return w
}

// submit queues a write and waits for its result. If ctx ends while the write is queued, the write is abandoned. Once
// it has started, submit waits for its outcome.
func (w *sqliteWriter) submit(ctx context.Context, mode writeMode, fn func(Querier) error) error {
	job := &writeJob{
		fn: fn, writeMode: mode, background: mode.patience != nil || isInBackground(ctx),
		owner: ctx.Value(ownerKey{}), done: make(chan struct{}),
	}
	if err := ctx.Err(); err != nil {
		return err
	}

	w.waiting.add(job, 1)

	if !w.queue.add(job) {
		w.waiting.add(job, -1)
		return errClosed
	}

	select {
	case <-job.done:
	case <-ctx.Done():
		if w.endWait(job, jobAbandoned) {
			return ctx.Err()
		}
		<-job.done
	}

	if job.panic != nil {
		panic(job.panic)
	}

	return job.err
}

func (w *sqliteWriter) run() {
	defer close(w.stopped)
	for job := w.queue.next(); job != nil; job = w.queue.next() {
		w.runGroup(job)
	}
}

// runGroup runs a group of jobs in one transaction, each in its own savepoint. The group consists of the job first and
// of short jobs that are queued after it.
func (w *sqliteWriter) runGroup(first *writeJob) {
	if !w.endWait(first, jobStarted) {
		return
	}

	if first.alone {
		w.waiting.setLong(true)
		defer w.waiting.setLong(false)
		w.runAlone(first)
		return
	}

	if err := w.execControl("BEGIN IMMEDIATE"); err != nil {
		first.finish(err)
		return
	}

	began := time.Now()

	// awaitingCommit holds the jobs whose result depends on the commit: those that wrote, and those that failed after
	// them, perhaps because of uncommitted rows that they read.
	var awaitingCommit []*writeJob
	for job := first; job != nil; job = w.nextInGroup(began, len(awaitingCommit)) {
		txOpen, err := w.runInSavepoint(job)
		switch {
		case !txOpen:
			job.finish(err)
			for _, other := range awaitingCommit {
				w.runAlone(other)
			}
			return
		case err != nil && len(awaitingCommit) == 0:
			job.finish(err)
		default:
			job.err = err
			awaitingCommit = append(awaitingCommit, job)
		}
	}

	err := w.commit()
	for _, job := range awaitingCommit {
		job.finish(cmp.Or(err, job.err))
	}
}

// endWait moves a job from jobWaiting to another state. It reports false if the job was not waiting any more.
func (w *sqliteWriter) endWait(job *writeJob, state int32) bool {
	if !job.state.CompareAndSwap(jobWaiting, state) {
		return false
	}
	w.waiting.add(job, -1)
	return true
}

// nextInGroup returns the next job that may share this commit, or nil.
func (w *sqliteWriter) nextInGroup(began time.Time, size int) *writeJob {
	for size < maxShared && time.Since(began) < w.shareWindow {
		job := w.queue.nextShort()
		if job == nil || w.endWait(job, jobStarted) {
			return job
		}
	}
	return nil
}

// runAlone runs one job in its own transaction. It uses no savepoint: SQLite keeps the undo data of a savepoint in
// memory, and a long write would need too much.
func (w *sqliteWriter) runAlone(job *writeJob) {
	if err := w.execControl("BEGIN IMMEDIATE"); err != nil {
		job.finish(err)
		return
	}
	err := w.callYielding(job)
	switch {
	case err != nil:
		err = w.rollback(err)
	case w.conn.GetAutocommit():
		err = errRolledBack
	default:
		err = w.commit()
	}
	job.finish(err)
}

// runInSavepoint runs one job and rolls back only this job if it fails. txOpen is false if the whole transaction was
// rolled back: by SQLite, for example when the disk is full, or by runInSavepoint, if the savepoint can be neither
// released nor rolled back. The other jobs of the group must then run again.
func (w *sqliteWriter) runInSavepoint(job *writeJob) (txOpen bool, err error) {
	if err := w.execControl("SAVEPOINT job"); err != nil {
		return false, w.rollback(err)
	}

	err = w.callFn(job)
	if err != nil && !w.conn.GetAutocommit() {
		if undo := w.execControl("ROLLBACK TO job"); undo != nil {
			return false, w.rollback(errors.Join(err, undo))
		}
	}

	if w.conn.GetAutocommit() {
		return false, cmp.Or(err, errRolledBack)
	}
	if end := w.execControl("RELEASE job"); end != nil {
		return false, w.rollback(errors.Join(err, end))
	}

	return true, err
}

// callFn calls the job's function. It stores a panic, which submit repeats in the caller's goroutine.
func (w *sqliteWriter) callFn(job *writeJob) (err error) {
	job.panic = nil
	defer func() {
		if p := recover(); p != nil {
			job.panic = p
			err = fmt.Errorf("panic: %v", p)
		}
		if w.conn.closeRows() && err == nil {
			err = errRowsOpen
		}
	}()
	return job.fn(w.conn)
}

// commit commits the transaction, or rolls it back if that fails.
func (w *sqliteWriter) commit() error {
	err := w.execControl("COMMIT")
	if err == nil {
		return nil
	}
	if isStorageFailure(err) {
		// The complete commit record may be in the log, and would then be applied after a restart.
		err = errors.Join(ErrUnknownOutcome, err)
	}
	return w.rollback(err)
}

// rollback rolls back the transaction unless SQLite has done so, and returns err.
func (w *sqliteWriter) rollback(err error) error {
	if w.conn.GetAutocommit() {
		return err
	}
	if undo := w.execControl("ROLLBACK"); undo != nil {
		return errors.Join(err, undo)
	}
	return err
}

func (w *sqliteWriter) execControl(sql string) error {
	_, err := w.conn.Exec(context.Background(), sql)
	return err
}

func (job *writeJob) finish(err error) {
	job.err = err
	close(job.done)
}

// close completes the queued writes, checkpoints the log into the database file, and closes the connection.
func (w *sqliteWriter) close() error {
	w.queue.close()
	<-w.stopped
	// Do not run PRAGMA optimize. It would store planner statistics, which SQLite never updates by itself: statistics
	// from a time when the shop was small would make it scan whole tables after the shop has grown. Without statistics
	// SQLite uses the index that a statement was written for.
	//
	// The checkpoint is best effort: a file with a remaining log can be opened too.
	_, _ = w.conn.Exec(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	return w.conn.shutdown()
}
