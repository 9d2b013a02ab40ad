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
	shareFor = 3 * time.Millisecond
	shareMax = 64
)

var (
	errClosed     = errors.New("the database is closed")
	errRolledBack = errors.New("the transaction was rolled back")
)

// sqliteWriter owns the one connection that writes. All writes run in its goroutine, one after the other.
type sqliteWriter struct {
	conn  *sqliteConn
	jobs  chan *writeJob
	ended chan struct{}
	// next is a job that was taken from the queue but must not join the group at hand.
	next     *writeJob
	shareFor time.Duration
	once     sync.Once
	stop     chan struct{}
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
		conn: c, jobs: make(chan *writeJob, 4*shareMax), shareFor: shareFor,
		ended: make(chan struct{}), stop: make(chan struct{}),
	}
	go w.run()
	return w
}

// do hands the write over and waits. A caller who gives up while waiting takes it back; once started, its outcome is waited for.
func (w *sqliteWriter) do(ctx context.Context, alone bool, fn func(Querier) error) error {
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
	case <-w.ended:
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
	defer close(w.ended)
	for {
		job := w.next
		w.next = nil
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
		w.group(job)
	}
}

// group runs first and those that wait behind it in one transaction, each in a savepoint of its own.
func (w *sqliteWriter) group(first *writeJob) {
	if !first.state.CompareAndSwap(jobWaiting, jobStarted) {
		return
	}
	if first.alone {
		w.single(first)
		return
	}
	if err := w.control("BEGIN IMMEDIATE"); err != nil {
		first.finish(err)
		return
	}
	began := time.Now()
	// held are the writes whose answer waits for the commit: those that changed something, and those that failed after
	// them, perhaps because of what they changed.
	var held []*writeJob
	for job := first; job != nil; job = w.joiner(began, len(held)) {
		whole, err := w.inSavepoint(job)
		switch {
		case !whole:
			job.finish(err)
			for _, neighbour := range held {
				w.single(neighbour)
			}
			return
		case err != nil && len(held) == 0:
			job.finish(err)
		default:
			job.err = err
			held = append(held, job)
		}
	}
	err := w.commit()
	for _, job := range held {
		job.finish(orElse(err, job.err))
	}
}

// joiner returns the next write that may share this commit, or nil.
func (w *sqliteWriter) joiner(began time.Time, held int) *writeJob {
	for held < shareMax && time.Since(began) < w.shareFor {
		select {
		case job := <-w.jobs:
			if job.alone {
				w.next = job
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

// single runs one write in a transaction of its own. It takes no savepoint: SQLite keeps what a savepoint may have to undo in memory, and a
// long write would fill it.
func (w *sqliteWriter) single(job *writeJob) {
	if err := w.control("BEGIN IMMEDIATE"); err != nil {
		job.finish(err)
		return
	}
	err := w.call(job)
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

// inSavepoint runs one write and undoes it alone if it failed. whole is false if the transaction is gone with it: SQLite itself rolls
// it back when the disk is full, say, and so do we where one write can be neither kept nor undone. The neighbours must start anew then.
func (w *sqliteWriter) inSavepoint(job *writeJob) (whole bool, err error) {
	if err := w.control("SAVEPOINT job"); err != nil {
		return false, w.rollback(err)
	}
	err = w.call(job)
	if err != nil && !w.conn.GetAutocommit() {
		if undo := w.control("ROLLBACK TO job"); undo != nil {
			return false, w.rollback(errors.Join(err, undo))
		}
	}
	if w.conn.GetAutocommit() {
		return false, orElse(err, errRolledBack)
	}
	if end := w.control("RELEASE job"); end != nil {
		return false, w.rollback(errors.Join(err, end))
	}
	return true, err
}

// call runs the write's function; a panic is kept for the caller's goroutine. A request that is cancelled in the middle does not
// interrupt its statements: SQLite would roll back the neighbours too.
func (w *sqliteWriter) call(job *writeJob) (err error) {
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
	return job.fn(uninterrupted{w.conn})
}

// commit ends the transaction, one way or the other.
func (w *sqliteWriter) commit() error {
	err := w.control("COMMIT")
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
	if undo := w.control("ROLLBACK"); undo != nil {
		return errors.Join(err, undo)
	}
	return err
}

func (w *sqliteWriter) control(sql string) error {
	_, err := w.conn.Exec(context.Background(), sql)
	return err
}

func (job *writeJob) finish(err error) {
	job.err = err
	close(job.done)
}

func orElse(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// close lets the waiting writes finish, folds the log into the file and closes the connection.
func (w *sqliteWriter) close() error {
	w.once.Do(func() { close(w.stop) })
	<-w.ended
	// No PRAGMA optimize: what it counts in a small shop makes the next process scan the tables of a large one, since SQLite never counts
	// again by itself. Without counts it takes the index that a statement was written for.
	//
	// Best effort: a file that could not be checkpointed is opened all the same, with its log.
	_, _ = w.conn.Exec(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
	return w.conn.shut()
}

// uninterrupted is a connection whose statements a cancelled context does not stop.
type uninterrupted struct{ *sqliteConn }

func (u uninterrupted) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	return u.sqliteConn.Exec(context.WithoutCancel(ctx), sql, args...)
}

func (u uninterrupted) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	return u.sqliteConn.Query(context.WithoutCancel(ctx), sql, args...)
}

func (u uninterrupted) ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error) {
	return u.sqliteConn.ExecRows(context.WithoutCancel(ctx), sql, batch, args...)
}

func (u uninterrupted) QueryRows(ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any) error {
	return u.sqliteConn.QueryRows(context.WithoutCancel(ctx), sql, batch, each, args...)
}
