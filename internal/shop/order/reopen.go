package order

import (
	"context"
	"fmt"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/store"
)

// maxMoreEvents limits the MoreEvents of an order, and with them how often it can be returned.
const maxMoreEvents = 100

// Returns has the use-cases by which operators return orders to earlier states.
type Returns struct{ Orders *Service }

// Unconfirm undoes Confirm: it returns a confirmed order to state Submitted. What is reserved stays reserved. It emits
// order.updated. It has the parameters and errors of Confirm; a precondition of the version that Confirm returned makes
// sure that nothing else has happened to the order.
func (r Returns) Unconfirm(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, pre fault.Precondition, imageBaseURL string,
) (_ Order, err error) {
	defer fault.AddContext(&err, "undo the confirmation of order %s", orderID)
	o, err := r.lockToReturn(ctx, tx, orderID, pre, Submitted)
	if err != nil {
		return Order{}, err
	}

	from := o.State
	o.leave(Confirmed)
	if err := r.saveReturn(ctx, tx, shop, &o, Submitted, nil, imageBaseURL); err != nil {
		return Order{}, err
	}
	return o, audit.Record(ctx, tx, o.entry(audit.OrderUnconfirmed, from))
}

// Reopen returns a cancelled or completed order to state Confirmed and emits order.updated. The goods of a cancelled
// order are reserved again; if there is not enough of them, Reopen returns fault.Conflict, whose fields name the items
// as items[n]. The goods of a completed order are put back into the stocks that they were taken off, and stay reserved
// there; those of an order that was completed before this was recorded, and goods whose stock is not kept any more, are
// left out. Accounting that has taken the order takes it again. Reopen has the parameters and the other errors of
// Confirm.
//
// Lock order: the order's row, the products by key, as for all changes of an order's state.
func (r Returns) Reopen(
	ctx context.Context, tx store.Tx, shop store.Store, orderID ID, pre fault.Precondition, imageBaseURL string,
) (_ Order, err error) {
	defer fault.AddContext(&err, "reopen order %s", orderID)
	o, err := r.lockToReturn(ctx, tx, orderID, pre, Confirmed)
	if err != nil {
		return Order{}, err
	}

	from := o.State
	var products []int64
	if from == Completed {
		products, err = r.restoreWithdrawals(ctx, tx, &o)
	} else {
		products, err = r.reserveAgain(ctx, tx, &o)
	}
	if err != nil {
		return Order{}, err
	}

	if o.taken != nil {
		if err := r.forgetTaken(ctx, tx, &o); err != nil {
			return Order{}, err
		}
	}

	o.leave(from)
	if err := r.saveReturn(ctx, tx, shop, &o, Confirmed, products, imageBaseURL); err != nil {
		return Order{}, err
	}
	return o, audit.Record(ctx, tx, o.entry(audit.OrderReopened, from))
}

// lockToReturn locks an order that an operator may return to a state, and reads its items.
func (r Returns) lockToReturn(
	ctx context.Context, tx store.Tx, orderID ID, pre fault.Precondition, to State,
) (Order, error) {
	o, err := r.Orders.authorizedOrder(ctx, tx, orderID, Caller{AllOrders: true}, tx.Dialect().ForUpdate)
	if err != nil {
		return Order{}, err
	}
	if err := pre.Check(o.Version); err != nil {
		return Order{}, err
	}
	if err := o.State.checkReturn(to); err != nil {
		return Order{}, err
	}
	if len(o.MoreEvents) >= maxMoreEvents {
		return Order{}, fault.New(fault.Conflict, "returned_too_often",
			"This order was returned to an earlier state too often; nothing was changed.")
	}

	o.Items, err = selectItems(ctx, tx, o.Key)
	return o, err
}

// leave clears the time of a state that the order leaves by a return. The id of its event moves to MoreEvents, since
// the event still has the data of the order.
func (o *Order) leave(state State) {
	switch state {
	case Confirmed:
		o.ConfirmedAt = nil
	case Completed:
		o.CompletedAt = nil
	case Cancelled:
		o.CancelledAt = nil
	case Draft, Submitted:
	}
	if eventID, ok := o.Events[state]; ok {
		delete(o.Events, state)
		o.MoreEvents = append(o.MoreEvents, eventID)
	}
}

