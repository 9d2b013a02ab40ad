package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

const (
	// atomicProducts is the number of products in the atomic push, unless -products gives a smaller one.
	atomicProducts = 20_000
	// atomicWritePause is the pause between two writes of the other store.
	atomicWritePause = 20 * time.Millisecond
	// maxAtomicWait is how long a write may wait because of an atomic push of another store.
	maxAtomicWait = 250 * time.Millisecond
)

// benchAtomicPush measures how long writes of one store wait while another store pushes products with atomic=true. They
// are compared with the same writes without a push. On SQLite the push may be refused, because it gives way to them.
func benchAtomicPush(ctx context.Context, e *benchEnvironment) (figures []figure, err error) {
	p, stores, err := e.startGate(ctx, 2, "--public-writes-per-minute", "0", "--public-writes-per-store", "0")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()

	pushing, other := stores[0], stores[1]
	n := min(atomicProducts, slices.Max(e.pushes.sizes))
	c := newClient()
	write := func() error {
		_, err := other.do(c, http.MethodPost, "/v2/feedback",
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
		_, took, err := pushing.push(ctx, "products?atomic=true", newProductStream(0, n, firstPrice))
		if err == nil {
			printNote("the push of %s products was applied in %s", formatThousands(n), formatDuration(took))
		}
		result <- err
		close(ended)
	}()

	busy, err := repeatWrites(ctx, ended, atomicWritePause, write)
	if err != nil {
		return nil, err
	}

	if err := <-result; err != nil {
		printNote("the push of %s products: %v", formatThousands(n), err)
	}

	most := slices.Max(busy)
	return []figure{{
		name: fmt.Sprintf("write of another store during an atomic push of %s", formatThousands(n)), engine: e.engine,
		ours: describeTimes(busy), raw: describeTimes(quiet) + " without",
		ratio: float64(most) / float64(maxAtomicWait),
		aim:   "≤ 250 ms", met: most <= maxAtomicWait,
	}}, nil
}

// repeatWrites sends writes one after the other until the channel is ready, and returns the duration of each.
func repeatWrites(
	ctx context.Context, until <-chan time.Time, pause time.Duration, write func() error,
) (took []time.Duration, err error) {
	for {
		one, err := measureTime(write)
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
