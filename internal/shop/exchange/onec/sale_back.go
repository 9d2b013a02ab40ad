package onec

import (
	"context"
	"errors"
	"io"
	"math/big"
	"strconv"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// maxSaleLines limits the lines about orders that could not be changed, which 1C shows.
	maxSaleLines = 20
	// maxDocumentID limits the id of a document of 1C that is kept, in bytes. CommerceML allows 40 characters.
	maxDocumentID = 80
	// maxTracking limits the number of a parcel and its carrier, in bytes. A longer text ends in three dots.
	maxTracking = order.MaxTracking - 1
)

// OrdersFile is a file with orders of 1C.
type OrdersFile struct {
	Name    string
	Content io.Reader
	// Memory is the grant that accounts for the bytes of Content; it may be nil. The memory of each parsed document is
	// accounted for in a second grant of the same owner.
	Memory *memory.Grant
}

// OrderProblem says why the order of a document could not be moved.
type OrderProblem struct {
	// Order is the number, or the id, that the document has.
	Order, Message string
}

// ReceiveOrders moves orders to the states that 1C sends, as changes of the author, and records a run. It returns the
// first problems: documents whose order does not exist or cannot be moved. Such a document is no error: an error would
// make 1C send all documents again.
func (s *Service) ReceiveOrders(
	ctx context.Context, by Login, shop store.Store, file OrdersFile, author store.Actor,
) (problems []OrderProblem, err error) {
	defer fault.AddContext(&err, "receive orders of 1C of store %s", by.Store)

	held := file.Memory.Another()
	defer held.Release()

	room := commerceml.NewRoom(held, held.AtMost())
	settings, err := database.Read(ctx, s.DB, func(q querier) (Settings, error) {
		settings, _, err := s.Settings(ctx, store.In(q, by.Store))
		return settings, err
	})
	if err != nil {
		return nil, err
	}

	r := ordersReceiver{s: s, storeID: by.Store, shop: shop, author: author, states: settings.States,
		run: newOrdersRun(by, file.Name, s.now())}
	err = commerceml.ReadDocuments(file.Content, room, func(d commerceml.Document) error { return r.receive(ctx, d) })
	f, isFault := errors.AsType[*fault.Error](err)
	if err != nil && (!isFault || f.Kind != fault.Malformed && f.Kind != fault.TooLarge) {
		return nil, err // 1C sends the file again
	}

	return r.problems, errors.Join(r.end(ctx, f), err)
}

// documentChange is what a document changes.
type documentChange struct {
	order order.Order // without its items
	// steps are the states that the order passes through.
	steps []order.State
	// documentID is 1C's id of the order, if it is to be stored.
	documentID string
	// paymentNumber is the number of the payment, if it is to be stored.
	paymentNumber string
	// paidAt is when the order was paid, if that is to be stored.
	paidAt *time.Time
	// tracking says how the goods travel, if that is to be stored.
	tracking *order.Tracking
	// refused is why the order cannot get to the state that the document asks for. The id is stored nevertheless.
	refused error
	// warnings are about what the document says and the order does not follow.
	warnings []fault.Field
}

func (c *documentChange) isEmpty() bool {
	return len(c.steps) == 0 && c.documentID == "" && c.paymentNumber == "" && c.paidAt == nil &&
		c.tracking == nil
}

