package queue

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"vitrine/internal/kit/database"
)

// Kind describes one kind of job and how to run it. P is the type of the jobs' payloads. O is the type of the output
// that an attempt passes to OnResults, or NoOutput.
type Kind[P, O any] struct {
	Name string
	// LaneSlots is how many jobs of one lane run at once on the node that leases the lane. NodeSlots is how many jobs
	// of all lanes run at once on one node. If NodeSlots is larger than LaneSlots, an eighth of it is reserved for
	// lanes with no running job.
	LaneSlots, NodeSlots int
	// Prefetch is how many jobs are kept in memory for each slot of a lane; 0 means 4. The node reads more jobs when
	// half of them have started.
	Prefetch int
	// InOrder makes each lane run its jobs strictly in the order in which they were added. A job starts when the
	// previous one is done or given up; while a job waits for a retry, no later job of its lane starts. An ordered kind
	// must have LaneSlots 1, and its jobs must have no DueAt. Jobs of concurrent transactions may be ordered either
	// way; jobs of one call of Add are ordered by unique name, then as given.
	InOrder bool
	// Retries are the delays before the second, third, … attempt. Each delay is randomized by up to a fifth in either
	// direction. The job is given up after attempt len(Retries)+1.
	Retries []time.Duration
	// Timeout limits the context of one attempt; 0 means no limit. The lease does not limit attempts: it is renewed as
	// long as the process lives.
	Timeout time.Duration
	// Light says that an attempt takes little memory and a bounded time, whatever the payload is. The starts of light
	// jobs are recorded only for an hour after the death of a process, and a light job is not suspected of that death
	// if a heavy job was running. All other kinds are heavy.
	Light bool
	// WarnOfRetries logs failed attempts as warnings. It is for kinds whose attempts fail only if the operator's
	// settings are wrong or a service of the operator is away.
	WarnOfRetries bool
	// Owner returns to whom a job belongs, such as the id of a store. Parked jobs are listed by their owners. It may be
	// nil.
	Owner func(payload P) string
	// Decode decodes Job.Payload. If it fails, the job is given up at once, without a call of any other function.
	Decode func(payload []byte) (P, error)
	// Run makes one attempt. It must return when its context ends. A nil error completes the job. An error or a panic
	// causes a retry according to Retries; Abort, RetryAfter, Postpone and PauseLane change that. A failed attempt does
	// not count if the program is shutting down.
	Run func(ctx context.Context, t *TaskOf[P, O]) error
	// OnDead is called when the job is given up, in the transaction that deletes it and before the job row is locked.
	// It may be nil. Like every transaction function, it may be called more than once. Its writes are rolled back if
	// the job was added again while it ran. If OnDead fails, the last attempt is repeated a minute later.
	OnDead func(ctx context.Context, q database.Querier, t *TaskOf[P, O], cause error) error
	// OnPark is called when the job is parked, in the transaction that parks it and before the job row is locked. It
	// may be nil. Like every transaction function, it may be called more than once.
	OnPark func(ctx context.Context, q database.Querier, payload P) error
	// OnUnpark is called when a parked job is to be tried again, in the transaction that makes it due. It may be nil.
	// It may return a fault, such as fault.Conflict, if that is not possible; the job then stays parked.
	OnUnpark func(ctx context.Context, q database.Querier, payload P) error
	// OnDiscard is called when a parked job is given up, in the transaction that deletes it. It may be nil.
	OnDiscard func(ctx context.Context, q database.Querier, payload P) error
	// OnResults is called in the transaction that writes the results of a batch of attempts, including those that give
	// up their jobs. A kind must not have both OnResults and OnDead. The transaction has locked the job rows before.
	// Jobs that were cancelled, or whose lane is leased by another node, are not among the outcomes. If OnResults
	// fails, the whole batch is retried until it succeeds, so it must fail only when the database fails.
	OnResults func(ctx context.Context, q database.Querier, outcomes []Outcome[P, O]) error
}

// NoOutput is the output of attempts of kinds without OnResults.
type NoOutput struct{}

// TaskOf is one attempt at a job of a Kind[P, O].
type TaskOf[P, O any] struct {
	*Task
	Payload P
	// Output is the value that Run passes to OnResults.
	Output O
}

// Outcome is the result of one attempt.
type Outcome[P, O any] struct {
	Task *TaskOf[P, O]
	// Err is the error of the attempt; nil if the job is done.
	Err error
	// Next is the time of the next attempt; zero if there is none.
	Next time.Time
}

