package database

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/fault"
)

// replica is a standby of PostgreSQL that answers reads. The database works without it.
type replica struct {
	url string
	log *slog.Logger

	mu         sync.Mutex
	engine     *postgresEngine // nil until the first connection
	connecting bool
	retry      time.Time // after a failure, when to try again
	closed     bool
	wait       sync.WaitGroup // for the goroutine that connects
	// state says whether the replica worked when it was last asked. foreign says that it is not a standby of this
	// database, so that reads do without it.
	state   replicaState
	foreign bool

	reads, behind, busy, failed atomic.Int64
}

// replicaPause is how long reads do without a replica that failed.
const replicaPause = 5 * time.Second

// replicaWait is how long a read waits until other reads leave it a connection to the replica, and then how long it
// waits for that connection and the state of the replica. Then the primary answers.
const replicaWait = time.Second

// errReplicaBusy is the error of a read for which all connections to the replica stayed in use. The replica works.
var errReplicaBusy = errors.New("the replica is busy")

// errReplicaSlow is the error of a read on a replica that did not respond within replicaWait.
var errReplicaSlow = errors.New("the replica does not respond")

// errReplicaBehind ends a read on a replica that does not have the wanted state yet.
var errReplicaBehind = errors.New("the replica is behind")

// replicaState says whether a replica works.
type replicaState int

const (
	replicaUnknown replicaState = iota // it was not asked yet
	replicaUp
	replicaLost
)

// ReplicaStats counts the reads for which the replica was asked: those that it answered, those for which it was behind,
// those for which all its connections were in use, and those that failed. The primary answered the last three.
// Up says that the replica worked when it was last asked.
type ReplicaStats struct {
	Reads, Behind, Busy, Failed int64
	Up                          bool
}

// ReplicaStats returns the counts since the start. ok is false if there is no replica.
func (db *DB) ReplicaStats() (s ReplicaStats, ok bool) {
	if db.replica == nil {
		return s, false
	}
	r := db.replica
	r.mu.Lock()
	up := r.state == replicaUp
	r.mu.Unlock()
	return ReplicaStats{Reads: r.reads.Load(), Behind: r.behind.Load(), Busy: r.busy.Load(), Failed: r.failed.Load(),
		Up: up}, true
}

// ReadReplica does the same as ReadWith. If there is a replica, fn gets a snapshot of it, provided that isFresh returns
// true for that snapshot. If the replica is behind, is busy or fails, fn is called with the primary, perhaps for the
// second time.
func (db *DB) ReadReplica(
	ctx context.Context, p Priority, snapshot bool, isFresh func(context.Context, Querier) (bool, error),
	fn func(Querier) error,
) error {
	if e := db.replica.usable(); e != nil {
		traced := db.traceTransaction(ctx, replicaKind)
		err := e.readFresh(ctx, p, traced, isFresh, fn)
		traced.end(err)
		if !db.replica.note(ctx, err) {
			return err
		}
	}
	return db.ReadWith(ctx, p, snapshot, fn)
}

// readFresh calls fn with a snapshot if isFresh returns true for it. It returns errReplicaBehind if it does not,
// errReplicaBusy if no connection becomes free, and errReplicaSlow if the replica does not respond.
func (e *postgresEngine) readFresh(
	ctx context.Context, p Priority, traced *transactionTrace, isFresh func(context.Context, Querier) (bool, error),
	fn func(Querier) error,
) error {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()

	timer := time.AfterFunc(replicaWait, cancel)
	defer timer.Stop()

	free, err := e.limits.acquire(limited, p, nil)
	if err != nil && ctx.Err() == nil {
		return errReplicaBusy
	}
	if err != nil {
		return classifyDatabaseError(err)
	}
	defer free()

	if !timer.Reset(replicaWait) {
		return errReplicaBusy // the first wait has ended, and limited with it
	}

	began := false

	err = e.readAllowed(limited, true, traced.wrap(func(q Querier) error {
		fresh, err := isFresh(limited, q)
		if err == nil && !fresh {
			err = errReplicaBehind
		}

		if err != nil || !timer.Stop() {
			return err
		}

		began = true
		return fn(q)
	}))
	if !began && limited.Err() != nil && ctx.Err() == nil {
		return errReplicaSlow
	}

	return classifyDatabaseError(err)
}

