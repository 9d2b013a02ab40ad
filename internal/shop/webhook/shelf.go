package webhook

import (
	"context"
	"sync"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

const (
	// shelfMost is how many bytes of payloads are kept for the next request, of all stores together.
	shelfMost = 16 << 20
	// shelfAhead is how many events are read at once, and shelfAheadBytes after how many bytes the reading ends.
	shelfAhead      = 128
	shelfAheadBytes = 2 << 20
)

// shelf keeps events that were read for a delivery: others of the same event follow, and those of the next events. It is safe for concurrent use.
type shelf struct {
	mu    sync.Mutex
	known map[shelfMark]*event.Event
	// order is in which they came, size the bytes of their payloads.
	order []shelfMark
	size  int
	// loading says of which stores some are being read; it is closed when they are there.
	loading map[store.ID]chan struct{}
}

type shelfMark struct {
	storeID  store.ID
	sequence int64
}

// event returns an event by its number, or database.ErrNoRows.
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

// look returns an event that is there. Otherwise somebody reads: whoever asked, if it is theirs to do, or another, for whom they wait.
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

// load reads an event with those that follow it, and lets go on who waits for them.
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

// put keeps an event, and lets those go that came first when there are too many. The caller holds the lock.
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
