package order

import (
	"context"
	"sync"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/store"
)

const (
	// recountInterval is how long the number of a store's drafts is estimated before it is counted again.
	recountInterval = time.Minute
	// emptyEvictionAge and filledEvictionAge are the times since the last change after which a guest's draft may be
	// deleted to make room for another one: a visitor who is still shopping keeps the cart. At the limits of requests,
	// one address needs hours to create as many drafts as a store may have, so an attacker's own drafts reach this age.
	emptyEvictionAge  = 10 * time.Minute
	filledEvictionAge = time.Hour
	// emptyEvictionBatch and filledEvictionBatch are the maximum numbers of drafts that are deleted for a new one. A
	// draft has up to MaxItems items, which are deleted with it.
	emptyEvictionBatch  = 100
	filledEvictionBatch = 10
)

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

// admitDraft counts a new draft if the caller is a guest. If the store already has too many drafts of guests,
// admitDraft deletes some old ones, or returns fault.TooMany if all of them were changed recently. Without the
// deletion, one client could fill the store with drafts and so keep all other guests from ordering until the drafts
// expire.
func (s *Service) admitDraft(ctx context.Context, tx store.Tx, caller Caller) error {
	if s.MaxGuestDrafts == 0 || caller.AllOrders || caller.CustomerKey != 0 {
		return nil
	}

	now := s.Now()
	drafts, ok := s.guestDrafts.add(tx.StoreID(), now)
	if !ok {
		counted, err := countGuestDrafts(ctx, tx, s.MaxGuestDrafts+emptyEvictionBatch)
		if err != nil {
			return err
		}
		drafts = counted
		s.guestDrafts.set(tx.StoreID(), draftCount{counted + 1, now})
	}

	if drafts < s.MaxGuestDrafts {
		return nil
	}

	evicted, err := s.evictDrafts(ctx, tx, now)
	if err != nil {
		return err
	}

	if evicted == 0 {
		return fault.New(fault.TooMany, "too_many_carts",
			"The shop has too many carts of visitors at the moment. Sign in, or try again later.").
			After(recountInterval)
	}

	s.guestDrafts.subtract(tx.StoreID(), evicted)
	return nil
}

// evictDrafts deletes a batch of the store's drafts of guests, those with the oldest change first, and returns how
// many. It deletes drafts with items only if there are no empty ones that are old enough.
func (s *Service) evictDrafts(ctx context.Context, tx store.Tx, now time.Time) (evicted int, err error) {
	for _, kind := range []struct {
		empty bool
		age   time.Duration
		batch int
	}{{true, emptyEvictionAge, emptyEvictionBatch}, {false, filledEvictionAge, filledEvictionBatch}} {
		drafts, err := lockGuestDrafts(ctx, tx, kind.empty, now.Add(-kind.age), kind.batch)
		if err != nil {
			return 0, err
		}
		if len(drafts) > 0 {
			return len(drafts), deleteDrafts(ctx, tx.Unscoped(), drafts)
		}
	}
	return 0, nil
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

// subtract lowers the estimate for a store by the number of deleted drafts.
func (c *draftCounter) subtract(storeID store.ID, drafts int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	count := c.stores[storeID]
	c.stores[storeID] = draftCount{max(0, count.drafts-drafts), count.counted}
}

func (c *draftCounter) set(storeID store.ID, count draftCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stores == nil {
		c.stores = map[store.ID]draftCount{}
	}
	c.stores[storeID] = count
}
