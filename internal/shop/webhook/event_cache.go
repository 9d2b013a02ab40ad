package webhook

import (
	"context"
	"sync"

	"golang.org/x/sync/singleflight"

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
	loads singleflight.Group
}

type eventKey struct {
	storeID  store.ID
	sequence int64
}

// findEvent returns an event of a store by its sequence, or database.ErrNoRows.
func (s *Service) findEvent(ctx context.Context, storeID store.ID, sequence int64) (*event.Event, error) {
	for ctx.Err() == nil {
		if e := s.eventCache.lookup(eventKey{storeID, sequence}); e != nil {
			return e, nil
		}
		// A store has one load at a time, since its read-ahead often includes the events that other attempts wait for.
		// The context of the load outlives the attempt that started it, because the others depend on it.
		shared, err, _ := s.eventCache.loads.Do(storeID.String(), func() (any, error) {
			e, err := s.loadEvents(context.WithoutCancel(ctx), storeID, sequence)
			return loadedEvent{sequence, e}, err
		})
		if l := shared.(loadedEvent); l.sequence == sequence {
			return l.event, err
		}
	}
	return nil, ctx.Err()
}

// loadedEvent is the result of a load: the event that was requested, nil if the load failed.
type loadedEvent struct {
	sequence int64
	event    *event.Event
}

// lookup returns an event from the cache, or nil.
func (c *eventCache) lookup(key eventKey) *event.Event {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.events[key]
}

// loadEvents returns an event or database.ErrNoRows. It reads the events that follow, too, and adds all to the cache.
func (s *Service) loadEvents(ctx context.Context, storeID store.ID, sequence int64) (*event.Event, error) {
	if e := s.eventCache.lookup(eventKey{storeID, sequence}); e != nil {
		return e, nil // a load has ended since the lookup of the caller
	}
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	var events []*event.Event
	err := s.DB.Read(ctx, func(q database.Querier) (err error) {
		events, err = event.ListFrom(ctx, store.In(q, storeID), sequence, readAheadEvents, readAheadBytes)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(events) == 0 || events[0].Sequence != sequence {
		return nil, database.ErrNoRows
	}
	s.eventCache.mu.Lock()
	defer s.eventCache.mu.Unlock()
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
