package webhook

import (
	"context"
	"sync"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

const (
	// eventCacheSize is the maximum size of the cached payloads of all stores, in bytes.
	eventCacheSize = 16 << 20
	// readAheadEvents is the maximum number of events loaded at once. A load also ends when the payloads exceed
	// readAheadBytes.
	readAheadEvents = 128
	readAheadBytes  = 2 << 20
)

// eventCache caches events for deliveries. Several receivers get the same event, and deliveries of the following events
// come next, so a load reads ahead. It is safe for concurrent use.
type eventCache struct {
	mu     sync.Mutex
	events map[eventKey]*event.Event
	// order lists the keys from the oldest entry to the newest, for eviction. size is the total size of the payloads.
	order []eventKey
	size  int
	// loading holds a channel for each store that is being loaded from; it is closed when the load has ended.
	loading map[store.ID]chan struct{}
}

type eventKey struct {
	storeID  store.ID
	sequence int64
}

// findEvent returns an event of a store by its sequence, or database.ErrNoRows.
func (s *Service) findEvent(ctx context.Context, storeID store.ID, sequence int64) (*event.Event, error) {
	for {
		found, wait, mine := s.eventCache.lookup(eventKey{storeID, sequence})
		switch {
		case found != nil:
			return found, nil
		case mine:
			return s.loadEvents(ctx, storeID, sequence, wait)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// lookup returns an event from the cache. If it is missing, either mine is true and the caller must load it, or another
// goroutine loads from this store and the caller waits for the channel.
func (c *eventCache) lookup(key eventKey) (found *event.Event, wait chan struct{}, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found = c.events[key]; found != nil {
		return found, nil, false
	}
	if wait = c.loading[key.storeID]; wait != nil {
		return nil, wait, false
	}
	wait = make(chan struct{})
	c.loading[key.storeID] = wait
	return nil, wait, true
}

// loadEvents reads an event and those that follow it, adds them to the cache, and closes done to wake the waiting
// goroutines.
func (s *Service) loadEvents(
	ctx context.Context, storeID store.ID, sequence int64, done chan struct{},
) (*event.Event, error) {
	var events []*event.Event
	err := s.DB.Read(ctx, func(q database.Querier) (err error) {
		events, err = event.ListFrom(ctx, store.In(q, storeID), sequence, readAheadEvents, readAheadBytes)
		return err
	})
	if err == nil && (len(events) == 0 || events[0].Sequence != sequence) {
		err = database.ErrNoRows
	}
	s.eventCache.mu.Lock()
	defer s.eventCache.mu.Unlock()
	delete(s.eventCache.loading, storeID)
	close(done)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		s.eventCache.add(eventKey{storeID, e.Sequence}, e)
	}
	return events[0], nil
}

// add adds an event to the cache and evicts the oldest entries above the maximum size. The caller holds mu.
func (c *eventCache) add(key eventKey, e *event.Event) {
	if c.events[key] != nil {
		return
	}
	c.events[key] = e
	c.order = append(c.order, key)
	c.size += len(e.Payload)
	for c.size > eventCacheSize && len(c.order) > 1 {
		c.size -= len(c.events[c.order[0]].Payload)
		delete(c.events, c.order[0])
		c.order = c.order[1:]
	}
}
