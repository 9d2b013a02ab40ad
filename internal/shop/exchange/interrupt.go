package exchange

import (
	"context"
	"errors"
	"io"
	"time"

	"vitrine/internal/kit/fault"
)

// retryAfterStop is when a client should send a push again that ended because the server stops.
const retryAfterStop = 5 * time.Second

// interruption ends the pushes of a node that stops. A push in the background needs none: the queue gives it to another
// node.
type interruption struct {
	// soft ends pushes at their next batch, hard within a batch.
	soft, hard         context.Context //nolint:containedctx // they are signals, and of no request
	setSoft, abortHard context.CancelFunc
}

func newInterruption() (i interruption) {
	i.soft, i.setSoft = context.WithCancel(context.Background())
	i.hard, i.abortHard = context.WithCancel(context.Background())
	return i
}

// Interrupt ends the pushes that are being received, each after the batch that it applies. Their runs end as failed,
// and their clients are told to push again.
func (s *Pushes) Interrupt() { s.interruption.setSoft() }

// Abort also rolls back the batches that are being applied.
func (s *Pushes) Abort() {
	s.interruption.setSoft()
	s.interruption.abortHard()
}

func (s *Pushes) isInterrupted() bool { return s.interruption.soft.Err() != nil }

// interruptible returns a context that Abort ends. Interrupt closes the body, if it can be closed, so that no push
// waits for its client. The caller must call release.
func (s *Pushes) interruptible(ctx context.Context, body io.Reader) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	stopHard := context.AfterFunc(s.interruption.hard, cancel)
	stopSoft := context.AfterFunc(s.interruption.soft, func() {
		if c, ok := body.(io.Closer); ok {
			_ = c.Close()
		}
	})
	return ctx, func() {
		stopHard()
		stopSoft()
		cancel()
	}
}

// interruptedFault returns the fault of a push that ended because this node stops. It returns other errors unchanged.
func (s *Pushes) interruptedFault(cause error) error {
	if cause == nil || !s.isInterrupted() {
		return cause
	}
	switch kind := fault.KindOf(cause); {
	case kind == fault.Internal, kind == fault.Malformed, errors.Is(cause, context.Canceled):
		return errServerStops().Because(cause)
	}
	return cause
}

func errServerStops() *fault.Error {
	return fault.New(fault.Unavailable, "interrupted",
		"The server is stopping, so this push ended before its end. The items that the run counts were applied; push "+
			"again.").
		After(retryAfterStop)
}
