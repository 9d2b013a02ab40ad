package mixed

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"vitrine/bench/harness"
)

const (
	// atomicProducts is the number of products in the atomic push, unless -products gives a smaller one.
	atomicProducts = 20_000
	// atomicWritePause is the pause between two writes of the other store.
	atomicWritePause = 20 * time.Millisecond
	// maxAtomicWait is how long a write may wait because of an atomic push of another store.
	maxAtomicWait = 250 * time.Millisecond
)

// AtomicPush measures how long writes of one store wait while another store pushes products with atomic=true. They
// are compared with the same writes without a push. On SQLite the push may be refused, because it gives way to them.
func AtomicPush(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	p, stores, err := e.StartGate(ctx, 2, "--public-writes-per-minute", "0", "--public-writes-per-store", "0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	pushing, other := stores[0], stores[1]
	n := min(atomicProducts, slices.Max(e.Pushes.Sizes))
	c := harness.NewClient()
	write := func() error {
		_, err := other.Do(c, http.MethodPost, "/v2/feedback",
			[]byte(`{"name": "A", "phone": "+49301234567", "message": "b"}`))
		return err
	}
	quiet, err := repeatWrites(ctx, time.After(readTime), atomicWritePause, write)
	if err != nil {
		return nil, err
	}

	ended := make(chan time.Time)
	result := make(chan error, 1)
	go func() {
		_, took, err := pushing.Push(ctx, "products?atomic=true", harness.NewProductStream(0, n, harness.FirstPrice))
		if err == nil {
			harness.PrintNote("the push of %s products was applied in %s", harness.FormatThousands(n),
				harness.FormatDuration(took))
		}
		result <- err
		close(ended)
	}()

	busy, err := repeatWrites(ctx, ended, atomicWritePause, write)
	if err != nil {
		return nil, err
	}

	if err := <-result; err != nil {
		harness.PrintNote("the push of %s products: %v", harness.FormatThousands(n), err)
	}

	most := slices.Max(busy)
	return []harness.Figure{{
		Name:   fmt.Sprintf("write of another store during an atomic push of %s", harness.FormatThousands(n)),
		Engine: e.Engine,
		Ours:   describeTimes(busy), Raw: describeTimes(quiet) + " without",
		Ratio: float64(most) / float64(maxAtomicWait),
		Aim:   "≤ 250 ms", Met: most <= maxAtomicWait,
	}}, nil
}

// repeatWrites sends writes one after the other until the channel is ready, and returns the duration of each.
func repeatWrites(
	ctx context.Context, until <-chan time.Time, pause time.Duration, write func() error,
) (took []time.Duration, err error) {
	for {
		one, err := harness.MeasureTime(write)
		if err != nil {
			return nil, err
		}
		took = append(took, one)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-until:
			return took, nil
		case <-time.After(pause):
		}
	}
}
