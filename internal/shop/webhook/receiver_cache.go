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
	Deps
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

// find returns a receiver of a store, or fault.NotFound. It uses a cached receiver only if that is enabled. Otherwise
// it loads the receivers again, because another node may have created or enabled the receiver and sent it an event
// within receiverCacheTTL.
func (c *receiverCache) find(ctx context.Context, storeID store.ID, receiver string) (*signedReceiver, error) {
	cached, err := c.cachedOrLoaded(ctx, storeID)
	if err != nil {
		return nil, err
	}
	if r := cached.receivers[receiver]; r != nil && r.Enabled {
		return r, nil
	}
	return c.reload(ctx, storeID, receiver)
}

// reload returns a receiver of a store from the database, or fault.NotFound.
func (c *receiverCache) reload(ctx context.Context, storeID store.ID, receiver string) (*signedReceiver, error) {
	loaded, err := c.load(ctx, storeID)
	if err != nil {
		return nil, err
	}
	r := loaded.receivers[receiver]
	if r == nil {
		return nil, fault.Missing("receiver")
	}
	return r, nil
}

// cachedOrLoaded returns the cached receivers of a store, or loads them if they are too old.
func (c *receiverCache) cachedOrLoaded(ctx context.Context, storeID store.ID) (cachedReceivers, error) {
	c.mu.Lock()
	cached := c.stores[storeID]
	c.mu.Unlock()
	if c.Now().Sub(cached.loadedAt) < receiverCacheTTL {
		return cached, nil
	}
	return shareLoad(ctx, &c.loads, storeID, func(ctx context.Context) (cachedReceivers, error) {
		return c.load(ctx, storeID)
	})
}

// load loads the receivers of a store. It caches them unless receivers were changed on this node during the load.
func (c *receiverCache) load(ctx context.Context, storeID store.ID) (cachedReceivers, error) {
	now := c.Now()
	c.mu.Lock()
	changes := c.changes
	c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()

	loaded := cachedReceivers{loadedAt: now, receivers: map[string]*signedReceiver{}}
	list, err := database.Read(ctx, c.DB, func(q database.Querier) ([]Receiver, error) {
		return selectReceivers(ctx, store.In(q, storeID))
	})
	if err != nil {
		return cachedReceivers{}, err
	}

	for _, r := range list {
		keys, err := r.signingKeys(c.Vault, now)
		if err != nil {
			return cachedReceivers{}, err
		}
		loaded.receivers[r.ID.String()] = &signedReceiver{r, keys}
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	if c.changes == changes {
		c.stores[storeID] = loaded
	}

	return loaded, nil
}

// forgetAfterCommit removes the receivers of a store from the cache once the transaction is committed.
func (c *receiverCache) forgetAfterCommit(tx store.Tx) {
	tx.Unscoped().AfterCommit(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changes++
		delete(c.stores, tx.StoreID())
	})
}
