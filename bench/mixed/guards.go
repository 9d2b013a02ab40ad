package mixed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"vitrine/bench/harness"
	"vitrine/bench/order"
	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/databasetest"
)

const (
	guardRounds   = 21
	guardedLists  = 1000
	guardedPush   = 2000
	guardedOrders = 300
)

// Guards compares lists, pushes and submits with the admission of requests, and without it.
func Guards(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	on, err := order.StartOrderServer(ctx, e, config.Serve{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, on.Stop()) }()

	dir, err := os.MkdirTemp(e.Dir, "second-")
	if err != nil {
		return nil, err
	}
	fresh, err := databasetest.CreateMigrated(ctx, e.Engine, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, fresh.Drop(ctx)) }()

	second := *e
	second.URL = fresh.URL
	off, err := order.StartOrderServer(ctx, &second, config.Serve{AdmissionWait: -1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, off.Stop()) }()

	for _, g := range []*order.OrderServer{on, off} {
		// The pushed products are not those that are sold: a push also sets their remainders.
		_,
			err := g.PushExpecting(ctx, order.SoldProducts, order.SoldProducts+guardedPush, harness.FirstPrice,
			harness.CreatedCount)
		if err != nil {
			return nil, err
		}
		if _, err := g.WaitForColumns(ctx, g.Client); err != nil {
			return nil, err
		}
	}

	for _, work := range []struct {
		name string
		n    int
		run  func(g *order.OrderServer) (time.Duration, error)
	}{
		{"lists with a price filter and facets, 4 clients", guardedLists,
			func(g *order.OrderServer) (time.Duration, error) {
				o := newOverload(g)
				defer o.plain.close()

				return harness.RunConcurrently(harness.ListClients, guardedLists, func(int) error {
					status, err := o.plain.send(ctx, o.list())
					if err == nil && status >= 300 {
						err = fmt.Errorf("a list was answered with %d", status)
					}
					return err
				})
			}},
		{"submits, 16 clients", guardedOrders, func(g *order.OrderServer) (time.Duration, error) {
			return g.SubmitDrafts(ctx, order.Submission{Idempotent: true}, order.DraftClients, guardedOrders)
		}},
		{"products pushed, with other prices", guardedPush, func(g *order.OrderServer) (time.Duration, error) {
			g.Price++
			return g.PushExpecting(ctx, order.SoldProducts, order.SoldProducts+guardedPush, harness.LaterPrice+g.Price,
				harness.UpdatedCount)
		}},
	} {
		with := func() (time.Duration, error) { return work.run(on) }
		without := func() (time.Duration, error) { return work.run(off) }
		if _, _, err := harness.MeasureAlternately(1, with, without); err != nil { // warm up
			return nil, err
		}

		o, r, err := harness.MeasureAlternately(guardRounds, with, without)
		if err != nil {
			return nil, err
		}

		ratio := r.Seconds() / o.Seconds()
		figures = append(figures, harness.Figure{
			Name: work.name + ", with admission against without", Engine: e.Engine,
			Ours: harness.FormatRate(work.n, o) + " /s",
			Raw:  harness.FormatRate(work.n, r) + " /s", Ratio: ratio, Aim: "≥ 0.95", Met: ratio >= 0.95,
		})
	}

	return figures, nil
}
