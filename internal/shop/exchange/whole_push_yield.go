package exchange

import (
	"context"
	"errors"
	"os"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
)

// applyYielding makes attempts to apply the push in one transaction until one of them need not give way to other
// writes. See tryWhole for its errors. If it had to give way at every attempt, it returns fault.Conflict; nothing was
// applied then.
func (p *pushRun) applyYielding(ctx context.Context, file *os.File) (*wholePush, error) {
	ctx = database.WithOwner(ctx, p.storeID)
	var w *wholePush
	received := int64(0)
	err := p.pushes.yielding.Retry(ctx, func(patience database.Patience) error {
		next, err := p.tryWhole(ctx, file, patience)
		if next != nil {
			w = next
			received = max(received, w.run.Received)
		}
		return err
	})

	if errors.Is(err, database.ErrYielded) {
		w.run.Received = received
		return w, p.tooLargeFault()
	}
	return w, err
}

// tooLargeFault returns the fault of a push that had to give way at every attempt.
func (p *pushRun) tooLargeFault() error {
	what, advice := "An atomic push", "Push without atomic=true, in smaller parts or at a quieter time"
	if !p.run.Atomic {
		what, advice = "A dry run of categories", "Try it with fewer categories or at a quieter time"
	}
	return fault.New(fault.Conflict, "atomic_too_large",
		"Nothing of this push was applied. %s is one transaction; on SQLite all other writes of the server wait for it, "+
			"so it gives way to them, and other writes came at every attempt. %s, or run the server on PostgreSQL.",
		what, advice)
}
