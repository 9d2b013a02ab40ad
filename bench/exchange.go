package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

const (
	// productsPerTurn is the minimum number of products pushed before the bare insert has its turn. With many products
	// a turn is a tenth of them.
	productsPerTurn = 2000
)

// benchPush measures three pushes of all products of a store, streamed over HTTP as NDJSON to the program in a process
// of its own. The first push creates the products. It takes turns with a bare insert of the same rows by the same
// driver, with the same number of products per transaction. The second push sends the same products again, the third
// one sends them with other prices; both are compared with the first. The rates of the first and of the third push must
// not drop much as the number of products grows.
func benchPush(ctx context.Context, e *benchEnvironment) ([]figure, error) {
	var figures []figure
	var rates [4][]float64 // products per second; the first index is the curve, the second the size
	for _, n := range e.pushes.sizes {
		t, err := e.pushToFreshDatabases(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("%s products: %w", formatThousands(n), err)
		}

		for curve, took := range t {
			rate := float64(n) / took.Seconds()
			rates[curve] = append(rates[curve], rate)
			e.pushes.plot.addPoint(curve, e.engine, n, rate)
		}

		figures = append(figures, t.figures(e.engine, n)...)
	}

	if len(e.pushes.sizes) < 2 {
		return figures, nil
	}

	for _, curve := range []int{createCurve, againCurve, pricesCurve} {
		at, best := worstDrop(rates[curve])
		ratio := rates[curve][at] / best
		figures = append(figures, figure{
			name: fmt.Sprintf("push, %s, %s against the best of fewer", e.pushes.plot.curveNames[curve],
				formatThousands(e.pushes.sizes[at])), engine: e.engine,
			ours: fmt.Sprintf("%.0f products/s", rates[curve][at]), raw: fmt.Sprintf("%.0f products/s", best),
			ratio: ratio, aim: "≥ 0.5", met: ratio >= 0.5,
		})
	}

	return figures, nil
}

// worstDrop returns the index of the rate that is the smallest fraction of the best rate before it, and that best rate.
func worstDrop(rates []float64) (index int, best float64) {
	highest := rates[0]
	least := math.Inf(1)
	for i, rate := range rates[1:] {
		if rate/highest < least {
			index = i + 1
			best = highest
			least = rate / highest
		}
		highest = max(highest, rate)
	}
	return index, best
}

// pushTimes are the durations of the pushes and of the bare insert, by curve.
type pushTimes [4]time.Duration

func (t pushTimes) figures(engine string, n int) []figure {
	rate := func(curve int) string { return formatRate(n, t[curve]) + " products/s" }
	line := func(what string, ours, raw int, rawName string, aim float64) figure {
		ratio := t[raw].Seconds() / t[ours].Seconds()
		return figure{
			name: fmt.Sprintf("push %s, %s", formatThousands(n), what), engine: engine, ours: rate(ours),
			raw: rate(raw) + rawName, ratio: ratio,
			aim: fmt.Sprintf("≥ %g", aim), met: ratio >= aim,
		}
	}
	return []figure{
		line("create", createCurve, rawCurve, "", 0.5),
		line("the same again", againCurve, createCurve, " create", 5),
		line("other prices", pricesCurve, createCurve, " create", 1.5),
	}
}

// pushToFreshDatabases measures the pushes of n products in empty databases.
func (e *benchEnvironment) pushToFreshDatabases(ctx context.Context, n int) (t pushTimes, err error) {
	ours, dropOurs, err := e.freshEnvironment(ctx)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, dropOurs()) }()
	raw, dropRaw, err := e.freshEnvironment(ctx)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, dropRaw()) }()
	return ours.pushAndInsert(ctx, n, raw.url)
}

// pushAndInsert pushes to the environment's database and inserts into the raw one. If n is small, it uses several
// stores, so that the measurement takes longer.
func (e *benchEnvironment) pushAndInsert(ctx context.Context, n int, rawURL string) (t pushTimes, err error) {
	rounds := min(3, max(1, 2*productsPerTurn/n))
	p, stores, err := e.startGate(ctx, rounds+1)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, p.stop()) }()

	raw, err := newRawInserter(ctx, e.url, rawURL)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, raw.close()) }()

	if err := raw.copyReferences(ctx); err != nil {
		return t, err
	}

	var measured [4][]time.Duration
	for round, s := range stores {
		size := n
		if round == 0 {
			size = warmUpProducts
		}

		one, err := s.pushAlternating(ctx, size, raw)
		if err != nil {
			return t, err
		}

		if round == 0 {
			if err := raw.analyze(ctx); err != nil {
				return t, err
			}
			continue
		}

		for curve, took := range one {
			measured[curve] = append(measured[curve], took)
		}
	}

	for curve, all := range measured {
		t[curve] = median(all)
	}

	return t, nil
}

// pushAlternating creates products in an empty store in several parts, in turn with the bare insert of each part. Then
// it pushes all products again, unchanged and with other prices.
func (s *benchServer) pushAlternating(ctx context.Context, n int, raw *rawInserter) (t pushTimes, err error) {
	var last int64
	part := max(productsPerTurn, (n+9)/10)
	for from := 0; from < n; from += part {
		to := min(n, from+part)
		ours, err := s.pushExpecting(ctx, from, to, firstPrice, createdCount)
		if err != nil {
			return t, err
		}

		inserted, key, bare, err := raw.insertProducts(ctx, s.keys.StoreID, last)
		if err != nil {
			return t, err
		}
		if inserted != to-from {
			return t, fmt.Errorf("the rows of %d products were inserted, want %d", inserted, to-from)
		}

		t[createCurve], t[rawCurve], last = t[createCurve]+ours, t[rawCurve]+bare, key

		if to == n && n > part {
			printNote("push %s: the last %s at %s products/s, the bare insert at %s products/s", formatThousands(n),
				formatThousands(to-from), formatRate(to-from, ours), formatRate(to-from, bare))
		}
	}

	if t[againCurve], err = s.pushExpecting(ctx, 0, n, firstPrice, unchangedCount); err != nil {
		return t, err
	}

	t[pricesCurve], err = s.pushExpecting(ctx, 0, n, laterPrice, updatedCount)
	return t, err
}
