package webhook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

const (
	// sendingNodes is the number of processes that send. The node that commits the events is another one.
	sendingNodes = 2
	// nodesRate is the number of events per second, and nodesBacklog the number of events that are committed at once.
	nodesRate    = 200
	nodesBacklog = 10_000
	nodesRounds  = 3
)

// EventsAcrossNodes commits events on one node of a PostgreSQL database while two other nodes, processes of their
// own, lease all lanes. It measures the time from the commit of an event to its arrival at the receiver, and how fast
// many events are delivered, against bare posts.
func EventsAcrossNodes(ctx context.Context, e *harness.Environment) (figures []harness.Figure, err error) {
	if e.Engine != database.Postgres {
		return nil, nil // a SQLite database has one node
	}

	p, err := newSender(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.close()) }()

	stores, err := p.createStores(ctx, steadyStores)
	if err != nil {
		return nil, err
	}

	webhooks, jobs := p.newWorkers()
	arrivals, err := p.receiveArrivals(ctx, webhooks, stores)
	if err != nil {
		return nil, err
	}
	defer arrivals.close()

	for range sendingNodes {
		data, err := os.MkdirTemp(e.Dir, "data-")
		if err != nil {
			return nil, err
		}

		node, _, err := e.StartProcess(ctx, data, "--dev", "--secret-key-file", filepath.Join(p.dataDir, "secret.key"),
			"--blob", filepath.Join(p.dataDir, "blobs"))
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, node.Stop()) }()
	}

	work, stop := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer stop()

	// The sending processes lease all lanes before this node looks for lanes: then each has its share, and this node
	// gets none.
	workers.Go(func() { _ = webhooks.Run(work) })
	if err := p.commitAndAwait(ctx, webhooks, stores, arrivals, "first", len(stores)); err != nil {
		return nil, err
	}

	workers.Go(func() { _ = jobs.Run(work) })

	committed, took, err := p.commitSteadily(ctx, webhooks, stores, nodesRate)
	if err != nil {
		return nil, err
	}
	latencies, err := arrivals.latencies(ctx, committed)
	if err != nil {
		return nil, err
	}

	slices.Sort(latencies)
	p50 := latencies[len(latencies)/2]
	p99 := latencies[len(latencies)*99/100]
	figures = append(figures, harness.Figure{
		Name:   fmt.Sprintf("from commit to arrival at %d events/s, sent by another of 3 nodes, p99", nodesRate),
		Engine: e.Engine, Ours: fmt.Sprintf("%.1f ms (p50 %.1f)", p99.Seconds()*1000, p50.Seconds()*1000),
		Raw: harness.FormatRate(len(latencies), took) + " events/s", Aim: "≤ 50 ms", Met: p99 <= 50*time.Millisecond,
	})
	round := 0
	ours := func() (time.Duration, error) {
		round++
		return harness.MeasureTime(func() error {
			return p.commitAndAwait(ctx, webhooks, stores, arrivals, fmt.Sprint("round ", round), nodesBacklog)
		})
	}
	raw := func() (time.Duration, error) { return rawPosts(ctx, nodesBacklog) }
	o, r, err := harness.MeasureAlternately(nodesRounds, ours, raw)
	if err != nil {
		return nil, err
	}

	for _, s := range jobs.Stats() {
		if s.Done > 0 {
			return nil, fmt.Errorf("the node that commits sent %d events itself, want 0", s.Done)
		}
	}

	return append(figures, harness.Figure{
		Name: "commit 10,000 events of 2 KiB, which two other nodes send to 4 receivers", Engine: e.Engine,
		Ours:  harness.FormatRate(nodesBacklog, o) + " deliveries/s",
		Raw:   harness.FormatRate(nodesBacklog, r) + " posts/s",
		Ratio: r.Seconds() / o.Seconds(),
	}), nil
}

// commitAndAwait commits n events, many in one transaction, and waits until all have arrived. name distinguishes them
// from the events of other calls.
func (p *eventSender) commitAndAwait(ctx context.Context, webhooks *webhook.Service, stores []store.Store,
	arrivals *eventArrivals, name string, n int) error {
	events := event.New(event.Deps{Now: time.Now, Wake: webhooks.Wake})
	committed := map[string]time.Time{}
	for done := 0; done < n; {
		part := min(100, n-done)

		err := p.DB.Write(ctx, func(q database.Querier) error {
			for i := done; i < done+part; i++ {
				id := fmt.Sprint(name, " ", i)
				err := events.Emit(ctx, store.In(q, stores[i%len(stores)].ID), event.OrderSubmitted,
					fmt.Appendf(nil, `{"id":%q,"fill":%q}`, id, p.padding))
				if err != nil {
					return err
				}
				committed[id] = time.Now()
			}

			return nil
		})
		if err != nil {
			return err
		}

		done += part
	}

	_, err := arrivals.latencies(ctx, committed)
	return err
}
