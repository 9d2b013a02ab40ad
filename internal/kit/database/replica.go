package database

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"vitrine/internal/kit/fault"
)

// replica is a standby of PostgreSQL that answers reads. The database works without it.
type replica struct {
	url string

	mu     sync.Mutex
	engine *postgresEngine // nil until the first connection
	retry  time.Time       // after a failure, when to try again
	closed bool

	reads, behind, failed atomic.Int64
}

// replicaPause is how long reads do without a replica that failed.
const replicaPause = 5 * time.Second

// errReplicaBehind ends a read on a replica that does not have the wanted state yet.
var errReplicaBehind = errors.New("the replica is behind")

// ReplicaStats counts the reads for which the replica was asked: those that it answered, those for which it was behind,
// and those that failed. The primary answered the last two.
type ReplicaStats struct{ Reads, Behind, Failed int64 }

// ReplicaStats returns the counts since the start. ok is false if there is no replica.
func (db *DB) ReplicaStats() (s ReplicaStats, ok bool) {
	if db.replica == nil {
		return s, false
	}
	return ReplicaStats{db.replica.reads.Load(), db.replica.behind.Load(), db.replica.failed.Load()}, true
}

// ReadReplica does the same as ReadWith. If there is a replica, fn gets a snapshot of it, provided that isFresh returns
// true for that snapshot. If the replica is behind or fails, fn is called with the primary, perhaps for the second time.
func (db *DB) ReadReplica(
	ctx context.Context, p Priority, snapshot bool, isFresh func(Querier) (bool, error), fn func(Querier) error,
) error {
	if e := db.replica.connect(ctx); e != nil {
		err := classifyDatabaseError(e.read(ctx, p, true, func(q Querier) error {
			fresh, err := isFresh(q)
			if err == nil && !fresh {
				err = errReplicaBehind
			}
			if err != nil {
				return err
			}
			return fn(q)
		}))
		if !db.replica.note(ctx, err) {
			return err
		}
	}
	return db.ReadWith(ctx, p, snapshot, fn)
}

// connect returns the engine of the replica, or nil if there is none or it does not work.
func (r *replica) connect(ctx context.Context) *postgresEngine {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || time.Now().Before(r.retry) {
		return nil
	}
	if r.engine == nil {
		e, err := connectPostgres(ctx, Config{URL: r.url, standby: true})
		if err != nil {
			r.failed.Add(1)
			r.retry = time.Now().Add(replicaPause)
			return nil
		}
		r.engine = e
	}
	return r.engine
}

// note counts the outcome of a read. It reports whether the primary must answer.
func (r *replica) note(ctx context.Context, err error) (primary bool) {
	kind := fault.KindOf(err)
	switch {
	case errors.Is(err, errReplicaBehind):
		r.behind.Add(1)
		return true
	case err == nil || ctx.Err() != nil || kind != fault.Unavailable && kind != fault.Internal || isOurs(err):
		r.reads.Add(1)
		return false
	}
	// A conflict with recovery cancels a query now and then. A server that cannot be reached is left alone for a while.
	r.failed.Add(1)
	if isUnreachable(err) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.retry = time.Now().Add(replicaPause)
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
	defer r.mu.Unlock()
	r.closed = true
	if r.engine != nil {
		_ = r.engine.close()
	}
}
