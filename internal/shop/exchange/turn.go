package exchange

import (
	"context"
	"sync"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// storeTurns lets the pushes of a store on this node write one after the other. The database serializes them too, but
// there a waiting push holds a connection, and a few pushes to one store would leave none for other stores.
type storeTurns struct {
	mu    sync.Mutex
	turns map[store.ID]*storeTurn
}

type storeTurn struct {
	taken chan struct{} // has an element while a push has the turn
	users int           // the pushes that have the turn or wait for it
}

// take waits for the turn of the store. The caller must call release.
func (s *storeTurns) take(ctx context.Context, storeID store.ID) (release func(), err error) {
	t := s.enter(storeID)
	select {
	case t.taken <- struct{}{}:
		return func() {
			<-t.taken
			s.leave(storeID, t)
		}, nil
	case <-ctx.Done():
		s.leave(storeID, t)
		return nil, fault.New(fault.Unavailable, "busy", "Another push to this store took too long. "+
			"The items that the run counts were applied; push again.").Because(ctx.Err())
	}
}

func (s *storeTurns) enter(storeID store.ID) *storeTurn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turns == nil {
		s.turns = map[store.ID]*storeTurn{}
	}
	t := s.turns[storeID]
	if t == nil {
		t = &storeTurn{taken: make(chan struct{}, 1)}
		s.turns[storeID] = t
	}
	t.users++
	return t
}

func (s *storeTurns) leave(storeID store.ID, t *storeTurn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(s.turns, storeID)
	}
}

// inTurn calls fn, which opens a transaction, when no other push to the store on this node has one. It retries fn as
// retryTransaction does.
func (p *pushRun) inTurn(ctx context.Context, fn func() error) error {
	return retryTransaction(ctx, func() error {
		release, err := p.s.turns.take(ctx, p.storeID)
		if err != nil {
			return err
		}
		defer release()
		return fn()
	})
}