// changeOf returns what a document changes, or fault.NotFound if its order does not exist.
func (r *ordersReceiver) changeOf(
	ctx context.Context, tx store.Tx, d commerceml.Document,
) (c documentChange, err error) {
	documentID, number := d.ID, d.Number
	if d.Operation == commerceml.ShipmentOperation {
		documentID, number = d.Base, d.Base
	}

	if c.order, err = r.findOrder(ctx, tx, documentID, number); err != nil {
		return c, err
	}

	if d.Operation == commerceml.OrderOperation && d.ID != c.order.ID.String() && isKeptDocumentID(d.ID) {
		stored, err := documentOfOrder(ctx, tx, c.order.ID)
		if err != nil {
			return c, err
		}
		if stored != d.ID {
			c.documentID = d.ID
		}
	}

	submitted := c.order.State != order.Draft
	if submitted && d.PaymentNumber != c.order.PaymentNumber {
		c.paymentNumber = d.PaymentNumber
	}
	if submitted && d.Paid && c.order.PaidAt == nil {
		c.paidAt = new(r.paymentTime(d))
	}
	if submitted {
		c.tracking = trackingOf(d, c.order.Tracking)
	}

	if c.warnings, err = r.warningsOf(ctx, tx, c.order.ID, d); err != nil {
		return c, err
	}

	to, ok := r.wantedState(d)
	if !ok {
		return c, nil
	}
	if c.steps = stepsTo(c.order.State, to); len(c.steps) == 0 {
		return c, nil
	}

	if d.Operation != commerceml.OrderOperation {
		whole, err := r.shipsAll(ctx, tx, c.order.ID, d)
		if err != nil || !whole {
			c.steps = nil
			return c, err
		}
	}

	if c.refused = c.order.State.CheckTransition(c.steps[0]); c.refused != nil {
		c.steps = nil
	}

	return c, nil
}

// paymentTime returns when an order was paid: on the date of the payment, or now if the document has none that is
// known. 1C writes dates in the time zone of the shop.
func (r *ordersReceiver) paymentTime(d commerceml.Document) time.Time {
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly,
		"02.01.2006 15:04:05", "02.01.2006"} {
		if at, err := time.ParseInLocation(layout, d.PaymentDate, r.shop.Zone()); err == nil {
			return at
		}
	}
	return r.s.Now()
}

// trackingOf returns how the goods of an order travel after a document, or nil if that stays as it is. A document that
// names no parcel takes nothing away. The link to a parcel goes with its number.
func trackingOf(d commerceml.Document, stored order.Tracking) *order.Tracking {
	number := item.Truncate(d.TrackingNumber, maxTracking)
	t := stored
	if number != "" && number != stored.Number {
		t = order.Tracking{Number: number, Carrier: stored.Carrier}
	}
	if carrier := item.Truncate(d.Carrier, maxTracking); carrier != "" && t.Number != "" {
		t.Carrier = carrier
	}

	if t == stored {
		return nil
	}
	return &t
}

// storeHandling stores what a document says about the payment and the parcel of its order. It records the event, so
// that 1C does not get back what it has changed.
func (r *ordersReceiver) storeHandling(ctx context.Context, tx store.Tx, c documentChange) error {
	u := order.Update{PaidAt: c.paidAt, Tracking: c.tracking}
	if c.paymentNumber != "" {
		u.PaymentNumber = &c.paymentNumber
	}
	if c.paidAt == nil && c.paymentNumber == "" && c.tracking == nil {
		return nil
	}
	if _, err := r.s.Orders.Update(ctx, tx, r.shop, c.order.ID, u, nil, ""); err != nil {
		return err
	}
	return insertEcho(ctx, tx)
}

// shipsAll reports whether a shipment has all goods of an order. Its document may leave out the goods.
func (r *ordersReceiver) shipsAll(
	ctx context.Context, tx store.Tx, orderID order.ID, d commerceml.Document,
) (bool, error) {
	pieces := d.Pieces()
	if pieces == nil {
		return true, nil
	}
	o, err := r.s.Orders.Order(ctx, tx, r.shop, orderID, order.Caller{AllOrders: true})
	if err != nil {
		return false, err
	}

	const thousandths = 1000
	var ordered money.Quantity
	for i := range o.Items {
		ordered += o.Items[i].Quantity
	}
	return pieces.Cmp(big.NewRat(int64(ordered), thousandths)) >= 0, nil
}

