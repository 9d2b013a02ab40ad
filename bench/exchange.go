package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"vitrine/internal/testkit/databasetest"
)

const (
	// warmedProducts are pushed before the others, to a store of their own.
	warmedProducts = 1000
	// turnProducts is how many products are pushed at least before it is the turn of the bare insert. Of a larger number it is a tenth.
	turnProducts = 2000
	// The price of a product's first variant, in whole units, at first and when all prices change.
	firstPrice, laterPrice = 10, 11
)

// pushes is what the benchmarks of the exchange gate share.
type pushes struct {
	sizes []int
	plot  *plot
}

// pushProducts compares three pushes of all products of a store, to the program as a process of its own, streamed over HTTP as NDJSON: the
// one that creates them, with the bare insert of the very rows that it made, by the same driver in transactions of as many products, in
// turn with it; the same once more, and the same with other prices, each with the first. Neither the first nor the last may take much longer
// for a product where there are many.
func pushProducts(ctx context.Context, e *environment) ([]figure, error) {
	var figures []figure
	var rates [4][]float64 // by curve, then size
	for _, n := range e.pushes.sizes {
		t, err := e.pushSize(ctx, n)
		if err != nil {
			return nil, fmt.Errorf("%s products: %w", thousands(n), err)
		}
		for curve, took := range t {
			rate := float64(n) / took.Seconds()
			rates[curve] = append(rates[curve], rate)
			e.pushes.plot.point(curve, e.engine, n, rate)
		}
		figures = append(figures, t.figures(e.engine, n)...)
	}
	if len(e.pushes.sizes) < 2 {
		return figures, nil
	}
	for _, curve := range []int{createCurve, againCurve, pricesCurve} {
		at, best := fall(rates[curve])
		ratio := rates[curve][at] / best
		figures = append(figures, figure{
			name: fmt.Sprintf("push, %s, %s against the best of fewer", e.pushes.plot.kinds[curve], thousands(e.pushes.sizes[at])), engine: e.engine,
			ours: fmt.Sprintf("%.0f products/s", rates[curve][at]), raw: fmt.Sprintf("%.0f products/s", best), ratio: ratio, aim: "≥ 0.5", met: ratio >= 0.5,
		})
	}
	return figures, nil
}

// fall finds where a rate is the smallest part of the best before it.
func fall(rates []float64) (at int, best float64) {
	highest, least := rates[0], math.Inf(1)
	for i, rate := range rates[1:] {
		if rate/highest < least {
			at, best, least = i+1, highest, rate/highest
		}
		highest = max(highest, rate)
	}
	return at, best
}

// pushTimes are how long the pushes of a number of products took, and the bare insert of what the first of them made: by curve.
type pushTimes [4]time.Duration

func (t pushTimes) figures(engine string, n int) []figure {
	rate := func(curve int) string { return perSecond(n, t[curve]) + " products/s" }
	line := func(what string, ours, raw int, rawName string, aim float64) figure {
		ratio := t[raw].Seconds() / t[ours].Seconds()
		return figure{
			name: fmt.Sprintf("push %s, %s", thousands(n), what), engine: engine, ours: rate(ours), raw: rate(raw) + rawName, ratio: ratio,
			aim: fmt.Sprintf("≥ %g", aim), met: ratio >= aim,
		}
	}
	return []figure{
		line("create", createCurve, rawCurve, "", 0.5),
		line("the same again", againCurve, createCurve, " create", 5),
		line("other prices", pricesCurve, createCurve, " create", 1.5),
	}
}

// pushSize measures one number of products, in databases with nothing else in them.
func (e *environment) pushSize(ctx context.Context, n int) (t pushTimes, err error) {
	ours, dropOurs, err := e.another(ctx)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, dropOurs()) }()
	raw, dropRaw, err := e.another(ctx)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, dropRaw()) }()
	return ours.pushAndInsert(ctx, n, raw.url)
}

// another is the environment with a fresh database and a folder of its own, which go when drop is called.
func (e *environment) another(ctx context.Context) (own *environment, drop func() error, err error) {
	dir, err := os.MkdirTemp(e.dir, "push-")
	if err != nil {
		return nil, nil, err
	}
	fresh, err := databasetest.CreateMigrated(ctx, e.engine, dir)
	if err != nil {
		return nil, nil, err
	}
	made := *e
	made.url, made.dir = fresh.URL, dir
	return &made, func() error { return errors.Join(fresh.Drop(context.WithoutCancel(ctx)), os.RemoveAll(dir)) }, nil
}

// pushAndInsert pushes to the environment's database and inserts into the raw one. A small number is pushed to several stores.
func (e *environment) pushAndInsert(ctx context.Context, n int, rawURL string) (t pushTimes, err error) {
	rounds := min(3, max(1, 2*turnProducts/n))
	p, stores, err := e.gate(ctx, rounds+1)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, p.end()) }()
	raw, err := newRawLimit(ctx, e.url, rawURL)
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, raw.close()) }()
	if err := raw.ground(ctx); err != nil {
		return t, err
	}
	var measured [4][]time.Duration
	for round, s := range stores {
		size := n
		if round == 0 {
			size = warmedProducts
		}
		one, err := s.pushInTurn(ctx, size, raw)
		if err != nil {
			return t, err
		}
		if round == 0 {
			if err := raw.count(ctx); err != nil {
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

// gate starts the program with stores that have all that products refer to.
func (e *environment) gate(ctx context.Context, stores int) (*process, []*shop, error) {
	data, err := os.MkdirTemp(e.dir, "gate-")
	if err != nil {
		return nil, nil, err
	}
	shops := make([]*shop, stores)
	for i := range shops {
		keys, err := e.createStore(ctx, data)
		if err != nil {
			return nil, nil, err
		}
		shops[i] = &shop{keys: keys}
	}
	p, _, err := e.start(ctx, data)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range shops {
		s.url, s.admin = p.api, p.admin
		if err := s.pushGround(ctx); err != nil {
			return nil, nil, errors.Join(err, p.end())
		}
	}
	return p, shops, nil
}

// pushInTurn creates products in a store that has none, part by part, in turn with the bare insert of each part; then it pushes them again.
func (s *shop) pushInTurn(ctx context.Context, n int, raw *rawLimit) (t pushTimes, err error) {
	var last int64
	part := max(turnProducts, (n+9)/10)
	for from := 0; from < n; from += part {
		to := min(n, from+part)
		ours, err := s.pushAs(ctx, from, to, firstPrice, created)
		if err != nil {
			return t, err
		}
		inserted, key, bare, err := raw.insertProducts(ctx, s.keys.StoreID, last)
		if err != nil {
			return t, err
		}
		if inserted != to-from {
			return t, fmt.Errorf("the rows of %d products were inserted, not of %d", inserted, to-from)
		}
		t[createCurve], t[rawCurve], last = t[createCurve]+ours, t[rawCurve]+bare, key
		if to == n && n > part {
			note("push %s: the last %s at %s products/s, their rows at %s", thousands(n), thousands(to-from), perSecond(to-from, ours), perSecond(to-from, bare))
		}
	}
	if t[againCurve], err = s.pushAs(ctx, 0, n, firstPrice, unchanged); err != nil {
		return t, err
	}
	t[pricesCurve], err = s.pushAs(ctx, 0, n, laterPrice, updated)
	return t, err
}