// AnyKind is implemented by Kind with any type arguments.
type AnyKind interface{ untyped() kindConfig }

// kindConfig is a Kind without its type arguments, as the scheduler uses it. onDead and onResults may be nil. onPark,
// onUnpark and onDiscard do nothing, and owner returns "", if the payload cannot be decoded.
type kindConfig struct {
	name, spanName                 string
	laneSlots, nodeSlots, prefetch int
	inOrder, light, warnOfRetries  bool
	retries                        []time.Duration
	timeout                        time.Duration
	run                            func(ctx context.Context, t *Task) error
	owner                          func(payload []byte) string
	onPark, onUnpark, onDiscard    func(ctx context.Context, q database.Querier, payload []byte) error
	onDead                         func(ctx context.Context, q database.Querier, t *Task, cause error) error
	onResults                      func(ctx context.Context, q database.Querier, outcomes []untypedOutcome) error
}

// untypedOutcome is an Outcome without its type parameters.
type untypedOutcome struct {
	task *Task
	err  error
	next time.Time
}

// untyped implements AnyKind. It panics if the kind is invalid.
func (k Kind[P, O]) untyped() kindConfig {
	switch {
	case k.Name == "" || k.LaneSlots < 1 || k.NodeSlots < 1 || k.Decode == nil || k.Run == nil:
		panic(fmt.Sprintf("queue: kind %q needs a name, slots per lane and per node, and the functions Decode and Run",
			k.Name))
	case k.InOrder && k.LaneSlots != 1:
		panic(fmt.Sprintf("queue: kind %q is ordered: its lanes must have one slot, not %d", k.Name, k.LaneSlots))
	case k.OnDead != nil && k.OnResults != nil:
		panic(fmt.Sprintf("queue: kind %q has both OnDead and OnResults; only one is allowed", k.Name))
	}

	config := kindConfig{
		name: k.Name, spanName: "job " + k.Name, laneSlots: k.LaneSlots, nodeSlots: k.NodeSlots,
		prefetch: cmp.Or(k.Prefetch, defaultPrefetch),
		inOrder:  k.InOrder, light: k.Light, warnOfRetries: k.WarnOfRetries, retries: k.Retries, timeout: k.Timeout,
		run: k.run, owner: k.owner,
		onPark: k.parkHook(k.OnPark), onUnpark: k.parkHook(k.OnUnpark), onDiscard: k.parkHook(k.OnDiscard),
	}
	if k.OnDead != nil {
		config.onDead = k.dead
	}

	if k.OnResults != nil {
		config.onResults = k.results
	}

	return config
}

// run decodes the payload and calls Run. It stores the typed task in t.typed for dead and results.
func (k Kind[P, O]) run(ctx context.Context, t *Task) error {
	payload, err := k.Decode(t.payload)
	if err != nil {
		return Abort(err)
	}
	typed := &TaskOf[P, O]{Task: t, Payload: payload}
	t.typed = typed
	return k.Run(ctx, typed)
}

// owner decodes the payload and calls Owner.
func (k Kind[P, O]) owner(payload []byte) string {
	if k.Owner == nil {
		return ""
	}
	decoded, err := k.Decode(payload)
	if err != nil {
		return ""
	}
	return k.Owner(decoded)
}

// parkHook returns a function that decodes the payload and calls one of the hooks of parked jobs, which may be nil.
func (k Kind[P, O]) parkHook(
	hook func(ctx context.Context, q database.Querier, payload P) error,
) func(ctx context.Context, q database.Querier, payload []byte) error {
	return func(ctx context.Context, q database.Querier, payload []byte) error {
		if hook == nil {
			return nil
		}
		decoded, err := k.Decode(payload)
		if err != nil {
			return nil //nolint:nilerr // an attempt gives the job up
		}
		return hook(ctx, q, decoded)
	}
}

func (k Kind[P, O]) dead(ctx context.Context, q database.Querier, t *Task, cause error) error {
	if typed, ok := t.typed.(*TaskOf[P, O]); ok {
		return k.OnDead(ctx, q, typed, cause)
	}
	return nil
}

func (k Kind[P, O]) results(ctx context.Context, q database.Querier, outcomes []untypedOutcome) error {
	list := make([]Outcome[P, O], 0, len(outcomes))
	for _, o := range outcomes {
		if typed, ok := o.task.typed.(*TaskOf[P, O]); ok {
			list = append(list, Outcome[P, O]{typed, o.err, o.next})
		}
	}
	return k.OnResults(ctx, q, list)
}
