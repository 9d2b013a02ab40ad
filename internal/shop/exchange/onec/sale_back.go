package onec

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/memory"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// maxSaleNotes limits the lines about orders that could not be changed.
	maxSaleNotes = 20
	// maxDocumentID limits the id of a document of 1C that is kept, in bytes. CommerceML allows 40 characters.
	maxDocumentID = 80
)

// OrdersFile is a file with orders of 1C.
type OrdersFile struct {
	Content io.Reader
	// Memory is the grant that accounts for the bytes of Content; it may be nil. The memory of each parsed document is
	// accounted for in a second grant of the same owner.
	Memory *memory.Grant
}

// ReceiveOrders moves orders to the states that 1C sends, as changes of the author. It returns lines about documents
// whose order does not exist or cannot be moved. Such a document is no error: an error would make 1C send all documents
// again.
func (s *Service) ReceiveOrders(
	ctx context.Context, by Login, shop store.Store, file OrdersFile, author store.Actor,
) (notes []string, err error) {
	defer fault.AddContext(&err, "receive orders of 1C of store %s", by.Store)

	held := file.Memory.Another()
	defer held.Release()

	room := commerceml.NewRoom(held, held.AtMost())

	err = commerceml.ReadDocuments(file.Content, room, func(d commerceml.Document) error {
		err := s.receiveDocument(ctx, by.Store, shop, d, author)
		f, isFault := errors.AsType[*fault.Error](err)
		if !isFault || f.Kind == fault.Unavailable || f.Kind == fault.Internal {
			return err
		}

		if len(notes) < maxSaleNotes {
			name := d.Number
			if d.Operation == commerceml.ShipmentOperation {
				name = d.Base
			}
			notes = append(notes, fmt.Sprintf("%.40s: %s", name, f.Message))
		}

		return nil
	})

	return notes, err
}

// receiveDocument moves the order of a document. 1C sends an order again with each of its own changes, so most
// documents change nothing: these need no write transaction.
func (s *Service) receiveDocument(
	ctx context.Context, storeID store.ID, shop store.Store, d commerceml.Document, author store.Actor,
) error {
	if d.Operation == commerceml.OtherOperation {
		return nil
	}

	var change documentChange
	err := s.DB.Snapshot(ctx, func(q querier) (err error) {
		change, err = s.changeOf(ctx, store.In(q, storeID), shop, d)
		return err
	})
	if err != nil {
		return err
	}
	if change.isEmpty() {
		return change.refused
	}

	var refused error

	err = s.write(ctx, func(q querier) error {
		tx := store.In(q, storeID).By(author, s.Now())
		change, err := s.changeOf(ctx, tx, shop, d)
		if err != nil {
			return err
		}

		refused = change.refused

		if change.documentID != "" {
			if err := setOrderDocument(ctx, tx, change.order.ID, change.documentID); err != nil {
				return err
			}
		}

		return s.moveOrder(ctx, tx, shop, change)
	})
	if err != nil {
		return err
	}

	return refused
}

// documentChange is what a document changes.
type documentChange struct {
	order order.Order // without its items
	// steps are the states that the order passes through.
	steps []order.State
	// documentID is 1C's id of the order, if it is to be stored.
	documentID string
	// refused is why the order cannot get to the state that the document asks for. The id is stored nevertheless.
	refused error
}

func (c *documentChange) isEmpty() bool { return len(c.steps) == 0 && c.documentID == "" }

