package queue

import (
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
	*core
	membership *membership
	peers      *peers
	suspects   *suspectQueue
	workers    *workers
	poller     *poller
	// oldestLanes are the results of OldestLanes by kind. mu guards them.
	oldestLanes map[string][]LaneAge
}

// core is what all parts of a queue share.
type core struct {
	Deps
	timings timings
	// wake requests a poll of all lanes; refill requests a poll of the lanes that this node leases. Each channel
	// buffers one signal; further signals would request the same poll.
	wake, refill chan struct{}

	// mu guards kinds, nextDue and the fields of all parts that change.
	mu    sync.Mutex
	kinds map[string]*kindState // by name of the kind
	// nextDue is the earliest due time that the node knows; zero if it knows none.
	nextDue time.Time
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

	shared := &core{Deps: d, timings: defaultTimings, wake: make(chan struct{}, 1), refill: make(chan struct{}, 1),
		kinds: map[string]*kindState{}}
	q := &Queue{
		core: shared, membership: &membership{core: shared}, peers: newPeers(shared),
		suspects: &suspectQueue{core: shared, suspicions: map[int64]suspicion{}},
	}
	q.workers = newWorkers(shared, q.suspects)
	q.poller = &poller{core: shared, membership: q.membership, peers: q.peers, suspects: q.suspects, workers: q.workers}
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