// saveReturn is like saveTransition, for a return to an earlier state.
func (r Returns) saveReturn(
	ctx context.Context, tx store.Tx, shop store.Store, o *Order, to State, products []int64, imageBaseURL string,
) error {
	orders := []Order{*o}
	if err := fillLinks(ctx, tx, orders); err != nil {
		return err
	}

	*o = orders[0]
	r.Orders.raiseVersion(o)
	c := stateChange{from: o.State, eventID: id.New[event.Event](), eventType: event.OrderUpdated, products: products,
		imageBaseURL: imageBaseURL}
	o.State = to
	if to == Confirmed && o.ConfirmedAt == nil { // it was cancelled before anybody confirmed it
		o.ConfirmedAt = new(o.UpdatedAt)
	}
	o.MoreEvents = append(o.MoreEvents, c.eventID)

	return c.save(ctx, tx, r.Orders, shop, o)
}

// reserveAgain reserves the goods of a cancelled order. It returns the keys of the products that it changed.
func (r Returns) reserveAgain(ctx context.Context, tx store.Tx, o *Order) (products []int64, err error) {
	reservation, err := r.Orders.Catalog.Stocks.Reserve(ctx, tx, reservationRequests(o.Items))
	if err != nil {
		return nil, err
	}
	if fields := lacking(o, &reservation); fields != nil {
		f := fault.New(fault.Conflict, "out_of_stock",
			"There is not enough of some of the items any more; the order was not reopened.")
		f.Fields = fields
		return nil, f
	}

	for i := range o.Items { // the variant may have been deleted and made again
		o.Items[i].variantKey = reservation.Offers[i].Key
	}
	return reservation.Products, insertReservations(ctx, tx, o.Items, reservation.Parts)
}

// lacking returns the items that cannot be reserved, each with how much of it is left.
func lacking(o *Order, r *catalog.Reservation) (fields []fault.Field) {
	for i := range o.Items {
		path := fmt.Sprintf("items[%d]", i)

		switch {
		case r.Offers[i] == nil:
			fields = append(fields, fault.NewField(path, "unknown_variant", "Not in the shop any more: “%s”.",
				o.Items[i].Name))
		case r.Short[i] && r.Left[i] == 0:
			field := fault.NewField(path, "out_of_stock", "None left of “%s”.", o.Items[i].Name)
			field.Available = "0"
			fields = append(fields, field)
		case r.Short[i]:
			left := string(decimalOf(r.Left[i]))
			field := fault.NewField(path, "out_of_stock", "Only %s left of “%s”.", left, o.Items[i].Name)
			field.Available = left
			fields = append(fields, field)
		}
	}
	return fields
}

// restoreWithdrawals puts the goods of a completed order back into the stocks and reserves them there. It returns the
// keys of the products that it changed.
func (r Returns) restoreWithdrawals(ctx context.Context, tx store.Tx, o *Order) (products []int64, err error) {
	withdrawn, err := removeWithdrawals(ctx, tx, o.Key)
	if err != nil {
		return nil, err
	}

	parts := make([]catalog.Reserved, len(withdrawn))
	for i, w := range withdrawn {
		parts[i] = w.Reserved
	}
	present, products, err := r.Orders.Catalog.Stocks.Restore(ctx, tx, parts)
	if err != nil {
		return nil, err
	}

	return products, insertRestored(ctx, tx, withdrawn, present)
}

// forgetTaken makes an order that accounting has taken one that it has not, as if it were new.
func (r Returns) forgetTaken(ctx context.Context, tx store.Tx, o *Order) error {
	variants := make([]catalog.Reserved, len(o.Items))
	for i := range o.Items {
		variants[i] = catalog.Reserved{Variant: o.Items[i].variantKey}
	}
	o.taken = nil
	if err := clearTaken(ctx, tx, o.Key); err != nil {
		return err
	}
	return r.Orders.Catalog.Stocks.ForgetPushedQuantities(ctx, tx, variants)
}
