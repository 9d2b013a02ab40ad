package webhook

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
	"vitrine/internal/shop/account"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/inquiry"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

const (
	steadyRate = 1000 // events per second
	steadyFor  = 10 * time.Second
	// steadyStores is the number of stores. Events of one store are committed one after the other.
	steadyStores = 4
	// steadyWriters is the number of concurrent writers.
	steadyWriters = 16
)

// SteadyEvents commits a thousand events per second, each with a domain row, and measures the time from the commit
// of an event to its arrival at the receiver.
func SteadyEvents(ctx context.Context, e *harness.Environment) ([]harness.Figure, error) {
	p, err := newSender(ctx, e)
	if err != nil {
		return nil, err
	}

	webhooks, jobs := p.newWorkers()
	work, stop := context.WithCancel(ctx)
	var workers sync.WaitGroup
	workers.Go(func() { _ = jobs.Run(work) })
	workers.Go(func() { _ = webhooks.Run(work) })

	stores, err := p.createStores(ctx, steadyStores)
	if err != nil {
		stop()
		return nil, err
	}

	arrivals, err := p.receiveArrivals(ctx, webhooks, stores)
	if err != nil {
		stop()
		return nil, err
	}

	committed, took, err := p.commitSteadily(ctx, webhooks, stores, steadyRate)
	if err != nil {
		stop()
		return nil, err
	}

	latencies, err := arrivals.latencies(ctx, committed)
	stop()
	workers.Wait()
	arrivals.close()

	if err != nil {
		return nil, err
	}

	slices.Sort(latencies)
	p50 := latencies[len(latencies)/2]
	p99 := latencies[len(latencies)*99/100]
	return []harness.Figure{{
		Name: "from commit to arrival at 1,000 events/s of 4 stores, p99", Engine: e.Engine,
		Ours: fmt.Sprintf("%.1f ms (p50 %.1f)", p99.Seconds()*1000, p50.Seconds()*1000),
		Raw:  harness.FormatRate(len(latencies), took) + " events/s", Aim: "< 100 ms", Met: p99 < 100*time.Millisecond,
	}}, p.close()
}

// commitSteadily commits feedback, rate times a second, and returns the time of each commit.
func (p *eventSender) commitSteadily(
	ctx context.Context, webhooks *webhook.Service, stores []store.Store, rate int,
) (map[string]time.Time, time.Duration, error) {
	forms := inquiry.New(inquiry.Deps{
		Events: event.New(event.Deps{Now: time.Now, Wake: webhooks.Wake}), Now: time.Now})
	n := int(steadyFor.Seconds()) * rate
	committed := make(map[string]time.Time, n)
	var mu sync.Mutex
	start := time.Now()

	took, err := harness.RunConcurrently(steadyWriters, n, func(i int) error {
		time.Sleep(time.Until(start.Add(time.Duration(i) * time.Second / time.Duration(rate))))
		var feedback inquiry.Feedback
		err := p.DB.Write(ctx, func(q database.Querier) (err error) {
			feedback, err = forms.SubmitFeedback(ctx, store.In(q, stores[i%len(stores)].ID), stores[i%len(stores)],
				inquiry.Feedback{Name: "Anna", Message: p.padding})
			return err
		})
		mu.Lock()
		defer mu.Unlock()

		committed[feedback.ID.String()] = time.Now()
		return err
	})

	return committed, took, err
}

// eventArrivals records the time at which the event of each feedback arrived.
type eventArrivals struct {
	server *http.Server
	mu     sync.Mutex
	at     map[string]time.Time
}

func (p *eventSender) receiveArrivals(
	ctx context.Context, webhooks *webhook.Service, stores []store.Store,
) (*eventArrivals, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}

	a := &eventArrivals{at: map[string]time.Time{}}

	a.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		var event struct {
			Payload struct {
				ID string `json:"id"`
			} `json:"payload"`
		}
		if err := json.UnmarshalRead(r.Body, &event); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}

		a.mu.Lock()
		defer a.mu.Unlock()

		a.at[event.Payload.ID] = now
		w.WriteHeader(http.StatusNoContent)
	})}

	go func() { _ = a.server.Serve(l) }()
	address := "http://" + l.Addr().String() + "/"
	types := []string{"*"}
	return a, p.DB.Write(ctx, func(q database.Querier) error {
		for _, s := range stores {
			if _, _, err := webhooks.CreateReceiver(ctx, store.In(q, s.ID), webhook.ReceiverEdit{
				URL: &address, Types: &types,
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// createStores creates stores until there are n, including the existing one.
func (p *eventSender) createStores(ctx context.Context, n int) ([]store.Store, error) {
	stores := []store.Store{p.store}
	for len(stores) < n {
		keys, err := p.CreateStore(ctx, store.Edit{}, account.NewOwner{})
		if err != nil {
			return nil, err
		}
		created, err := p.Stores.Find(ctx, keys.StoreID)
		if err != nil {
			return nil, err
		}
		stores = append(stores, created)
	}
	return stores, nil
}

func (a *eventArrivals) close() { _ = a.server.Close() }

// latencies waits for all events and returns the time from commit to arrival of each. It is 0 if the event arrived
// before the commit returned.
func (a *eventArrivals) latencies(ctx context.Context, committed map[string]time.Time) ([]time.Duration, error) {
	arrived := 0

	err := harness.WaitUntil(ctx, "all events have arrived", time.Minute, 10*time.Millisecond, func() (bool, error) {
		a.mu.Lock()
		defer a.mu.Unlock()

		arrived = 0
		for id := range committed {
			if _, ok := a.at[id]; ok {
				arrived++
			}
		}

		return arrived == len(committed), nil
	})
	if err != nil {
		return nil, fmt.Errorf("%w; %d of %d have", err, arrived, len(committed))
	}

	a.mu.Lock()
	defer a.mu.Unlock()

	latencies := make([]time.Duration, 0, len(committed))
	for id, at := range committed {
		latencies = append(latencies, max(0, a.at[id].Sub(at)))
	}

	return latencies, nil
}
