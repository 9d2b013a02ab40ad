package order

import (
	"context"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

// recountInterval is how long the number of a store's drafts is estimated before it is counted again.
const recountInterval = time.Minute

// draftCounter estimates the number of guests' drafts per store: the last count and the drafts created since in this
// process. Counting for each new draft would be slow. The zero value is ready to use.
type draftCounter struct {
	mu     sync.Mutex
	stores map[store.ID]draftCount
}

type draftCount struct {
	drafts  int
	counted time.Time
}

// admitDraft returns fault.TooMany if the store has too many drafts of guests and the caller is one.
func (s *Service) admitDraft(ctx context.Context, tx store.Tx, caller Caller) error {
	if s.MaxGuestDrafts == 0 || caller.AllOrders || caller.CustomerKey != 0 {
		return nil
	}
	now := s.Now()
	drafts, ok := s.guestDrafts.add(tx.StoreID(), now)
	if !ok {
		counted, err := countGuestDrafts(ctx, tx, s.MaxGuestDrafts)
		if err != nil {
			return err
		}
		drafts = counted
		s.guestDrafts.set(tx.StoreID(), draftCount{counted + 1, now})
	}
	if drafts >= s.MaxGuestDrafts {
		return fault.New(fault.TooMany, "too_many_carts",
			"The shop has too many carts of visitors at the moment. Sign in, or try again later.").
			After(recountInterval)
	}
	return nil
}

// add returns the estimate for a store and adds a draft to it. It returns ok=false if the store must be counted again.
func (c *draftCounter) add(storeID store.ID, now time.Time) (drafts int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	count, known := c.stores[storeID]
	if !known || now.Sub(count.counted) >= recountInterval || now.Before(count.counted) {
		return 0, false
	}
	c.stores[storeID] = draftCount{count.drafts + 1, count.counted}
	return count.drafts, true
}

func (c *draftCounter) set(storeID store.ID, count draftCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stores == nil {
		c.stores = map[store.ID]draftCount{}
	}
	c.stores[storeID] = count
}
