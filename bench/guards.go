package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/testkit/databasetest"
)

const (
	guardRounds   = 21
	guardedLists  = 1000
	guardedPush   = 2000
	guardedOrders = 300
)

// benchGuards compares lists, pushes and submits with the admission of requests, and without it.
func benchGuards(ctx context.Context, e *benchEnvironment) (figures []figure, err error) {
	on, err := e.startOrderServer(ctx, config.Serve{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, on.stop()) }()

	dir, err := os.MkdirTemp(e.dir, "second-")
	if err != nil {
		return nil, err
	}
	fresh, err := databasetest.CreateMigrated(ctx, e.engine, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, fresh.Drop(ctx)) }()

	second := *e
	second.url = fresh.URL
	off, err := second.startOrderServer(ctx, config.Serve{AdmissionWait: -1})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, off.stop()) }()

	for _, g := range []*orderServer{on, off} {
		// The pushed products are not those that are sold: a push also sets their remainders.
		_, err := g.pushExpecting(ctx, soldProducts, soldProducts+guardedPush, firstPrice, createdCount)
		if err != nil {
			return nil, err
		}
		if _, err := g.waitForColumns(ctx, g.client); err != nil {
			return nil, err
		}
	}

	for _, work := range []struct {
		name string
		n    int
		run  func(g *orderServer) (time.Duration, error)
	}{
		{"lists with a price filter and facets, 4 clients", guardedLists, func(g *orderServer) (time.Duration, error) {
			o := newOverload(g)
			defer o.plain.close()

			return runConcurrently(listClients, guardedLists, func(int) error {
				status, err := o.plain.send(ctx, o.list())
				if err == nil && status >= 300 {
					err = fmt.Errorf("a list was answered with %d", status)
				}
				return err
			})
		}},
		{"submits, 16 clients", guardedOrders, func(g *orderServer) (time.Duration, error) {
			return g.submitDrafts(ctx, submission{idempotent: true}, draftClients, guardedOrders)
		}},
		{"products pushed, with other prices", guardedPush, func(g *orderServer) (time.Duration, error) {
			g.price++
			return g.pushExpecting(ctx, soldProducts, soldProducts+guardedPush, laterPrice+g.price, updatedCount)
		}},
	} {
		with := func() (time.Duration, error) { return work.run(on) }
		without := func() (time.Duration, error) { return work.run(off) }
		if _, _, err := measureAlternately(1, with, without); err != nil { // warm up
			return nil, err
		}

		o, r, err := measureAlternately(guardRounds, with, without)
		if err != nil {
			return nil, err
		}

		ratio := r.Seconds() / o.Seconds()
		figures = append(figures, figure{
			name: work.name + ", with admission against without", engine: e.engine, ours: formatRate(work.n, o) + " /s",
			raw: formatRate(work.n, r) + " /s", ratio: ratio, aim: "≥ 0.95", met: ratio >= 0.95,
		})
	}

	return figures, nil
}
