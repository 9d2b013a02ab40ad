package webhook

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// bookFresh is how long cached receivers are used. A change on another node takes effect within this time.
const bookFresh = time.Second

// bookTime is the timeout of loading receivers.
const bookTime = 10 * time.Second

// book caches the receivers of stores, so that an attempt does not query the database for them. It is safe for
// concurrent use.
type book struct {
	mu      sync.Mutex
	stores  map[store.ID]page
	reading singleflight.Group
	// changes counts the commits on this node that changed receivers. What was loaded before such a commit is not
	// cached.
	changes int64
}

// page holds the receivers of a store, by id.
type page struct {
	receivers map[string]*addressee
	readAt    time.Time
}

// addressee is a receiver with its signing keys.
type addressee struct {
	Receiver
	keys [][]byte
}

// addressee returns a receiver of a store, or nil if there is none. A cached receiver counts only if it is enabled;
// otherwise the receivers are loaded again, because another node may have created or enabled the receiver and sent it
// an event within bookFresh.
func (s *Service) addressee(ctx context.Context, storeID store.ID, receiver string) (*addressee, error) {
	known, err := s.knownPage(ctx, storeID)
	if err != nil {
		return nil, err
	}
	if to := known.receivers[receiver]; to != nil && to.Enabled {
		return to, nil
	}
	read, err := s.readPage(ctx, storeID)
	return read.receivers[receiver], err
}

// knownPage returns the cached receivers of a store, or loads them if they are too old.
func (s *Service) knownPage(ctx context.Context, storeID store.ID) (page, error) {
	s.book.mu.Lock()
	known := s.book.stores[storeID]
	s.book.mu.Unlock()
	if s.Now().Sub(known.readAt) < bookFresh {
		return known, nil
	}
	// Concurrent attempts share one load. Its context outlives the attempt that started it, because the others depend
	// on it.
	read, err, _ := s.book.reading.Do(storeID.String(), func() (any, error) {
		return s.readPage(context.WithoutCancel(ctx), storeID)
	})
	if err != nil {
		return page{}, err
	}
	return read.(page), nil
}

// readPage loads the receivers of a store. It caches them unless receivers were changed on this node during the load.
func (s *Service) readPage(ctx context.Context, storeID store.ID) (page, error) {
	now := s.Now()
	s.book.mu.Lock()
	changes := s.book.changes
	s.book.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, bookTime)
	defer cancel()
	read := page{readAt: now, receivers: map[string]*addressee{}}
	err := s.DB.Read(ctx, func(q database.Querier) error {
		list, err := s.receiversOf(ctx, store.In(q, storeID))
		if err != nil {
			return err
		}
		for _, r := range list {
			keys, err := s.signingKeys(&r, now)
			if err != nil {
				return err
			}
			read.receivers[r.ID.String()] = &addressee{r, keys}
		}
		return nil
	})
	if err != nil {
		return page{}, err
	}
	s.book.mu.Lock()
	defer s.book.mu.Unlock()
	if s.book.changes == changes {
		s.book.stores[storeID] = read
	}
	return read, nil
}

// receiversChanged removes the receivers of a store from the cache once the transaction is committed.
func (s *Service) receiversChanged(tx store.Tx) {
	tx.Unscoped().AfterCommit(func() {
		s.book.mu.Lock()
		defer s.book.mu.Unlock()
		s.book.changes++
		delete(s.book.stores, tx.StoreID())
	})
}