// WatchReplica asks the replica every few seconds until ctx ends, and logs when it is lost and when it works again.
// identify returns an error if the snapshot is not one of this database. Without a replica it returns at once.
func (db *DB) WatchReplica(ctx context.Context, identify func(context.Context, Querier) error) {
	if db.replica == nil {
		return
	}
	for ctx.Err() == nil {
		db.replica.check(ctx, identify)
		select {
		case <-ctx.Done():
		case <-time.After(replicaPause):
		}
	}
}

// check asks the replica once. While it is connecting, or left alone after a failure, it is not asked.
func (r *replica) check(ctx context.Context, identify func(context.Context, Querier) error) {
	e := r.connected()
	if e == nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, 2*replicaWait)
	defer cancel()
	err := classifyDatabaseError(e.read(limited, Short, true, func(q Querier) error { return identify(limited, q) }))
	switch {
	case ctx.Err() != nil || isBusy(err):
	case err != nil && limited.Err() != nil:
		r.report(errReplicaSlow, false)
	default:
		// A server that answers, and on which the query fails, has another schema.
		r.report(err, err != nil && fault.KindOf(err) != fault.Unavailable)
	}
}

// report records whether the replica works, and logs a change. foreign says that it answers and is no replica of this
// database.
func (r *replica) report(err error, foreign bool) {
	r.mu.Lock()
	before := r.state
	r.state = replicaUp
	if err != nil {
		r.state = replicaLost
	}

	r.foreign = foreign
	now := r.state
	r.mu.Unlock()

	switch {
	case now == before:
	case now == replicaLost:
		r.log.Warn("the replica does not work; the primary answers its reads", "error", err)
	case before == replicaLost:
		r.log.Info("the replica works again")
	default:
		r.log.Info("the replica works")
	}
}

// usable is connected for reads, which do without a server that is no replica of this database.
func (r *replica) usable() *postgresEngine {
	e := r.connected()
	if e == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.foreign {
		return nil
	}
	return e
}

// connected returns the engine of the replica, or nil if there is none or it does not work. It does not block: the
// first call connects in the background.
func (r *replica) connected() *postgresEngine {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.closed || r.connecting || time.Now().Before(r.retry):
		return nil
	case r.engine == nil:
		r.connecting = true
		r.wait.Go(r.connect)
		return nil
	}
	return r.engine
}

func (r *replica) connect() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*replicaPause)
	defer cancel()
	e, err := connectPostgres(ctx, Config{URL: r.url, standby: true})
	r.mu.Lock()
	r.connecting = false
	if err == nil {
		r.engine = e
	} else {
		r.failed.Add(1)
		r.retry = time.Now().Add(replicaPause)
	}
	r.mu.Unlock()
	if err != nil {
		r.report(classifyDatabaseError(err), false)
	}
}

// note counts the outcome of a read. It reports whether the primary must answer.
func (r *replica) note(ctx context.Context, err error) (primary bool) {
	kind := fault.KindOf(err)
	switch {
	case errors.Is(err, errReplicaBehind):
		r.behind.Add(1)
		return true
	case errors.Is(err, errReplicaBusy):
		r.busy.Add(1)
		return true
	case errors.Is(err, errReplicaSlow):
	case err == nil || ctx.Err() != nil || kind != fault.Unavailable && kind != fault.Internal || isOurs(err):
		r.reads.Add(1)
		return false
	}

	// A conflict with recovery cancels a query now and then. A server that cannot be reached is left alone for a while.
	r.failed.Add(1)

	if isUnreachable(err) || errors.Is(err, errReplicaSlow) {
		r.mu.Lock()
		r.retry = time.Now().Add(replicaPause)
		r.mu.Unlock()
		r.report(err, false)
	}

	return true
}

// isOurs reports whether an internal error or an overload does not come from PostgreSQL.
func isOurs(err error) bool { return postgresCode(err) == "" && !isUnreachable(err) && !isBusy(err) }

func (r *replica) close() {
	if r == nil {
		return
	}
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.wait.Wait()
	if r.engine != nil {
		_ = r.engine.close()
	}
}
