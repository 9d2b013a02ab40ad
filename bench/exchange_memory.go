package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// pushMemoryAim is the maximum memory of the program during a push of a million products, in MiB.
const pushMemoryAim = 256

// benchPushMemory measures the peak memory of the program, with default settings, during one push of the largest number
// of products.
func benchPushMemory(ctx context.Context, e *benchEnvironment) (figures []figure, err error) {
	n := slices.Max(e.pushes.sizes)
	p, stores, err := e.startGate(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()

	before, err := p.memoryMiB("VmRSS")
	if err != nil {
		return nil, err
	}
	took, err := stores[0].pushExpecting(ctx, 0, n, firstPrice, createdCount)
	if err != nil {
		return nil, err
	}

	peak, err := p.memoryMiB("VmHWM")
	if err != nil {
		return nil, err
	}

	printNote("one push of %s: %s products/s", formatThousands(n), formatRate(n, took))
	f := figure{
		name: fmt.Sprintf("push %s, memory at its peak", formatThousands(n)), engine: e.engine,
		ours: fmt.Sprintf("%.0f MiB", peak), raw: fmt.Sprintf("%.0f MiB before", before),
		ratio: before / peak,
	}
	if n == million {
		f.aim = fmt.Sprintf("≤ %d MiB", pushMemoryAim)
		f.met = peak <= pushMemoryAim
	}

	return []figure{f}, nil
}
