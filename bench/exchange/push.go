// Package exchange measures what accounting does: pushes, the exchange with 1C, and exports.
package exchange

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"vitrine/bench/harness"
)

const (
	// productsPerTurn is the minimum number of products pushed before the bare insert has its turn. With many products
	// a turn is a tenth of them.
	productsPerTurn = 2000
)

// Push measures three pushes of all products of a store, streamed over HTTP as NDJSON to the program in a process
// of its own. The first push creates the products. It takes turns with a bare insert of the same rows by the same
// driver, with the same number of products per transaction. The second push sends the same products again, the third
// one sends them with other prices; both are compared with the first. The rates of the first and of the third push must
// not drop much as the number of products grows.
func Push(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	var figures []harness.Figure
	var rates [4][]float64 // products per second; the first index is the curve, the second the size
	for _, n := range e.Pushes.Sizes {
		t, err := pushToFreshDatabases(ctx, e, n)
		if err != nil {
			return nil, fmt.Errorf("%s products: %w", harness.FormatThousands(n), err)
		}

		for curve, took := range t {
			rate := float64(n) / took.Seconds()
			rates[curve] = append(rates[curve], rate)
			e.Pushes.Plot.AddPoint(curve, e.Engine, n, rate)
		}

		figures = append(figures, t.figures(e.Engine, n)...)
	}

	if len(e.Pushes.Sizes) < 2 {
		return figures, nil
	}

	for _, curve := range []int{harness.CreateCurve, harness.AgainCurve, harness.PricesCurve} {
		at, best := worstDrop(rates[curve])
		ratio := rates[curve][at] / best
		figures = append(figures, harness.Figure{
			Name: fmt.Sprintf("push, %s, %s against the best of fewer", e.Pushes.Plot.CurveNames[curve],
				harness.FormatThousands(e.Pushes.Sizes[at])), Engine: e.Engine,
			Ours: fmt.Sprintf("%.0f products/s", rates[curve][at]), Raw: fmt.Sprintf("%.0f products/s", best),
			Ratio: ratio, Aim: "≥ 0.5", Met: ratio >= 0.5,
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

func (t pushTimes) figures(engine string, n int) []harness.Figure {
	rate := func(curve int) string { return harness.FormatRate(n, t[curve]) + " products/s" }
	line := func(what string, ours, raw int, rawName string, aim float64) harness.Figure {
		ratio := t[raw].Seconds() / t[ours].Seconds()
		return harness.Figure{
			Name: fmt.Sprintf("push %s, %s", harness.FormatThousands(n), what), Engine: engine, Ours: rate(ours),
			Raw: rate(raw) + rawName, Ratio: ratio,
			Aim: fmt.Sprintf("≥ %g", aim), Met: ratio >= aim,
		}
	}
	return []harness.Figure{
		line("create", harness.CreateCurve, harness.RawCurve, "", 0.5),
		line("the same again", harness.AgainCurve, harness.CreateCurve, " create", 5),
		line("other prices", harness.PricesCurve, harness.CreateCurve, " create", 1.5),
	}
}

// pushToFreshDatabases measures the pushes of n products in empty databases.
func pushToFreshDatabases(ctx context.Context, e *harness.Environment, n int) (t pushTimes, err error) {
	ours, dropOurs, err := e.FreshEnvironment(ctx)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, dropOurs()) }()
	raw, dropRaw, err := e.FreshEnvironment(ctx)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, dropRaw()) }()
	return pushAndInsert(ctx, ours, n, raw.URL)
}

// pushAndInsert pushes to the environment's database and inserts into the raw one. If n is small, it uses several
// stores, so that the measurement takes longer.
func pushAndInsert(ctx context.Context, e *harness.Environment, n int, rawURL string) (t pushTimes, err error) {
	rounds := min(3, max(1, 2*productsPerTurn/n))
	p, stores, err := e.StartGate(ctx, rounds+1)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, p.Stop()) }()

	raw, err := newRawInserter(ctx, e.URL, rawURL)
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
			size = harness.WarmUpProducts
		}

		one, err := pushAlternating(ctx, s, size, raw)
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
		t[curve] = harness.Median(all)
	}

	return t, nil
}

// pushAlternating creates products in an empty store in several parts, in turn with the bare insert of each part. Then
// it pushes all products again, unchanged and with other prices.
func pushAlternating(ctx context.Context, s *harness.Server, n int, raw *rawInserter) (t pushTimes, err error) {
	var last int64
	part := max(productsPerTurn, (n+9)/10)
	for from := 0; from < n; from += part {
		to := min(n, from+part)
		ours, err := s.PushExpecting(ctx, from, to, harness.FirstPrice, harness.CreatedCount)
		if err != nil {
			return t, err
		}

		inserted, key, bare, err := raw.insertProducts(ctx, s.Keys.StoreID, last)
		if err != nil {
			return t, err
		}
		if inserted != to-from {
			return t, fmt.Errorf("the rows of %d products were inserted, want %d", inserted, to-from)
		}

		t[harness.CreateCurve], t[harness.RawCurve], last = t[harness.CreateCurve]+ours, t[harness.RawCurve]+bare, key

		if to == n && n > part {
			harness.PrintNote("push %s: the last %s at %s products/s, the bare insert at %s products/s",
				harness.FormatThousands(n),
				harness.FormatThousands(to-from), harness.FormatRate(to-from, ours), harness.FormatRate(to-from, bare))
		}
	}

	if t[harness.AgainCurve], err = s.PushExpecting(ctx, 0, n, harness.FirstPrice, harness.UnchangedCount); err != nil {
		return t, err
	}

	t[harness.PricesCurve], err = s.PushExpecting(ctx, 0, n, harness.LaterPrice, harness.UpdatedCount)
	return t, err
}
