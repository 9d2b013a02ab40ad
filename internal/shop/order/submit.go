package order

import (
	"cmp"
	"context"
	"fmt"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// Submit changes a draft to state Submitted: it applies the edit except its Items, reserves stock, freezes the items,
// assigns the order number and emits order.submitted. A guest's draft is assigned to the caller, if the caller is a
// customer. Submit returns fault.NotFound, or fault.Conflict if the order is not a draft, has no items, or has items
// that cannot be sold; the fields of the fault then name these items as items[n]. After an error the transaction must
// be rolled back.
//
// imageBaseURL is the base URL of the images in the event, unless there is a PublicURL: the URL at which the client of
// the request reaches the server. If it is empty, the event has no images.
//
// Lock order: the order's row, the products by key, the store's row of order_numbers, its event sequence, its totals of
// the quarter of an hour, its product version. All submissions of the store share the last four rows, which stay locked
// until the commit; so these come last.
func (s *Service) Submit(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, e Edit, caller Caller, imageBaseURL string,
) (_ Order, err error) {
	defer fault.AddContext(&err, "submit order %s", orderID)
	sub := submission{caller: caller, imageBaseURL: imageBaseURL,
		update: Update{Contact: e.Contact, Delivery: e.Delivery, Comment: e.Comment}}
	return submitter{s, sub}.submit(ctx, tx, shop, orderID)
}

// submission is what a submission needs besides the draft.
type submission struct {
	caller       Caller
	imageBaseURL string
	// update has no lines.
	update Update
	// agreed are the prices that the shop has agreed on, by item.
	agreed map[ItemID]money.Price
}

// submitter submits a draft.
type submitter struct {
	*Service
	submission
}

// submit is Service.Submit.
func (s submitter) submit(ctx context.Context, tx store.Tx, shop store.Store, orderID ID) (Order, error) {
	o, err := s.authorizedOrder(ctx, tx, orderID, s.caller, tx.Dialect().ForUpdate)
	if err != nil {
		return Order{}, err
	}
	if err := o.State.CheckTransition(Submitted); err != nil {
		return Order{}, err
	}

	if o.Items, err = selectItems(ctx, tx, o.Key); err != nil {
		return Order{}, err
	}
	if len(o.Items) == 0 {
		return Order{}, fault.New(fault.Conflict, "order_empty",
			"There is nothing in this order. Put something into it before it is submitted.")
	}

	for i := range o.Items {
		o.Items[i].agreed = s.agreed[o.Items[i].ID]
	}
	r, err := s.Catalog.Stocks.Reserve(ctx, tx, reservationRequests(o.Items))
	if err != nil {
		return Order{}, err
	}
	prices, err := readItemPrices(ctx, tx, o.prices, variantKeysOfItems(o.Items))
	if err != nil {
		return Order{}, err
	}
	choices, err := modifierReader{s.Catalog.Products}.chooseForItems(ctx, tx, o.Items, r.Offers)
	if err != nil {
		return Order{}, err
	}
	changed, err := freezeItems(&o, &r, prices, choices)
	if err != nil {
		return Order{}, err
	}

	s.update.apply(&o)
	o.Currency = shop.Currency
	s.caller.claim(&o)

	if err := updateItems(ctx, tx, changed); err != nil {
		return Order{}, err
	}
	if err := insertReservations(ctx, tx, o.Items, r.Parts); err != nil {
		return Order{}, err
	}

	if s.update.handles() {
		if err := updateHandling(ctx, tx, &o); err != nil {
			return Order{}, err
		}
	}
	if err := s.saveTransition(ctx, tx, shop, &o, Submitted, r.Products, s.imageBaseURL); err != nil {
		return Order{}, err
	}
	tx.Unscoped().AfterCommit(func() { s.Searches.Order(shop, productsOfItems(o.Items)) })

	return o, nil
}

func productsOfItems(items []Item) []catalog.ProductID {
	products := make([]catalog.ProductID, len(items))
	for i := range items {
		products[i] = items[i].ProductID
	}
	return products
}

// Confirm changes a submitted order to state Confirmed: the shop accepts it. It emits order.confirmed. It returns
// fault.NotFound, fault.Stale, or fault.Conflict if the order is in another state. imageBaseURL has the same meaning as
// in Submit.
func (s *Service) Confirm(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, pre fault.Precondition, imageBaseURL string,
) (_ Order, err error) {
	defer fault.AddContext(&err, "confirm order %s", orderID)
	return s.transition(ctx, tx, shop, orderID, pre, Confirmed, nil, imageBaseURL)
}

// Complete changes a confirmed order to state Completed and subtracts its reserved quantities from the stocks. It emits
// order.completed. It has the parameters and errors of Confirm.
func (s *Service) Complete(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, pre fault.Precondition, imageBaseURL string,
) (_ Order, err error) {
	defer fault.AddContext(&err, "complete order %s", orderID)
	return s.transition(ctx, tx, shop, orderID, pre, Completed, s.Catalog.Stocks.Withdraw, imageBaseURL)
}

// Cancel changes a submitted or confirmed order to state Cancelled and releases its reserved quantities. It emits
// order.cancelled. It has the parameters and errors of Confirm.
func (s *Service) Cancel(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, pre fault.Precondition, imageBaseURL string,
) (_ Order, err error) {
	defer fault.AddContext(&err, "cancel order %s", orderID)
	return s.transition(ctx, tx, shop, orderID, pre, Cancelled, s.Catalog.Stocks.Release, imageBaseURL)
}

// transition changes the state of a submitted or confirmed order. If updateStock is not nil, transition deletes the
// order's reservations and passes them to updateStock, which updates the remainders and returns the keys of the
// products that it changed.
func (s *Service) transition(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, pre fault.Precondition, to State,
	updateStock func(context.Context, store.Tx, []catalog.Reserved) ([]int64, error), imageBaseURL string,
) (Order, error) {
	o, err := s.authorizedOrder(ctx, tx, orderID, Caller{AllOrders: true}, tx.Dialect().ForUpdate)
	if err != nil {
		return Order{}, err
	}
	if err := pre.Check(o.Version); err != nil {
		return Order{}, err
	}
	if err := o.State.CheckTransition(to); err != nil {
		return Order{}, err
	}

	if o.Items, err = selectItems(ctx, tx, o.Key); err != nil {
		return Order{}, err
	}

	if to == Completed { // for Reopen
		if err := keepWithdrawals(ctx, tx, o.Key); err != nil {
			return Order{}, err
		}
	}

	var products []int64
	if updateStock != nil {
		reserved, err := removeReservations(ctx, tx, o.Key)
		if err != nil {
			return Order{}, err
		}
		if products, err = updateStock(ctx, tx, reserved); err != nil {
			return Order{}, err
		}

		if o.taken != nil {
			if err := s.Catalog.Stocks.ForgetPushedQuantities(ctx, tx, reserved); err != nil {
				return Order{}, err
			}
		}
	}

	from := o.State
	if err := s.saveTransition(ctx, tx, shop, &o, to, products, imageBaseURL); err != nil {
		return Order{}, err
	}

	return o, audit.Record(ctx, tx, o.stateEntry(from))
}

// stateEntry returns what the log says about a change of the state.
func (o *Order) stateEntry(from State) audit.Entry { return o.entry(o.State.Action(), from) }

// entry returns what the log says about an action that changed the state.
func (o *Order) entry(action audit.Action, from State) audit.Entry {
	return audit.Entry{
		Action:  action,
		Object:  o.auditObject(),
		Changes: []audit.Change{{Field: "state", From: string(from), To: string(o.State)}},
	}
}

// Action returns the action of the log by which an order gets the state, or "" if the log does not have it.
func (s State) Action() audit.Action {
	switch s {
	case Confirmed:
		return audit.OrderConfirmed
	case Completed:
		return audit.OrderCompleted
	case Cancelled:
		return audit.OrderCancelled
	case Draft, Submitted:
	}
	return ""
}

// saveTransition writes the order in its new state, with a number if it is submitted, emits the event, and records the
// stock change of the products with the given keys. It must be the last call of the use case, because it takes locks
// that all submissions of the store share.
func (s *Service) saveTransition(
	ctx context.Context, tx store.Tx, shop store.Store, o *Order, to State, products []int64,
	imageBaseURL string,
) error {
	if err := fillLinksOf(ctx, tx, o); err != nil {
		return err
	}

	eventID := id.New[event.Event]()
	if s.Announce != nil {
		if err := s.Announce(ctx, tx, Transition{OrderID: o.ID, To: to, EventID: eventID}); err != nil {
			return err
		}
	}

	if to == Submitted {
		number, err := nextOrderNumber(ctx, tx)
		if err != nil {
			return err
		}
		o.Number = &number
	}

	s.raiseVersion(o)
	c := stateChange{from: o.State, eventID: eventID, products: products, imageBaseURL: imageBaseURL}
	o.State = to
	c.eventType = o.setStateTime(to)
	o.setEvent(to, &eventID)

	return c.save(ctx, tx, s, shop, o)
}

// stateChange is what a change of an order's state writes besides the order.
type stateChange struct {
	from      State
	eventID   event.ID
	eventType string
	// products are the keys of the products whose stock changed.
	products     []int64
	imageBaseURL string
}

// save writes the order in its new state, emits the event, and changes the totals. It must be the last call of the use
// case, as saveTransition.
func (c stateChange) save(ctx context.Context, tx store.Tx, s *Service, shop store.Store, o *Order) error {
	if err := updateOrder(ctx, tx, o); err != nil {
		return err
	}

	if err := s.emit(ctx, tx, shop, o, c.eventID, c.eventType, c.imageBaseURL); err != nil {
		return err
	}

	// After Emit, whose lock keeps the transactions of the store from locking rows of the totals in different orders.
	if err := addTotals(ctx, tx, o, c.from); err != nil {
		return err
	}

	return s.Catalog.Stocks.RecordPriceChanges(ctx, tx, c.products...)
}

// emit emits an event with the order, which must have its items.
func (d *Deps) emit(
	ctx context.Context, tx store.Tx, shop store.Store, o *Order, eventID event.ID, eventType, imageBaseURL string,
) error {
	o.ImageBaseURL = cmp.Or(d.PublicURL, imageBaseURL)
	o.ForShop = true
	dates := locale.NewDates(shop.Language(), shop.Zone(), d.Now())
	return d.Events.EmitAs(ctx, tx, eventID, eventType, o.AppendJSON(nil, dates))
}

// setStateTime sets the time at which the order reached the state to UpdatedAt, and returns the type of the event.
func (o *Order) setStateTime(state State) (eventType string) {
	now := new(o.UpdatedAt)
	switch state {
	case Submitted:
		o.SubmittedAt = now
		eventType = event.OrderSubmitted
	case Confirmed:
		o.ConfirmedAt = now
		eventType = event.OrderConfirmed
	case Completed:
		o.CompletedAt = now
		eventType = event.OrderCompleted
	case Cancelled:
		o.CancelledAt = now
		eventType = event.OrderCancelled
	case Draft:
	}

	return eventType
}

// setEvent records the event that announced a state. eventID is nil if there is none.
func (o *Order) setEvent(state State, eventID *event.ID) {
	if eventID == nil {
		return
	}
	if o.Events == nil {
		o.Events = map[State]event.ID{}
	}
	o.Events[state] = *eventID
}

// event returns the id of the event that announced a state, or nil.
func (o *Order) event(state State) *event.ID {
	eventID, ok := o.Events[state]
	if !ok {
		return nil
	}
	return &eventID
}

func reservationRequests(items []Item) []catalog.Wanted {
	list := make([]catalog.Wanted, len(items))
	for i := range items {
		list[i] = catalog.Wanted{Variant: items[i].VariantID, Quantity: items[i].Quantity}
	}
	return list
}

// freezeItems copies the offers of the reservation into the items of o, with the prices for their quantities and what
// was chosen, sets its total, and returns the items whose row changed. It returns fault.Conflict with a field for each
// item that cannot be sold, or if the total is too large.
func freezeItems(
	o *Order, r *catalog.Reservation, prices itemPrices, choices []choosing,
) (changed []Item, err error) {
	code := "out_of_stock"
	message := "There is not enough of some of the items any more; nothing was submitted."
	var fields []fault.Field
	for i := range o.Items {
		fieldPath := fmt.Sprintf("items[%d]", i)
		offer := r.Offers[i]
		frozen := o.Items[i]
		var problems []modifier.Problem
		if offer != nil {
			frozen.setOffer(offer)
			prices.apply(&frozen)
			problems = frozen.follow(&choices[i])
			frozen.agree()
		}

		switch {
		case offer == nil:
			code = "unavailable"
			message = "Some of the items are not sold any more; nothing was submitted. Take them out of the order."
			fields = append(fields, fault.NewField(fieldPath, "unknown_variant", "This is not in the shop any more."))
		case !frozen.Price.IsSet():
			if code != "unavailable" {
				code = "not_for_sale"
				message = "Some of the items are not for sale at present; nothing was submitted. Take them out of " +
					"the order."
			}
			fields = append(fields, fault.NewField(fieldPath, "not_for_sale", "This is not for sale: it has no price."))

		case problems != nil:
			if code == "out_of_stock" {
				code = "modifiers_unavailable"
				message = "Some of the chosen modifiers are not possible any more; nothing was submitted. Choose anew."
			}
			for _, p := range problems {
				fields = append(fields, p.At(fieldPath+".modifiers"))
			}

		case r.Short[i]:
			left := string(decimalOf(r.Left[i]))
			field := fault.NewField(fieldPath, "out_of_stock", "Only %s left.", left)
			if r.Left[i] == 0 {
				field.Message = "None left."
			}
			field.Available = left
			fields = append(fields, field)
		default:
			if frozen != o.Items[i] {
				changed = append(changed, frozen)
			}
			o.Items[i] = frozen
		}
	}

	if fields != nil {
		f := fault.New(fault.Conflict, code, "%s", message)
		f.Fields = fields
		return nil, f
	}

	total, fits := sumItems(o.Items)
	if !fits {
		return nil, fault.New(fault.Conflict, "too_expensive",
			"The total of the order would be more than the largest amount of money, "+
				"which has 12 digits before the point.")
	}

	o.Total = total
	return changed, nil
}
