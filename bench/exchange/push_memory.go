package exchange

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"vitrine/bench/harness"
)

// pushMemoryAim is the maximum memory of the program during a push of a million products, in MiB.
const pushMemoryAim = 256

// PushMemory measures the peak memory of the program, with default settings, during one push of the largest number
// of products.
func PushMemory(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	n := slices.Max(e.Pushes.Sizes)
	p, stores, err := e.StartGate(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	before, err := p.MemoryMiB("VmRSS")
	if err != nil {
		return nil, err
	}
	took, err := stores[0].PushExpecting(ctx, 0, n, harness.FirstPrice, harness.CreatedCount)
	if err != nil {
		return nil, err
	}

	peak, err := p.MemoryMiB("VmHWM")
	if err != nil {
		return nil, err
	}

	harness.PrintNote("one push of %s: %s products/s", harness.FormatThousands(n), harness.FormatRate(n, took))
	f := harness.Figure{
		Name: fmt.Sprintf("push %s, memory at its peak", harness.FormatThousands(n)), Engine: e.Engine,
		Ours: fmt.Sprintf("%.0f MiB", peak), Raw: fmt.Sprintf("%.0f MiB before", before),
		Ratio: before / peak,
	}
	if n == harness.Million {
		f.Aim = fmt.Sprintf("≤ %d MiB", pushMemoryAim)
		f.Met = peak <= pushMemoryAim
	}

	return []harness.Figure{f}, nil
}
