// Package queue runs durable background jobs. A job is added in the caller's transaction and runs at least once, on one
// of the nodes.
//
// Each job has a kind and a lane, such as one lane per webhook receiver or per host. A node leases lanes, not jobs, and
// reads the jobs of its lanes into memory without writing. Each lane has its own slots, and the scheduler serves the
// lane with the fewest running jobs first: a lane that hangs or has a long backlog delays no other lane. Writes of a
// job are fenced by the lease, so that a node whose lease has expired can no longer write.
//
// A job whose process dies is an attempt, too: after three deaths it is parked until somebody asks for a retry. See
// death.go.
//
// The package knows nothing about shops, nor about what jobs do.
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/trace"
)

// ErrLost reports that this node may no longer write for the job: its lease on the lane is lost, or the job was
// cancelled. The caller must roll back the transaction in which it got ErrLost.
var ErrLost = errors.New("the lease of the lane is lost or the job was cancelled")

// Deps are the dependencies of a queue.
type Deps struct {
	DB  *database.DB
	Now func() time.Time
	Log *slog.Logger
	// Tracer traces attempts. It is nil if they are not traced.
	Tracer *trace.Tracer
	// Random returns a number in [0, 1) that sets the jitter of a retry delay; nil means math/rand/v2.
	Random func() float64
	// Program says which program the node is, for people: its host, process and version.
	Program string
}

// Queue adds jobs and runs the share of this node. It is safe for concurrent use.
type Queue struct {
	Deps
	timings timings
	// wake requests a poll of all lanes; refill requests a poll of the lanes that this node leases. Each channel
	// buffers one signal; further signals would request the same poll.
	wake, refill chan struct{}
	results      chan result
	starts       chan startRequest
	attempts     sync.WaitGroup
	notifier     *database.Notifier

	mu    sync.Mutex
	kinds map[string]*kindState // by name of the kind
	// node is the id of this process in the table nodes, zero while it is not registered. epoch is increased with each
	// lane plan; leases carry the epoch in which they were claimed.
	node  nodeID
	epoch int64
	// attemptCtx is the parent context of all attempts. It is nil before Run, and during shutdown when no more attempts
	// may start.
	attemptCtx context.Context
	// endedSinceFetch holds the keys of the jobs that ended since the last fetch began: the snapshot of that fetch may
	// still contain them.
	endedSinceFetch map[int64]bool
	// nextDue is the earliest due time that the node knows; zero if it knows none.
	nextDue time.Time
	// deferredSince holds the lanes that this node did not claim because they exceed its share, with the time at which
	// it first passed them over.
	deferredSince map[laneName]time.Time
	// pending is the next notification to other nodes. toRewind holds the lanes of this node to which other nodes have
	// added jobs since the last poll.
	pending  pendingNotification
	toRewind map[laneName]bool
	// suspicions are the jobs that were running when a node died, by key, and lastDeath is when a node was last found
	// dead; both as of the last claim of lanes. heavy and light are the states of the jobs of each weight.
	suspicions   map[int64]suspicion
	lastDeath    time.Time
	heavy, light weightState
	// lostNodes are earlier ids of this process under which other nodes may have recorded its death.
	lostNodes []nodeID
	// oldestLanes are the results of OldestLanes by kind.
	oldestLanes map[string][]LaneAge
}

// nodeTag is the type parameter that distinguishes node ids from other ids.
type nodeTag struct{}

type nodeID = id.Of[nodeTag]

// timings holds the intervals and timeouts of a queue. Tests shorten them.
type timings struct {
	pollInterval    time.Duration // between polls of all lanes, if nothing and no other node wakes this one
	renewInterval   time.Duration // between renewals of the node's lease
	leaseDuration   time.Duration // validity of a lease after its renewal
	idleTimeout     time.Duration // how long a lane without jobs stays leased
	handoverTimeout time.Duration // how long a lane is left for other nodes to claim, and how long a lane may drain
	batchDelay      time.Duration // how long results wait for others to share their commit
	countInterval   time.Duration // between counts of the jobs in the table
	deathGrace      time.Duration // how long a node that was found dead may still turn out to be alive (PostgreSQL)
	aloneWait       time.Duration // how long a suspect waits for other jobs to end, if it must run alone
	aloneTime       time.Duration // how long no other job starts beside a suspect that must run alone
}

// With these timings the lanes of a dead node are taken over within ten seconds: up to eight until its lease expires,
// up to one until the next poll, and the time that this poll takes. aloneWait is longer than an attempt of any light
// kind takes.
var defaultTimings = timings{
	pollInterval: time.Second, renewInterval: 2 * time.Second, leaseDuration: 8 * time.Second,
	idleTimeout: 30 * time.Second, handoverTimeout: 2 * time.Second,
	batchDelay: 25 * time.Millisecond, countInterval: 15 * time.Second,
	deathGrace: 10 * time.Second, aloneWait: time.Minute, aloneTime: 2 * time.Minute,
}

// New returns a queue for the given kinds. Register adds more.
func New(d Deps, kinds ...AnyKind) *Queue {
	if d.Random == nil {
		d.Random = rand.Float64
	}

	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}

	q := &Queue{
		Deps: d, timings: defaultTimings, wake: make(chan struct{}, 1), refill: make(chan struct{}, 1),
		results: make(chan result, 2*maxBatch), starts: make(chan startRequest, maxBatch),
		kinds: map[string]*kindState{}, endedSinceFetch: map[int64]bool{}, suspicions: map[int64]suspicion{},
		deferredSince: map[laneName]time.Time{},
		pending:       newPendingNotification(), toRewind: map[laneName]bool{},
	}
	q.notifier = q.newNotifier()
	q.Register(kinds...)

	return q
}

// Register adds kinds. It must be called before Run. It is separate from New because the service that runs a kind may
// need the queue first. Register panics on an invalid kind, which is a programming error.
func (q *Queue) Register(kinds ...AnyKind) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, k := range kinds {
		config := k.untyped()
		if q.kinds[config.name] != nil {
			panic(fmt.Sprintf("queue: kind %q is registered twice", config.name))
		}
		q.kinds[config.name] = newKindState(config)
	}
}
