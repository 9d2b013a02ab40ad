package webhook

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/queue"
	"vitrine/internal/shop/store"
)

const (
	// fanoutPollInterval is how often all stores are polled. A poll finds events that were committed by other nodes or
	// before a crash.
	fanoutPollInterval = time.Second
	// maxFanoutEvents is the maximum number of events of one store, maxFanoutStores the maximum number of stores, in
	// one fan-out transaction.
	maxFanoutEvents = 200
	maxFanoutStores = 20
	// fanoutRetryDelay is the delay before a store is tried again that another node was fanning out. It doubles up to
	// fanoutPollInterval.
	fanoutRetryDelay = 2 * time.Millisecond
	// fanoutTimeout is the timeout of a fan-out transaction.
	fanoutTimeout = 30 * time.Second
)

// pendingStores is the set of stores that may have events without deliveries: events were committed on this node, the
// last fan-out reached its limit, or another node was fanning out the store. The channel wake buffers one signal.
// pendingStores is safe for concurrent use.
type pendingStores struct {
	mu     sync.Mutex
	stores map[store.ID]bool
	wake   chan struct{}
}

func (e *pendingStores) add(storeID store.ID) {
	e.addQuietly(storeID)
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// addQuietly adds stores without a signal.
func (e *pendingStores) addQuietly(stores ...store.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, storeID := range stores {
		e.stores[storeID] = true
	}
}

func (e *pendingStores) drain() (list []store.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	list = slices.Collect(maps.Keys(e.stores))
	clear(e.stores)
	return list
}

// fanout creates the deliveries of new events. It is safe for concurrent use.
type fanout struct {
	Deps
	pending pendingStores
}

func newFanout(d Deps) *fanout {
	return &fanout{Deps: d, pending: pendingStores{stores: map[store.ID]bool{}, wake: make(chan struct{}, 1)}}
}

// Wake starts the fan-out of a store's new events, instead of waiting for the next poll. It does not block.
func (s *Service) Wake(storeID store.ID) { s.fanout.pending.add(storeID) }

// run creates deliveries for new events until ctx ends: at once for events of this node, by polling for others.
// It is no task of package periodic: only a tick polls all stores, and a failure that lasts is logged once.
func (f *fanout) run(ctx context.Context) {
	poll := time.NewTicker(fanoutPollInterval)
	defer poll.Stop()

	failing := false
	delay := fanoutRetryDelay
	for all := true; ; {
		locked, err := f.fanOutStores(ctx, all)
		if err != nil && !failing && ctx.Err() == nil {
			f.Log.WarnContext(ctx, "fan-out of events failed; it will be retried", "error", err)
		}

		failing = err != nil
		var retry <-chan time.Time
		if len(locked) > 0 {
			// The other node may have read the events of these stores before the last commit of this one.
			f.pending.addQuietly(locked...)
			retry = time.After(delay)
			delay = min(2*delay, fanoutPollInterval)
		} else {
			delay = fanoutRetryDelay
		}

		select {
		case <-ctx.Done():
			return
		case <-f.pending.wake:
			all = false
		case <-retry:
			all = false
		case <-poll.C:
			all = true
		}
	}
}

// fanOutStores fans out the next events of the pending stores, or of all stores with new events if all is true. A store
// with more events than fit into one transaction becomes pending again, so that its backlog does not delay other
// stores. It returns the stores that another node is fanning out.
func (f *fanout) fanOutStores(ctx context.Context, all bool) (locked []store.ID, err error) {
	stores := f.pending.drain()
	if all {
		stores, err = database.Read(ctx, f.DB, func(q database.Querier) ([]store.ID, error) {
			return storesWithNewEvents(ctx, q)
		})
		if err != nil {
			return nil, fmt.Errorf("find stores with new events: %w", err)
		}
	}

	for chunk := range slices.Chunk(stores, maxFanoutStores) {
		more, skipped, err := f.fanOut(ctx, chunk)
		if err != nil {
			return locked, err
		}
		locked = append(locked, skipped...)
		for _, storeID := range more {
			f.pending.add(storeID)
		}
	}

	return locked, nil
}

// fanOut creates the deliveries of the next events of these stores in one transaction, and returns the stores that may
// have more events. It skips stores that another node is fanning out, and returns them as locked.
func (f *fanout) fanOut(ctx context.Context, stores []store.ID) (more, locked []store.ID, err error) {
	defer fault.AddContext(&err, "fan out events")

	ctx, cancel := context.WithTimeout(ctx, fanoutTimeout)
	defer cancel()

	err = f.DB.Write(ctx, func(q database.Querier) error {
		more, locked = nil, nil
		last, err := lockFanouts(ctx, q, stores)
		if err != nil {
			return err
		}

		for _, storeID := range stores {
			if _, ok := last[storeID]; !ok {
				locked = append(locked, storeID)
			}
		}

		events, err := eventsAfter(ctx, q, last, maxFanoutEvents)
		if err != nil || len(events) == 0 {
			return err
		}
		receivers, err := receiversOfStores(ctx, q, last)
		if err != nil {
			return err
		}

		deliveries, jobs := f.newDeliveries(events, receivers)
		if err := insertDeliveries(ctx, q, deliveries); err != nil {
			return err
		}
		if err := f.Queue.Add(ctx, q, jobs...); err != nil {
			return err
		}

		counts := map[store.ID]int{}
		for _, e := range events {
			last[e.storeID] = e.sequence
			counts[e.storeID]++
		}

		for storeID, n := range counts {
			if n == maxFanoutEvents {
				more = append(more, storeID)
			}
		}

		return saveFanouts(ctx, q, last)
	})

	return more, locked, err
}

// newDeliveries matches events with receivers. It returns the new deliveries and the jobs that send them. Deliveries to
// disabled receivers are held and have no job.
func (f *fanout) newDeliveries(
	events []newEvent, receivers map[store.ID][]Receiver,
) (deliveries []newDelivery, jobs []queue.Job) {
	now := f.Now()
	for _, e := range events {
		if e.forOneReceiver {
			continue // SendTest has created its only delivery
		}

		for i := range receivers[e.storeID] {
			r := &receivers[e.storeID][i]
			if !r.Wants(e.eventType) {
				continue
			}

			d := newDelivery{storeID: e.storeID, id: id.New[Delivery](), receiver: r.Key, sequence: e.sequence,
				eventType: e.eventType, status: Held, at: now}
			if r.Enabled {
				d.status = Pending
				jobs = append(jobs, d.queueJob(r.ID))
			}

			deliveries = append(deliveries, d)
		}
	}

	return deliveries, jobs
}

func (d *newDelivery) queueJob(receiver ReceiverID) queue.Job {
	return deliveryJob{d.storeID, d.id, d.sequence}.queueJob(receiver)
}