// findOrder finds an order by its id, else by its number, else by the id under which 1C has sent it before. 1C:УТ never
// sends the id of the site.
func (r *ordersReceiver) findOrder(
	ctx context.Context, tx store.Tx, documentID, number string,
) (order.Order, error) {
	orders := r.s.Orders
	if orderID, err := id.Parse[order.Order](documentID); err == nil {
		o, err := orders.WithID(ctx, tx, orderID)
		if fault.KindOf(err) != fault.NotFound {
			return o, err
		}
	}

	if n, ok := parseOrderNumber(number); ok {
		o, err := orders.WithNumber(ctx, tx, n)
		if fault.KindOf(err) != fault.NotFound {
			return o, err
		}
	}

	if !isKeptDocumentID(documentID) {
		return order.Order{}, errUnknownOrder(firstName(number, documentID))
	}

	orderID, err := orderOfDocument(ctx, tx, documentID)
	if errors.Is(err, database.ErrNoRows) {
		return order.Order{}, errUnknownOrder(firstName(number, documentID))
	}
	if err != nil {
		return order.Order{}, err
	}

	return orders.WithID(ctx, tx, orderID)
}

func errUnknownOrder(name string) error {
	return fault.New(fault.NotFound, "unknown_order", "The shop has no order %.100s.", name)
}

// firstName returns the number of a document, or its id if it has no number.
func firstName(number, documentID string) string {
	if number != "" {
		return number
	}
	return documentID
}

// parseOrderNumber reads the number of an order as it was given to 1C. A number with leading zeros is one of 1C's own.
func parseOrderNumber(text string) (int64, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil && n > 0 && strconv.FormatInt(n, 10) == text
}

func isKeptDocumentID(documentID string) bool {
	return documentID != "" && len(documentID) <= maxDocumentID
}

// moveOrder moves an order step by step. It records the events, so that 1C does not get back what it has changed.
func (r *ordersReceiver) moveOrder(ctx context.Context, tx store.Tx, c documentChange) error {
	for _, step := range c.steps {
		move := r.s.Orders.Confirm
		switch step {
		case order.Completed:
			move = r.s.Orders.Complete
		case order.Cancelled:
			move = r.s.Orders.Cancel
		case order.Draft, order.Submitted, order.Confirmed:
		}

		if _, err := move(ctx, tx, r.shop, c.order.ID, nil, ""); err != nil {
			return err
		}
		if err := insertEcho(ctx, tx); err != nil {
			return err
		}
	}

	return nil
}

// wantedState returns the state that a document asks for, and false if it asks for none that is known. A cancellation
// counts more than a shipment, that more than a state, and that more than a posted document.
func (r *ordersReceiver) wantedState(d commerceml.Document) (order.State, bool) {
	deleted := d.Deleted != nil && *d.Deleted
	posted := d.Posted != nil && *d.Posted
	if d.Operation == commerceml.ShipmentOperation {
		return order.Completed, !deleted && (d.Shipped || posted)
	}

	switch {
	case deleted:
		return order.Cancelled, true
	case d.Shipped:
		return order.Completed, true
	}

	if state, ok := stateNamed(d.State, r.states); ok {
		return state, true
	}

	return order.Confirmed, posted
}

// stepsTo returns the states through which an order gets to another one. It is empty if the order is there, or past it.
func stepsTo(from, to order.State) []order.State {
	switch {
	case from == to:
	case to == order.Cancelled:
		return []order.State{order.Cancelled}
	case from == order.Submitted && to == order.Confirmed:
		return []order.State{order.Confirmed}
	case from == order.Submitted && to == order.Completed:
		return []order.State{order.Confirmed, order.Completed}
	case from == order.Confirmed && to == order.Completed:
		return []order.State{order.Completed}
	case from == order.Cancelled && (to == order.Confirmed || to == order.Completed):
		return []order.State{to} // which is refused with a message
	}
	return nil
}
