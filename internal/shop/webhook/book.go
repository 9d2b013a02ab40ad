package webhook

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// bookFresh is how long what is known of receivers is believed: a write on another node counts after that at the latest.
const bookFresh = time.Second

// bookTime bounds the reading.
const bookTime = 10 * time.Second

// book knows the receivers that are sent to, so that they are not read for every request. It is safe for concurrent use.
type book struct {
	mu      sync.Mutex
	stores  map[store.ID]page
	reading singleflight.Group
	// changes counts the writes on this node: what was read before one of them is not kept.
	changes int64
}

// page is what is known of the receivers of a store, by their ids as text.
type page struct {
	receivers map[string]*addressee
	readAt    time.Time
}

// addressee is a receiver with what its requests are signed by.
type addressee struct {
	Receiver
	keys [][]byte
}

// addressee returns a receiver of a store, or nil if there is none. That nothing is to be sent is not believed of what was read before: whoever
// makes or enables a receiver on another node may have an event for it within the same second.
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

// knownPage returns what is known of the receivers of a store, or reads it if that is too old.
func (s *Service) knownPage(ctx context.Context, storeID store.ID) (page, error) {
	s.book.mu.Lock()
	known := s.book.stores[storeID]
	s.book.mu.Unlock()
	if s.Now().Sub(known.readAt) < bookFresh {
		return known, nil
	}
	// Of those who send at the same time one reads for all, and not only for as long as it has time itself.
	read, err, _ := s.book.reading.Do(storeID.String(), func() (any, error) {
		return s.readPage(context.WithoutCancel(ctx), storeID)
	})
	if err != nil {
		return page{}, err
	}
	return read.(page), nil
}

// readPage reads the receivers of a store, and keeps them if none was changed on this node meanwhile.
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

// receiversChanged has the receivers of a store read anew once the transaction is committed.
func (s *Service) receiversChanged(tx store.Tx) {
	tx.Unscoped().AfterCommit(func() {
		s.book.mu.Lock()
		defer s.book.mu.Unlock()
		s.book.changes++
		delete(s.book.stores, tx.StoreID())
	})
}
