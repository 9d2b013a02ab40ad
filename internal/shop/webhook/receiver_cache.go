package webhook

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// receiverCacheTTL is how long cached receivers are used. A change by another node takes effect within this time.
const receiverCacheTTL = time.Second

// loadTimeout is the timeout of loading receivers or events into their caches.
const loadTimeout = 10 * time.Second

// receiverCache caches the receivers of stores, so that an attempt does not query the database for them. It is safe for
// concurrent use.
type receiverCache struct {
	mu     sync.Mutex
	stores map[store.ID]cachedReceivers
	loads  singleflight.Group
	// changes counts the commits on this node that changed receivers. The result of a load that began before such a
	// commit is not cached.
	changes int64
}

// cachedReceivers holds the receivers of a store, by id.
type cachedReceivers struct {
	receivers map[string]*signedReceiver
	loadedAt  time.Time
}

// signedReceiver is a receiver with its signing keys.
type signedReceiver struct {
	Receiver
	keys [][]byte
}

// findReceiver returns a receiver of a store, or fault.NotFound. It uses a cached receiver only if that is enabled.
// Otherwise it loads the receivers again, because another node may have created or enabled the receiver and sent it an
// event within receiverCacheTTL.
func (s *Service) findReceiver(ctx context.Context, storeID store.ID, receiver string) (*signedReceiver, error) {
	cached, err := s.cachedOrLoadedReceivers(ctx, storeID)
	if err != nil {
		return nil, err
	}
	if r := cached.receivers[receiver]; r != nil && r.Enabled {
		return r, nil
	}
	return s.reloadReceiver(ctx, storeID, receiver)
}

// reloadReceiver returns a receiver of a store from the database, or fault.NotFound.
func (s *Service) reloadReceiver(ctx context.Context, storeID store.ID, receiver string) (*signedReceiver, error) {
	loaded, err := s.loadReceivers(ctx, storeID)
	if err != nil {
		return nil, err
	}
	r := loaded.receivers[receiver]
	if r == nil {
		return nil, fault.Missing("receiver")
	}
	return r, nil
}

// cachedOrLoadedReceivers returns the cached receivers of a store, or loads them if they are too old.
func (s *Service) cachedOrLoadedReceivers(ctx context.Context, storeID store.ID) (cachedReceivers, error) {
	s.receiverCache.mu.Lock()
	cached := s.receiverCache.stores[storeID]
	s.receiverCache.mu.Unlock()
	if s.Now().Sub(cached.loadedAt) < receiverCacheTTL {
		return cached, nil
	}
	return shareLoad(ctx, &s.receiverCache.loads, storeID, func(ctx context.Context) (cachedReceivers, error) {
		return s.loadReceivers(ctx, storeID)
	})
}

// loadReceivers loads the receivers of a store. It caches them unless receivers were changed on this node during the
// load.
func (s *Service) loadReceivers(ctx context.Context, storeID store.ID) (cachedReceivers, error) {
	now := s.Now()
	s.receiverCache.mu.Lock()
	changes := s.receiverCache.changes
	s.receiverCache.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()

	loaded := cachedReceivers{loadedAt: now, receivers: map[string]*signedReceiver{}}
	list, err := database.Read(ctx, s.DB, func(q database.Querier) ([]Receiver, error) {
		return selectReceivers(ctx, store.In(q, storeID))
	})
	if err != nil {
		return cachedReceivers{}, err
	}

	for _, r := range list {
		keys, err := s.signingKeys(&r, now)
		if err != nil {
			return cachedReceivers{}, err
		}
		loaded.receivers[r.ID.String()] = &signedReceiver{r, keys}
	}

	s.receiverCache.mu.Lock()
	defer s.receiverCache.mu.Unlock()

	if s.receiverCache.changes == changes {
		s.receiverCache.stores[storeID] = loaded
	}

	return loaded, nil
}

// receiversChanged removes the receivers of a store from the cache once the transaction is committed.
func (s *Service) receiversChanged(tx store.Tx) {
	tx.Unscoped().AfterCommit(func() {
		s.receiverCache.mu.Lock()
		defer s.receiverCache.mu.Unlock()
		s.receiverCache.changes++
		delete(s.receiverCache.stores, tx.StoreID())
	})
}
