// Package webhook measures the delivery of events.
package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"vitrine/bench/harness"
)

const (
	// drainedEvents is the number of events per turn, and drainedBytes the size of each payload.
	drainedEvents = 20_000
	drainedBytes  = 2 << 10
	drainRounds   = 3
)

// DrainBacklog compares the delivery of a backlog of events to one receiver, with signatures and a record of each
// attempt, with a bare loop that posts the same bytes over as many connections, in turn.
func DrainBacklog(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	p, err := newSender(ctx, e)
	if err != nil {
		return nil, err
	}

	ours := func() (time.Duration, error) {
		to, err := p.newReceiver(ctx)
		if err != nil {
			return 0, err
		}
		defer to.close()

		if err := p.createBacklog(ctx, drainedEvents); err != nil {
			return 0, err
		}

		took, err := p.drain(ctx, to, drainedEvents)
		return took, errors.Join(err, p.deleteReceivers(ctx, to))
	}

	raw := func() (time.Duration, error) { return rawPosts(ctx, drainedEvents) }
	o, r, err := harness.MeasureAlternately(drainRounds, ours, raw)
	if err != nil {
		return nil, err
	}

	aim := 0.5
	if e.Engine == "postgres" {
		aim = 0.4
	}

	ratio := r.Seconds() / o.Seconds()
	figures := []harness.Figure{{
		Name: "send a backlog of events of 2 KiB to one receiver", Engine: e.Engine,
		Ours:  harness.FormatRate(drainedEvents, o) + " deliveries/s",
		Raw:   harness.FormatRate(drainedEvents, r) + " posts/s",
		Ratio: ratio, Aim: fmt.Sprintf("≥ %.1f", aim), Met: ratio >= aim,
	}}
	spread, err := p.measureFanOut(ctx)
	if err != nil {
		return nil, err
	}

	return append(figures, spread), p.close()
}

// measureFanOut compares the delivery of events to a hundred receivers with the delivery of a hundred times as many
// events to one receiver.
func (p *eventSender) measureFanOut(ctx context.Context) (harness.Figure, error) {
	const receivers, events = 100, 20

	many := func() (time.Duration, error) {
		var to []*benchReceiver
		for range receivers {
			k, err := p.newReceiver(ctx)
			if err != nil {
				return 0, err
			}
			defer k.close()
			to = append(to, k)
		}

		if err := p.createBacklog(ctx, events); err != nil {
			return 0, err
		}

		took, err := p.drainAll(ctx, to, events)
		return took, errors.Join(err, p.deleteReceivers(ctx, to...))
	}

	one := func() (time.Duration, error) {
		k, err := p.newReceiver(ctx)
		if err != nil {
			return 0, err
		}
		defer k.close()

		if err := p.createBacklog(ctx, receivers*events); err != nil {
			return 0, err
		}

		took, err := p.drain(ctx, k, receivers*events)
		return took, errors.Join(err, p.deleteReceivers(ctx, k))
	}

	m, o, err := harness.MeasureAlternately(5, many, one)
	return harness.Figure{
		Name: "send 20 events to 100 receivers, against 2,000 to one", Engine: p.engine,
		Ours:  harness.FormatRate(receivers*events, m) + " deliveries/s",
		Raw:   harness.FormatRate(receivers*events, o) + " deliveries/s",
		Ratio: o.Seconds() / m.Seconds(),
	}, err
}

// DeadReceivers compares the rate of deliveries to working receivers, while other receivers with older backlogs
// hang, refuse connections and fail, with the rate without these other receivers.
func DeadReceivers(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	const receivers, events, backlog = 20, 200, 5000
	p, err := newSender(ctx, e)
	if err != nil {
		return nil, err
	}

	round := func(bad bool) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			var all []*benchReceiver
			defer func() {
				for _, k := range all {
					k.close()
				}
			}()

			if bad {
				for _, behaves := range []behaviour{hangs, refuses, fails} {
					k, err := p.newReceiverThat(ctx, behaves)
					if err != nil {
						return 0, err
					}
					all = append(all, k)
				}

				if err := p.createBacklog(ctx, backlog); err != nil {
					return 0, err
				}
			}

			var good []*benchReceiver
			for range receivers {
				k, err := p.newReceiver(ctx)
				if err != nil {
					return 0, err
				}
				all, good = append(all, k), append(good, k)
			}

			if err := p.createBacklog(ctx, events); err != nil {
				return 0, err
			}

			took, err := p.drainAll(ctx, good, events)
			return took, errors.Join(err, p.deleteReceivers(ctx, all...))
		}
	}

	with, without, err := harness.MeasureAlternately(5, round(true), round(false))
	if err != nil {
		return nil, err
	}

	ratio := without.Seconds() / with.Seconds()
	return []harness.Figure{{
		Name:   "20 receivers beside one that hangs, one that refuses and one that fails, against without",
		Engine: e.Engine,
		Ours:   harness.FormatRate(receivers*events, with) + " deliveries/s",
		Raw: harness.FormatRate(receivers*events, without) +
			" deliveries/s", Ratio: ratio, Aim: "≥ 0.85", Met: ratio >= 0.85,
	}}, p.close()
}
