package exchange

import (
	"context"
	"sync"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
	"vitrine/internal/shop/store"
)

// storeLocks has a lock for each store, so that the pushes of a store on this node write one after the other. The
// database serializes them too, but there a waiting push holds a connection, and a few pushes to one store would leave
// none for other stores.
type storeLocks struct {
	mu    sync.Mutex
	locks map[store.ID]*storeLock
}

type storeLock struct {
	held  chan struct{} // has an element while a push holds the lock
	users int           // the pushes that hold the lock or wait for it
}

// lock waits for the lock of the store. The caller must call unlock.
func (s *storeLocks) lock(ctx context.Context, storeID store.ID) (unlock func(), err error) {
	l := s.addUser(storeID)
	select {
	case l.held <- struct{}{}:
		return func() {
			<-l.held
			s.removeUser(storeID, l)
		}, nil
	case <-ctx.Done():
		s.removeUser(storeID, l)
		return nil, fault.New(fault.Unavailable, "busy", "Another push to this store took too long. "+
			"The items that the run counts were applied; push again.").Because(ctx.Err())
	}
}

func (s *storeLocks) addUser(storeID store.ID) *storeLock {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locks == nil {
		s.locks = map[store.ID]*storeLock{}
	}
	l := s.locks[storeID]
	if l == nil {
		l = &storeLock{held: make(chan struct{}, 1)}
		s.locks[storeID] = l
	}
	l.users++
	return l
}

func (s *storeLocks) removeUser(storeID store.ID, l *storeLock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(s.locks, storeID)
	}
}

// withStoreLock calls fn, which opens a transaction, when no other push to the store on this node has one. It retries
// fn as retryTransaction does.
func (s *Pushes) withStoreLock(ctx context.Context, storeID store.ID, fn func() error) error {
	return retryTransaction(ctx, func() error {
		wait := trace.Current(ctx).StartInterval()
		unlock, err := s.storeLocks.lock(ctx, storeID)
		wait.End("wait for another push")
		if err != nil {
			return err
		}
		defer unlock()
		return fn()
	})
}
