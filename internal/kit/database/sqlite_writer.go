package database

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A commit is one fsync, whatever it holds. Writes that are waiting when one is done join it, until it has taken
// this long or holds this many: so the wait that a neighbour adds stays below that of the fsync itself.
const (
	shareWindow = 3 * time.Millisecond
	maxShared   = 64
)

var (
	errClosed     = errors.New("the database is closed")
	errRolledBack = errors.New("the transaction was rolled back")
)

// sqliteWriter owns the one connection that writes. All writes run in its goroutine, one after the other.
type sqliteWriter struct {
	conn    *sqliteConn
	jobs    chan *writeJob
	stopped chan struct{}
	// deferred is a job that was taken from the queue but must not join the group at hand.
	deferred    *writeJob
	shareWindow time.Duration
	once        sync.Once
	stop        chan struct{}
}

// writeJob is one write: its function, and where its result goes.
type writeJob struct {
	ctx   context.Context
	fn    func(Querier) error
	alone bool
	// state goes from waiting to started or abandoned, once.
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
	w := &sqliteWriter{
		conn: c, jobs: make(chan *writeJob, 4*maxShared), shareWindow: shareWindow,
		stopped: make(chan struct{}), stop: make(chan struct{}),
	}
	go w.run()
	return w
}

// submit hands the write over and waits. A caller who gives up while waiting takes it back; once started, its outcome is waited for.
func (w *sqliteWriter) submit(ctx context.Context, alone bool, fn func(Querier) error) error {
	job := &writeJob{ctx: ctx, fn: fn, alone: alone, done: make(chan struct{})}
	select {
	case <-w.stop:
		return errClosed
	default:
	}
	select {
	case w.jobs <- job:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.stop:
		return errClosed
	}
	select {
	case <-job.done:
	case <-w.stopped:
		// The writer has drained its queue; what it did not take is not done.
		select {
		case <-job.done:
		default:
			return errClosed
		}
	case <-ctx.Done():
		if job.state.CompareAndSwap(jobWaiting, jobAbandoned) {
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
	for {
		job := w.deferred
		w.deferred = nil
		if job == nil {
			select {
			case job = <-w.jobs:
			case <-w.stop:
				select {
				case job = <-w.jobs:
				default:
					return
				}
			}
		}
		w.runGroup(job)
	}
}

// runGroup runs first and those that wait behind it in one transaction, each in a savepoint of its own.
func (w *sqliteWriter) runGroup(first *writeJob) {
	if !first.state.CompareAndSwap(jobWaiting, jobStarted) {
		return
	}
	if first.alone {
		w.runAlone(first)
		return
	}
	if err := w.execControl("BEGIN IMMEDIATE"); err != nil {
		first.finish(err)
		return
	}
	began := time.Now()
	// awaitingCommit are the writes whose answer waits for the commit: those that changed something, and those that failed after
	// them, perhaps because of what they changed.
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
		job.finish(firstError(err, job.err))
	}
}

// nextInGroup returns the next write that may share this commit, or nil.
func (w *sqliteWriter) nextInGroup(began time.Time, size int) *writeJob {
	for size < maxShared && time.Since(began) < w.shareWindow {
		select {
		case job := <-w.jobs:
			if job.alone {
				w.deferred = job
				return nil
			}
			if job.state.CompareAndSwap(jobWaiting, jobStarted) {
				return job
			}
		default:
			return nil
		}
	}
	return nil
}

// runAlone runs one write in a transaction of its own. It takes no savepoint: SQLite keeps what a savepoint may have to undo in memory, and a
// long write would fill it.
func (w *sqliteWriter) runAlone(job *writeJob) {
	if err := w.execControl("BEGIN IMMEDIATE"); err != nil {
		job.finish(err)
		return
	}
	err := w.callFn(job)
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

// runInSavepoint runs one write and undoes it alone if it failed. whole is false if the transaction is gone with it: SQLite itself rolls
// it back when the disk is full, say, and so do we where one write can be neither kept nor undone. The neighbours must start anew then.
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
		return false, firstError(err, errRolledBack)
	}
	if end := w.execControl("RELEASE job"); end != nil {
		return false, w.rollback(errors.Join(err, end))
	}
	return true, err
}

// callFn runs the write's function; a panic is kept for the caller's goroutine. A request that is cancelled in the middle does not
// interrupt its statements: SQLite would roll back the neighbours too.
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
	return job.fn(uninterruptedConn{w.conn})
}

// commit ends the transaction, one way or the other.
func (w *sqliteWriter) commit() error {
	err := w.execControl("COMMIT")
	if err == nil {
		return nil
	}
	if isStorageFailure(err) {
		// All that a commit needs may be in the log, and would be found there after a restart.
		err = errors.Join(ErrUnknownOutcome, err)
	}
	return w.rollback(err)
}

// rollback takes the transaction back because of err, unless SQLite has done so.
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

func firstError(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// close lets the waiting writes finish, folds the log into the file and closes the connection.
func (w *sqliteWriter) close() error {
	w.once.Do(func() { close(w.stop) })
	<-w.stopped
	// No PRAGMA optimize: what it counts in a small shop makes the next process scan the tables of a large one, since SQLite never counts
	// again by itself. Without counts it takes the index that a statement was written for.
	//
	// Best effort: a file that could not be checkpointed is opened all the same, with its log.
	_, _ = w.conn.Exec(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	return w.conn.shutdown()
}

// uninterruptedConn is a connection whose statements a cancelled context does not stop.
type uninterruptedConn struct{ *sqliteConn }

func (u uninterruptedConn) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	return u.sqliteConn.Exec(context.WithoutCancel(ctx), sql, args...)
}

func (u uninterruptedConn) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	return u.sqliteConn.Query(context.WithoutCancel(ctx), sql, args...)
}

func (u uninterruptedConn) ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error) {
	return u.sqliteConn.ExecRows(context.WithoutCancel(ctx), sql, batch, args...)
}

func (u uninterruptedConn) QueryRows(ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any) error {
	return u.sqliteConn.QueryRows(context.WithoutCancel(ctx), sql, batch, each, args...)
}
