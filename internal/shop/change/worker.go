package change

import (
	"context"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/periodic"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

const (
	// pollEvery is how often a node looks for stores that changed, with one statement for all stores.
	pollEvery = 500 * time.Millisecond
	// announceEvery is the shortest time between two events of a store.
	announceEvery = time.Second
	// quietDelay is how long the changes of a store wait that has no receivers. It is shorter than the time for which
	// the log of products keeps them.
	quietDelay = 30 * time.Second
	// compareEvery is how often all stores are compared with their heads.
	compareEvery = 10 * time.Minute
	// storesAtOnce is how many stores are collected at a time.
	storesAtOnce = 4
)

// worker finds the stores that changed, and collects and announces their changes.
type worker struct {
	*Service
	poll       poll
	comparedAt time.Time
	due        map[store.ID]time.Time // when to look at a store
}

// Run collects and announces changes, and deletes what is old, until ctx ends. It may run on several nodes.
func (s *Service) Run(ctx context.Context) error {
	w := s.newWorker()
	return periodic.Run(ctx, s.Log,
		periodic.Task{Name: "tell of changes of catalogues", Every: pollEvery, Do: w.run},
		periodic.Task{Name: "delete old changes of catalogues", Every: pruneEvery, Do: s.Prune})
}

func (s *Service) newWorker() *worker { return &worker{Service: s, due: map[store.ID]time.Time{}} }

// run looks at the stores that are due.
func (w *worker) run(ctx context.Context) error {
	now := w.Now()
	if err := w.find(ctx, now); err != nil {
		w.comparedAt = time.Time{} // what the poll has found is lost
		return err
	}

	var mu sync.Mutex
	later := map[store.ID]time.Time{}
	var group errgroup.Group
	group.SetLimit(storesAtOnce)
	for storeID, at := range w.due {
		if at.After(now) {
			continue
		}
		group.Go(func() error {
			again, err := w.tell(ctx, storeID)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				again = now.Add(announceEvery)
			}
			later[storeID] = again
			return err
		})
	}

	err := group.Wait()
	for storeID, again := range later {
		if again.IsZero() {
			delete(w.due, storeID)
		} else {
			w.due[storeID] = again
		}
	}
	return err
}

// find adds the stores that changed to those that are due. A store without receivers is not looked at with each change.
func (w *worker) find(ctx context.Context, now time.Time) error {
	changed, all, err := w.poll.next(ctx, w.DB)
	if err != nil {
		return err
	}
	if all || now.Sub(w.comparedAt) >= compareEvery {
		behind, err := database.Read(ctx, w.DB, func(q database.Querier) (map[store.ID]bool, error) {
			return storesBehind(ctx, q)
		})
		if err != nil {
			return err
		}
		w.comparedAt = now
		maps.Copy(changed, behind)
	}
	if len(changed) == 0 {
		return nil
	}

	listening, err := w.Webhooks.Listening(ctx, changed)
	if err != nil {
		return err
	}
	for storeID := range changed {
		at, known := w.due[storeID]
		switch {
		case listening[storeID] && (!known || at.Sub(now) > announceEvery):
			w.due[storeID] = now
		case !known:
			w.due[storeID] = now.Add(quietDelay)
		}
	}
	return nil
}

// tell collects the changes of a store and announces them. If the result is not zero, the store has to be looked at
// again then.
func (w *worker) tell(ctx context.Context, storeID store.ID) (again time.Time, err error) {
	defer fault.AddContext(&err, "tell of the changes of store %s", storeID)

	current, err := database.Read(ctx, w.DB, func(q database.Querier) (bool, error) {
		st, err := readState(ctx, store.In(q, storeID))
		return !st.stale() && st.announced == st.version, err
	})
	if fault.KindOf(err) == fault.NotFound { // the store was deleted
		return time.Time{}, nil
	}
	if err != nil || current {
		return time.Time{}, err
	}

	ctx = database.InBackground(ctx)
	return again, w.DB.WriteAlone(ctx, func(q database.Querier) (err error) {
		again, err = w.announce(ctx, store.In(q, storeID))
		return err
	})
}

// announce collects the changes of a store and emits an event, unless the last one was less than announceEvery ago. Of
// several nodes that do so at a time, the later ones find nothing to do, since the head is locked.
func (w *worker) announce(ctx context.Context, tx store.Tx) (again time.Time, err error) {
	h, err := w.collect(ctx, tx)
	if err != nil {
		return time.Time{}, err
	}
	st, err := readState(ctx, tx)
	if fault.KindOf(err) == fault.NotFound {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}

	now := w.Now()
	if st.stale() {
		again = now
	}
	if h.announced == h.version {
		return again, nil
	}

	receivers, err := w.Webhooks.ReceiversOf(ctx, tx, event.CatalogChanged)
	if err != nil {
		return time.Time{}, err
	}
	if len(receivers) == 0 {
		return again, saveAnnounced(ctx, tx, h.version, h.announcedAt)
	}

	allowed := time.UnixMicro(h.announcedAt).Add(announceEvery)
	if ahead := allowed.Sub(now); ahead > 0 && ahead <= announceEvery { // a clock that was set back delays nothing
		if again.IsZero() {
			again = allowed
		}
		return again, nil
	}

	changes, _, err := Since(ctx, tx, h.announced)
	if fault.KindOf(err) == fault.Gone {
		changes, _, err = Since(ctx, tx, 0)
	}
	if err != nil {
		return time.Time{}, err
	}
	if err := saveAnnounced(ctx, tx, h.version, now.UnixMicro()); err != nil {
		return time.Time{}, err
	}
	return again, w.Events.Emit(ctx, tx, event.CatalogChanged, wire.AppendJSON(nil, changes))
}