// changeOf returns what a document changes, or fault.NotFound if its order does not exist.
func (s *Service) changeOf(
	ctx context.Context, tx store.Tx, shop store.Store, d commerceml.Document,
) (c documentChange, err error) {
	documentID, number := d.ID, d.Number
	if d.Operation == commerceml.ShipmentOperation {
		documentID, number = d.Base, d.Base
	}

	if c.order, err = s.findOrder(ctx, tx, documentID, number); err != nil {
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

	to, ok := wantedState(d)
	if !ok {
		return c, nil
	}
	if c.steps = stepsTo(c.order.State, to); len(c.steps) == 0 {
		return c, nil
	}

	if d.Operation != commerceml.OrderOperation {
		whole, err := s.shipsAll(ctx, tx, shop, c.order.ID, d)
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

// shipsAll reports whether a shipment has all goods of an order. Its document may leave out the goods.
func (s *Service) shipsAll(
	ctx context.Context, tx store.Tx, shop store.Store, orderID order.ID, d commerceml.Document,
) (bool, error) {
	if d.Pieces == nil {
		return true, nil
	}
	o, err := s.Orders.Order(ctx, tx, shop, orderID, order.Caller{AllOrders: true})
	if err != nil {
		return false, err
	}

	const thousandths = 1000
	var ordered money.Quantity
	for i := range o.Items {
		ordered += o.Items[i].Quantity
	}
	return d.Pieces.Cmp(big.NewRat(int64(ordered), thousandths)) >= 0, nil
}

// findOrder finds an order by its id, else by its number, else by the id under which 1C has sent it before. 1C:УТ never
// sends the id of the site.
func (s *Service) findOrder(ctx context.Context, tx store.Tx, documentID, number string) (order.Order, error) {
	if orderID, err := id.Parse[order.Order](documentID); err == nil {
		o, err := s.Orders.WithID(ctx, tx, orderID)
		if fault.KindOf(err) != fault.NotFound {
			return o, err
		}
	}

	if n, ok := parseOrderNumber(number); ok {
		o, err := s.Orders.WithNumber(ctx, tx, n)
		if fault.KindOf(err) != fault.NotFound {
			return o, err
		}
	}

	if !isKeptDocumentID(documentID) {
		return order.Order{}, fault.Missing("order")
	}

	orderID, err := orderOfDocument(ctx, tx, documentID)
	if errors.Is(err, database.ErrNoRows) {
		return order.Order{}, fault.Missing("order")
	}
	if err != nil {
		return order.Order{}, err
	}

	return s.Orders.WithID(ctx, tx, orderID)
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
func (s *Service) moveOrder(ctx context.Context, tx store.Tx, shop store.Store, c documentChange) error {
	for _, step := range c.steps {
		move := s.Orders.Confirm
		switch step {
		case order.Completed:
			move = s.Orders.Complete
		case order.Cancelled:
			move = s.Orders.Cancel
		case order.Draft, order.Submitted, order.Confirmed:
		}

		if _, err := move(ctx, tx, shop, c.order.ID, nil, ""); err != nil {
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
func wantedState(d commerceml.Document) (order.State, bool) {
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

	if state, ok := stateNamed(d.State); ok {
		return state, true
	}

	return order.Confirmed, posted
}

// stateNamed returns the state with a name: its own, that in a language, or one that 1C and Bitrix have by default.
func stateNamed(name string) (order.State, bool) {
	if name == "" {
		return "", false
	}

	for _, state := range []order.State{order.Submitted, order.Confirmed, order.Completed, order.Cancelled} {
		if commerceml.SameText(name, string(state)) {
			return state, true
		}

		for _, known := range stateNames(state) {
			if commerceml.SameText(name, known) {
				return state, true
			}
		}

		for _, known := range defaultStateNames(state) {
			if commerceml.SameText(name, known) {
				return state, true
			}
		}
	}

	return "", false
}

// defaultStateNames returns the names that a state has in УТ, УНФ, Розница and Bitrix by default.
func defaultStateNames(state order.State) []string {
	return map[order.State][]string{
		order.Confirmed: {"К выполнению", "К обеспечению", "К отгрузке", "Согласован", "В работе", "[A] Принят"},
		order.Completed: {"Отгружен", "Закрыт", "Завершён", "[F] Выполнен", "F"},
		order.Cancelled: {"[C] Отменён"},
	}[state]
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
