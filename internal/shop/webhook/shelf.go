package webhook

import (
	"context"
	"sync"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

const (
	// shelfMost is the maximum size of the cached payloads of all stores, in bytes.
	shelfMost = 16 << 20
	// shelfAhead is the maximum number of events loaded at once. A load also ends when the payloads exceed
	// shelfAheadBytes.
	shelfAhead      = 128
	shelfAheadBytes = 2 << 20
)

// shelf caches events for deliveries. Several receivers get the same event, and deliveries of the following events come
// next, so a load reads ahead. It is safe for concurrent use.
type shelf struct {
	mu    sync.Mutex
	known map[shelfMark]*event.Event
	// order lists the keys from the oldest entry to the newest, for eviction. size is the total size of the payloads.
	order []shelfMark
	size  int
	// loading holds a channel for each store that is being loaded from; it is closed when the load has ended.
	loading map[store.ID]chan struct{}
}

type shelfMark struct {
	storeID  store.ID
	sequence int64
}

// event returns an event of a store by its sequence, or database.ErrNoRows.
func (s *Service) event(ctx context.Context, storeID store.ID, sequence int64) (*event.Event, error) {
	for {
		found, wait, mine := s.shelf.look(shelfMark{storeID, sequence})
		switch {
		case found != nil:
			return found, nil
		case mine:
			return s.load(ctx, storeID, sequence, wait)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look returns an event from the cache. If it is missing, either mine is true and the caller must load it, or another
// goroutine loads from this store and the caller waits for the channel.
func (h *shelf) look(mark shelfMark) (found *event.Event, wait chan struct{}, mine bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if found = h.known[mark]; found != nil {
		return found, nil, false
	}
	if wait = h.loading[mark.storeID]; wait != nil {
		return nil, wait, false
	}
	wait = make(chan struct{})
	h.loading[mark.storeID] = wait
	return nil, wait, true
}

// load reads an event and those that follow it, adds them to the cache, and closes done to wake the waiting goroutines.
func (s *Service) load(ctx context.Context, storeID store.ID, sequence int64, done chan struct{}) (*event.Event, error) {
	var read []*event.Event
	err := s.DB.Read(ctx, func(q database.Querier) (err error) {
		read, err = event.ListFrom(ctx, store.In(q, storeID), sequence, shelfAhead, shelfAheadBytes)
		return err
	})
	if err == nil && (len(read) == 0 || read[0].Sequence != sequence) {
		err = database.ErrNoRows
	}
	s.shelf.mu.Lock()
	defer s.shelf.mu.Unlock()
	delete(s.shelf.loading, storeID)
	close(done)
	if err != nil {
		return nil, err
	}
	for _, e := range read {
		s.shelf.put(shelfMark{storeID, e.Sequence}, e)
	}
	return read[0], nil
}

// put adds an event to the cache and evicts the oldest entries above the maximum size. The caller holds mu.
func (h *shelf) put(mark shelfMark, e *event.Event) {
	if h.known[mark] != nil {
		return
	}
	h.known[mark] = e
	h.order = append(h.order, mark)
	h.size += len(e.Payload)
	for h.size > shelfMost && len(h.order) > 1 {
		h.size -= len(h.known[h.order[0]].Payload)
		delete(h.known, h.order[0])
		h.order = h.order[1:]
	}
}
