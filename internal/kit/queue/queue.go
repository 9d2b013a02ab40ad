// Package queue runs durable background jobs. A job is added in the caller's transaction and runs at least once, on one
// of the nodes.
//
// Each job has a kind and a lane, such as one lane per webhook receiver or per host. A node leases lanes, not jobs, and
// reads the jobs of its lanes into memory without writing. Each lane has its own slots, and the scheduler serves the
// lane with the fewest running jobs first: a lane that hangs or has a long backlog delays no other lane. Writes of a
// job are fenced by the lease, so that a node whose lease has expired can no longer write.
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
)

// ErrLost reports that this node may no longer write for the job: its lease on the lane is lost, or the job was
// cancelled. The caller must roll back the transaction in which it got ErrLost.
var ErrLost = errors.New("the lease of the lane is lost or the job was cancelled")

// Kind describes one kind of job and how to run it.
type Kind struct {
	Name string
	// LaneSlots is how many jobs of one lane run at once on the node that leases the lane. NodeSlots is how many jobs
	// of all lanes run at once on one node. If NodeSlots is larger than LaneSlots, an eighth of it is reserved for
	// lanes with no running job.
	LaneSlots, NodeSlots int
	// Prefetch is how many jobs are kept in memory for each slot of a lane; 0 means 4. The node reads more jobs when
	// half of them have started.
	Prefetch int
	// InOrder makes each lane run its jobs strictly in the order in which they were added. A job starts when the one
	// before it is done or given up; while a job waits for a retry, no later job of its lane starts. An ordered kind
	// must have LaneSlots 1, and its jobs must have no DueAt. Jobs of concurrent transactions may be ordered either
	// way; jobs of one call of Add are ordered by unique name, then as given.
	InOrder bool
	// Retries are the delays before the second, third, … attempt. Each delay is randomized by up to a fifth in either
	// direction. The job is given up after attempt len(Retries)+1.
	Retries []time.Duration
	// Timeout limits the context of one attempt; 0 means no limit. The lease does not limit attempts: it is renewed as
	// long as the process lives.
	Timeout time.Duration
	// Run makes one attempt. It must return when its context ends. A nil error completes the job. An error or a panic
	// causes a retry according to Retries; Abort, RetryAfter, Postpone and PauseLane change that. A failed attempt does
	// not count if the program is shutting down.
	Run func(ctx context.Context, t *Task) error
	// OnDead is called when the job is given up, in the transaction that deletes it and before the job row is locked.
	// It may be nil. Like every transaction, it may run more than once. Its writes are rolled back if the job was added
	// again while it ran. If it fails, the last attempt is repeated a minute later.
	OnDead func(ctx context.Context, q database.Querier, t *Task, cause error) error
	// OnResults is called in the transaction that writes the results of a batch of attempts, including those that give
	// up their jobs. A kind has either OnResults or OnDead. The job rows are locked by then. Jobs that were cancelled,
	// or whose lane is leased by another node, are not among the outcomes. If it fails, the whole batch is retried
	// until it succeeds, so it must fail only when the database fails.
	OnResults func(ctx context.Context, q database.Querier, outcomes []Outcome) error
}

// Outcome is the result of one attempt.
type Outcome struct {
	Task *Task
	// Err is the error of the attempt; nil if the job is done.
	Err error
	// Next is the time of the next attempt; zero if there is none.
	Next time.Time
}

// Deps are the dependencies of a queue.
type Deps struct {
	DB  *database.DB
	Now func() time.Time
	Log *slog.Logger
	// Random returns a number in [0, 1) that sets the jitter of a retry delay; nil means math/rand/v2.
	Random func() float64
}

// Queue adds jobs and runs the share of this node. It is safe for concurrent use.
type Queue struct {
	Deps
	timings timings
	// wake requests a poll of all lanes, refill one of the lanes that this node leases. Each channel buffers one
	// signal; further signals would request the same poll.
	wake, refill chan struct{}
	results      chan result
	attempts     sync.WaitGroup

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
	// nextDue is the earliest due time that the node knows of; zero if it knows of none.
	nextDue time.Time
	// deferredSince holds the lanes that this node did not claim because they exceed its share, with the time at which
	// it first passed them over.
	deferredSince map[laneName]time.Time
}

// nodeTag is the type parameter that tells node ids from other ids.
type nodeTag struct{}

type nodeID = id.Of[nodeTag]

// timings holds the intervals and timeouts of a queue. Tests shorten them.
type timings struct {
	pollInterval    time.Duration // between polls of all lanes, if nothing wakes the node
	renewInterval   time.Duration // between renewals of the node's lease
	leaseDuration   time.Duration // validity of a lease after its renewal
	idleTimeout     time.Duration // how long a lane without jobs stays leased
	handoverTimeout time.Duration // how long a lane is left for other nodes to claim, and how long a lane may drain
	batchDelay      time.Duration // how long results wait for others to share their commit
	countInterval   time.Duration // between counts of the jobs in the table
}

// With these timings the lanes of a dead node are taken over within ten seconds: eight until its lease expires, one
// until the next poll.
var defaultTimings = timings{
	pollInterval: time.Second, renewInterval: 2 * time.Second, leaseDuration: 8 * time.Second,
	idleTimeout: 30 * time.Second, handoverTimeout: 2 * time.Second,
	batchDelay: 25 * time.Millisecond, countInterval: 15 * time.Second,
}

// New returns a queue for the given kinds. Register adds more.
func New(d Deps, kinds ...Kind) *Queue {
	if d.Random == nil {
		d.Random = rand.Float64
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	q := &Queue{
		Deps: d, timings: defaultTimings, wake: make(chan struct{}, 1), refill: make(chan struct{}, 1),
		results: make(chan result, 2*maxBatch),
		kinds:   map[string]*kindState{}, endedSinceFetch: map[int64]bool{}, deferredSince: map[laneName]time.Time{},
	}
	q.Register(kinds...)
	return q
}

// Register adds kinds. It must be called before Run. It is separate from New because the service that runs a kind may
// need the queue first. Register panics on an invalid kind, which is a programming error.
func (q *Queue) Register(kinds ...Kind) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, k := range kinds {
		if k.Name == "" || k.LaneSlots < 1 || k.NodeSlots < 1 || k.Run == nil || q.kinds[k.Name] != nil {
			panic(fmt.Sprintf("queue: kind %q needs a unique name, slots per lane and per node, and a Run function",
				k.Name))
		}
		if k.InOrder && k.LaneSlots != 1 {
			panic(fmt.Sprintf("queue: kind %q is ordered: its lanes must have one slot, not %d", k.Name, k.LaneSlots))
		}
		if k.OnDead != nil && k.OnResults != nil {
			panic(fmt.Sprintf("queue: kind %q has both OnDead and OnResults; only one is allowed", k.Name))
		}
		if k.Prefetch == 0 {
			k.Prefetch = defaultPrefetch
		}
		q.kinds[k.Name] = newKindState(k)
	}
}
