// Package queue owns durable background work: jobs that commit with whatever asks for them, and run at least once, on one of the nodes.
//
// Jobs of a kind stand in lanes, such as one a receiver or a host. A node leases lanes, not jobs, and takes the jobs of its lanes into memory
// without a write. Each lane has slots of its own, and whoever has fewest running is served first: a lane that hangs or has a huge
// backlog delays no other. What a job writes is fenced by the lease, so that a node that was taken for dead changes nothing any more.
//
// It knows nothing of shops, and nothing of what jobs do.
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

// ErrLost says that the job is no longer this node's: another node has taken its lane, or the job was cancelled. The transaction that
// met it must be rolled back.
var ErrLost = errors.New("the lease of the lane is lost or the job was cancelled")

// Kind is a sort of work, and how it is done.
type Kind struct {
	Name string
	// Slots is how many jobs of one lane run at once on the node that has the lane, Total how many of all lanes on one node. Where Total
	// is larger, an eighth of it is kept for lanes of which nothing runs yet.
	Slots, Total int
	// Ahead is how many jobs of a lane are in memory for each of its slots; 0 is 4. More are read once half of them have begun.
	Ahead int
	// InOrder has the jobs of a lane begun strictly in the order in which they were added, each once the one before it is done or given up: while
	// that waits for its next attempt, nothing behind it begins. Slots is 1 then, and no job has a DueAt. Of what transactions add at the same
	// time, either may come first; what one call adds stands in the order of its unique names.
	InOrder bool
	// Retries are the waits before the second, the third, … attempt, each drawn up to a fifth shorter or longer. After the attempt that
	// follows the last of them the job is given up.
	Retries []time.Duration
	// Timeout ends the context of an attempt; 0 does not. Leases last as long as the node lives, however long an attempt takes.
	Timeout time.Duration
	// Run makes one attempt. It must end when its context does. nil completes the job, an error (or a panic) has it tried again by the
	// schedule; see Abort and Later. An attempt that fails once the program is told to stop does not count.
	Run func(ctx context.Context, t *Task) error
	// Dead runs in the transaction that gives the job up, before the job is locked; nil where nothing is to do. It may run more than once, like
	// every transaction, and what it wrote is undone if the job is asked for meanwhile. If it fails, the last attempt is made again a minute later.
	Dead func(ctx context.Context, q database.Querier, t *Task, cause error) error
	// Settle runs in the transaction that writes the results of many attempts, also of those that give their jobs up: a kind has either it or Dead.
	// The jobs are locked by then. Those that were cancelled meanwhile, or are another node's, are not among the outcomes. If it fails, it is
	// called again with them until it succeeds, so it must fail only where the database does.
	Settle func(ctx context.Context, q database.Querier, outcomes []Outcome) error
}

// Outcome is what followed from one attempt.
type Outcome struct {
	Task *Task
	// Err is why the attempt failed; nil if the job is done.
	Err error
	// Next is when the next attempt is made; zero if there is none.
	Next time.Time
}

// Deps is what a queue needs.
type Deps struct {
	DB  *database.DB
	Now func() time.Time
	Log *slog.Logger
	// Random draws from [0, 1) how far a wait is from its schedule; nil takes the usual source.
	Random func() float64
}

// Queue is one node's view of the jobs. It is safe for concurrent use.
type Queue struct {
	Deps
	timings timings
	// wake asks for a look at all lanes, refill for one at those this node has. Both hold one signal: more would ask for the same.
	wake, refill chan struct{}
	results      chan result
	attempts     sync.WaitGroup

	mu    sync.Mutex
	kinds map[string]*kindState // by kind
	// node is this process in the database, zero while it is not registered there; epoch counts how often it has taken lanes.
	node  nodeID
	epoch int64
	// attemptCtx is the context of all attempts; nil before Run and once no more are to be started.
	attemptCtx context.Context
	// endedSinceFetch are the jobs that ended since the last look began: it may have read them as they were before.
	endedSinceFetch map[int64]bool
	// nextDue is when the next job known of is due.
	nextDue time.Time
	// deferredSince are the lanes that were left to other nodes, and since when.
	deferredSince map[laneName]time.Time
}

type nodeTag struct{}

type nodeID = id.Of[nodeTag]

// timings is how long things take.
type timings struct {
	pollInterval    time.Duration // between looks at all lanes, without being woken
	renewInterval   time.Duration // between renewals of the lease
	leaseDuration   time.Duration // from a renewal to its end
	idleTimeout     time.Duration // for which a lane without work is kept
	handoverTimeout time.Duration // for which a lane is left to nodes that have fewer
	batchDelay      time.Duration // for which results wait for others to share their commit
	countInterval   time.Duration // between counts of what waits
}

// A dead node's lanes are taken within ten seconds: eight until its lease ends, one until the next look.
var defaultTimings = timings{
	pollInterval: time.Second, renewInterval: 2 * time.Second, leaseDuration: 8 * time.Second, idleTimeout: 30 * time.Second, handoverTimeout: 2 * time.Second,
	batchDelay: 25 * time.Millisecond, countInterval: 15 * time.Second,
}

// New makes a queue for these kinds; Register adds others.
func New(d Deps, kinds ...Kind) *Queue {
	if d.Random == nil {
		d.Random = rand.Float64
	}
	if d.Log == nil {
		d.Log = slog.New(slog.DiscardHandler)
	}
	q := &Queue{
		Deps: d, timings: defaultTimings, wake: make(chan struct{}, 1), refill: make(chan struct{}, 1), results: make(chan result, 2*maxBatch),
		kinds: map[string]*kindState{}, endedSinceFetch: map[int64]bool{}, deferredSince: map[laneName]time.Time{},
	}
	q.Register(kinds...)
	return q
}

// Register adds kinds, before Run: who runs a job may need the queue to be made first. A kind that could never run is a mistake in the
// program, and panics.
func (q *Queue) Register(kinds ...Kind) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, k := range kinds {
		if k.Name == "" || k.Slots < 1 || k.Total < 1 || k.Run == nil || q.kinds[k.Name] != nil {
			panic(fmt.Sprintf("queue: kind %q needs a unique name, slots per lane and per node, and a Run function", k.Name))
		}
		if k.InOrder && k.Slots != 1 {
			panic(fmt.Sprintf("queue: kind %q is ordered: its lanes must have one slot, not %d", k.Name, k.Slots))
		}
		if k.Dead != nil && k.Settle != nil {
			panic(fmt.Sprintf("queue: kind %q has both OnDead and OnResults; only one is allowed", k.Name))
		}
		if k.Ahead == 0 {
			k.Ahead = defaultPrefetch
		}
		q.kinds[k.Name] = newKindState(k)
	}
}
