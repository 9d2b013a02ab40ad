package order

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// Update changes a submitted order, and emits order.updated unless only the note changes. An update that changes
// nothing does nothing. Reservations and totals follow the lines. It returns the order after the change, or
// fault.NotFound, fault.Stale, fault.Conflict if the state of the order does not allow it or too little of a line is
// available, or fault.Invalid; after an error the transaction must be rolled back. imageBaseURL has the same meaning as
// in Submit.
//
// Lock order: the store's rows of popularity_progress and order_word_progress, the order, the products by key.
func (s *Service) Update(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, u Update, pre fault.Precondition,
	imageBaseURL string,
) (_ Order, err error) {
	defer fault.AddContext(&err, "update order %s", orderID)

	if u, err = u.checked(); err != nil {
		return Order{}, err
	}
	locked, err := lockCounters(ctx, tx, &u, s.Now().Add(-popularityPeriod))
	if err != nil {
		return Order{}, err
	}
	o, err := s.authorizedOrder(ctx, tx, orderID, Caller{AllOrders: true}, tx.Dialect().ForUpdate)
	if err != nil {
		return Order{}, err
	}
	if err := pre.Check(o.Version); err != nil {
		return Order{}, err
	}
	if err := o.State.checkSubmitted(); err != nil {
		return Order{}, err
	}

	if u.edits() {
		if err := o.State.checkOpen(); err != nil {
			return Order{}, err
		}
	}
	if o.Items, err = selectItems(ctx, tx, o.Key); err != nil {
		return Order{}, err
	}

	change := updateChange{counters: locked, before: o}
	u.apply(&o)
	if len(u.Lines) > 0 {
		if change.products, err = (lineChanger{s.Catalog}).changeLines(ctx, tx, shop, &o, u.Lines); err != nil {
			return Order{}, err
		}
	}
	err = updateSaver{s, change}.save(ctx, tx, shop, &o, imageBaseURL)
	return o, err
}

// counters are what is locked before an order whose words or lines change.
type counters struct {
	// popular are the orders that the popularity counts. indexed is the number of the last order whose words are in
	// search_words.
	popular countedOrders
	indexed int64
}

// lockCounters locks what an update needs. The popularity counts orders since the given time.
func lockCounters(ctx context.Context, tx store.Tx, u *Update, since time.Time) (c counters, err error) {
	if !u.edits() && u.Note == nil && u.Tags == nil {
		return c, nil // neither words nor lines change
	}
	if len(u.Lines) > 0 {
		if c.popular, err = lockCountedOrders(ctx, tx, since); err != nil {
			return c, err
		}
	}
	c.indexed, err = lockProgress(ctx, tx)
	return c, err
}

// updateChange is what updateSaver needs besides the order: the order before, and the products whose stock changed.
type updateChange struct {
	counters
	before   Order
	products []int64
}

// updateSaver saves an update.
type updateSaver struct {
	*Service
	updateChange
}

// save writes a submitted order, emits the event, and records both in the log. It must be the last call of the
// use case, as saveTransition.
func (s updateSaver) save(
	ctx context.Context, tx store.Tx, shop store.Store, o *Order, imageBaseURL string,
) error {
	c := &s.updateChange
	before := &c.before
	noted := o.noteChange(before)
	changes := o.changesSince(before)
	if noted == nil && changes == nil {
		return nil
	}

	if err := fillLinksOf(ctx, tx, o); err != nil {
		return err
	}

	if o.GuestKey != nil && (o.Contact.Email != before.Contact.Email || o.Contact.Phone != before.Contact.Phone) {
		if err := releaseGuest(ctx, tx, before); err != nil {
			return err
		}
		o.GuestKey = nil
	}

	s.raiseVersion(o)
	if err := c.saveWords(ctx, tx, o); err != nil {
		return err
	}
	if err := updateOrder(ctx, tx, o); err != nil {
		return err
	}
	if err := updateHandling(ctx, tx, o); err != nil {
		return err
	}
	if !sameTags(o.Tags, before.Tags) {
		if err := replaceTags(ctx, tx, o); err != nil {
			return err
		}
	}

	if changes != nil {
		eventID := id.New[event.Event]()
		if err := insertUpdate(ctx, tx, o, eventID); err != nil {
			return err
		}
		if err := s.emit(ctx, tx, shop, o, eventID, event.OrderUpdated, imageBaseURL); err != nil {
			return err
		}
	}

	if err := c.saveCounts(ctx, tx, o); err != nil {
		return err
	}
	if err := s.Catalog.Stocks.RecordPriceChanges(ctx, tx, c.products...); err != nil {
		return err
	}

	if noted != nil {
		entry := audit.Entry{Action: audit.OrderNoted, Object: o.auditObject(), Changes: noted}
		if err := audit.Record(ctx, tx, entry); err != nil {
			return err
		}
	}

	if changes == nil {
		return nil
	}
	return audit.Record(ctx, tx, audit.Entry{Action: audit.OrderUpdated, Object: o.auditObject(), Changes: changes})
}

// saveWords replaces the words of the order in search_words, if it has them.
func (c *updateChange) saveWords(ctx context.Context, tx store.Tx, o *Order) error {
	text := o.searchText()
	if *o.Number > c.indexed || text == c.before.searchText() {
		return nil
	}
	stored, err := selectWords(ctx, tx, o.Key)
	if err != nil {
		return err
	}
	changes := store.NewWordChanges(store.SearchedOrders)
	changes.Set(o.Key, stored+c.before.searchText(), "")
	changes.Set(o.Key, "", text)
	return changes.Save(ctx, tx)
}

// saveCounts brings the totals and the popularity of products up to date with the items of the order. It comes after
// the event, as in saveTransition.
func (c *updateChange) saveCounts(ctx context.Context, tx store.Tx, o *Order) error {
	if o.Total != c.before.Total {
		if err := changeTotals(ctx, tx, o, c.before.Total); err != nil {
			return err
		}
	}
	if c.popular.first > *o.Number || c.popular.last < *o.Number {
		return nil // it will be counted as it is then, or is not counted any more
	}
	return changePopularityOfItems(ctx, tx, c.before.Items, o.Items)
}

// auditObject returns the submitted order as an object of the log.
func (o *Order) auditObject() audit.Object {
	return audit.Object{Kind: "order", ID: o.ID.String(), Label: fmt.Sprintf("№ %d", *o.Number)}
}

// UpdateEvent is an event that announced a change of a submitted order.
type UpdateEvent struct {
	ID event.ID
	At time.Time
}

// UpdateEvents returns the last events that announced changes of a submitted order, besides those of its states, up to
// limit, the oldest first.
func UpdateEvents(
	ctx context.Context, tx store.Tx, orderKey int64, limit int,
) (list []UpdateEvent, err error) {
	defer fault.AddContext(&err, "read the events of an order of store %s", tx.StoreID())
	list, err = selectUpdates(ctx, tx, orderKey, limit)
	slices.Reverse(list)
	return list, err
}
