package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// eventPage and orderPage are the numbers of events and orders that are read at once.
	eventPage = 500
	orderPage = 100
	// maxOfferedOrders limits the orders of one query. The next query after success has the rest.
	maxOfferedOrders = 100_000
	// maxSaleNotes limits the lines about orders that could not be changed.
	maxSaleNotes = 20
)

// WriteOrders writes the orders that were submitted or changed since 1C has taken the last ones. They stay the same
// ones until OrdersTaken, besides newer changes.
func (s *Service) WriteOrders(ctx context.Context, by OneCLogin, shop store.Store, w io.Writer) (err error) {
	defer fault.AddContext(&err, "write orders for 1C of store %s", by.Store)
	session, err := s.currentSession(ctx, by)
	if err != nil {
		return err
	}
	var ids []order.ID
	var last int64
	err = s.DB.Snapshot(ctx, func(q querier) (err error) {
		ids, last, err = changedOrders(ctx, store.In(q, by.Store))
		return err
	})
	if err != nil {
		return err
	}
	err = s.write(ctx, func(q querier) error {
		return setSessionOffered(ctx, store.In(q, by.Store), session.Key, last)
	})
	if err != nil {
		return err
	}
	out := commerceml.NewOrderWriter(w, s.now().In(shop.Zone()))
	for page := range slices.Chunk(ids, orderPage) {
		var list []commerceml.Order
		err := s.DB.Snapshot(ctx, func(q querier) (err error) {
			list, err = s.ordersFor1C(ctx, store.In(q, by.Store), shop, page)
			return err
		})
		if err != nil {
			return err
		}
		for _, o := range list {
			if err := out.Write(o); err != nil {
				return err
			}
		}
	}
	return out.Close()
}

// changedOrders returns the orders with events that 1C has not taken and did not cause itself, and the sequence of the
// last event that was looked at.
func changedOrders(ctx context.Context, tx store.Tx) (ids []order.ID, last int64, err error) {
	state, err := selectStoreState(ctx, tx)
	if err != nil {
		return nil, 0, err
	}
	last = state.salesCursor
	echoes, err := echoesAfter(ctx, tx, last)
	if err != nil {
		return nil, 0, err
	}
	known := map[order.ID]bool{}
	for more := true; more && len(ids) < maxOfferedOrders; {
		events, next, err := event.Feed(ctx, tx, last, eventPage)
		if err != nil {
			return nil, 0, err
		}
		for _, e := range events {
			last = e.Sequence
			if !strings.HasPrefix(e.Type, "order.") || echoes[e.Sequence] {
				continue
			}
			var payload struct {
				ID order.ID `json:"id"`
			}
			if err := json.Unmarshal(e.Payload, &payload); err != nil {
				return nil, 0, fmt.Errorf("payload of event %d: %w", e.Sequence, err)
			}
			if !known[payload.ID] {
				known[payload.ID] = true
				ids = append(ids, payload.ID)
			}
		}
		more = next != 0
	}
	return ids, last, nil
}

// ordersFor1C reads orders in the form in which 1C gets them.
func (s *Service) ordersFor1C(
	ctx context.Context, tx store.Tx, shop store.Store, ids []order.ID,
) ([]commerceml.Order, error) {
	orders, err := s.Orders.OrdersOf(ctx, tx, shop, ids)
	if err != nil {
		return nil, err
	}
	var variants []catalog.VariantID
	for _, o := range orders {
		for _, line := range o.Items {
			variants = append(variants, line.VariantID)
		}
	}
	names, err := offerIDs(ctx, tx, variants)
	if err != nil {
		return nil, err
	}
	list := make([]commerceml.Order, len(orders))
	for i, o := range orders {
		list[i] = orderFor1C(shop, o, names)
	}
	return list, nil
}

func orderFor1C(shop store.Store, o order.Order, names map[catalog.VariantID]string) commerceml.Order {
	out := commerceml.Order{ID: o.ID.String(), Currency: o.Currency, Total: moneyText(o.Total), Comment: o.Comment,
		Name: o.Contact.Name, Phone: o.Contact.Phone, Email: o.Contact.Email, Address: o.Delivery.Address,
		State: stateName(o.State, shop.Locale), Cancelled: o.State == order.Cancelled,
		Confirmed: o.State == order.Confirmed || o.State == order.Completed}
	if o.Number != nil {
		out.Number = strconv.FormatInt(*o.Number, 10)
	}
	if o.SubmittedAt != nil {
		out.At = o.SubmittedAt.In(shop.Zone())
	}
	if o.CustomerID != nil {
		out.CustomerID = o.CustomerID.String()
	}
	if o.Delivery.Comment != "" {
		out.Comment = strings.TrimSpace(o.Comment + "\n" + o.Delivery.Comment)
	}
	for _, line := range o.Items {
		name := names[line.VariantID]
		if name == "" {
			name = line.VariantID.String()
		}
		out.Lines = append(out.Lines, commerceml.OrderLine{ID: name, SKU: line.SKU, Name: line.Name,
			Price: moneyText(line.Price), Quantity: line.Quantity.Text(), Total: moneyText(line.Total())})
	}
	return out
}

func moneyText(m catalog.Money) string {
	return string(wire.AppendFixed(nil, int64(m), catalog.MoneyDecimals))
}

// OrdersTaken records that 1C has taken the orders of the last WriteOrders of its session.
func (s *Service) OrdersTaken(ctx context.Context, by OneCLogin) (err error) {
	defer fault.AddContext(&err, "mark orders as taken by 1C of store %s", by.Store)
	session, err := s.currentSession(ctx, by)
	if err != nil || session.Offered == nil {
		return err
	}
	return s.write(ctx, func(q querier) error {
		tx := store.In(q, by.Store)
		if err := insertStoreState(ctx, tx); err != nil {
			return err
		}
		if err := raiseSalesCursor(ctx, tx, *session.Offered); err != nil {
			return err
		}
		return deleteEchoes(ctx, tx, *session.Offered)
	})
}

// ReceiveOrders moves orders to the states that 1C sends. It returns lines about those that it cannot move, which is no
// error: 1C would send all of them again.
func (s *Service) ReceiveOrders(
	ctx context.Context, by OneCLogin, shop store.Store, file io.Reader,
) (notes []string, err error) {
	defer fault.AddContext(&err, "receive orders of 1C of store %s", by.Store)
	err = commerceml.ReadDocuments(file, func(d commerceml.Document) error {
		err := s.moveOrder(ctx, by.Store, shop, d)
		f, isFault := errors.AsType[*fault.Error](err)
		if !isFault || f.Kind == fault.Unavailable || f.Kind == fault.Internal {
			return err
		}
		if len(notes) < maxSaleNotes {
			notes = append(notes, fmt.Sprintf("%.40s: %s", d.Number, f.Message))
		}
		return nil
	})
	return notes, err
}

// moveOrder moves an order to the state that a document has, step by step. It records the events, so that 1C does not
// get back what it has changed.
func (s *Service) moveOrder(ctx context.Context, storeID store.ID, shop store.Store, d commerceml.Document) error {
	to, ok := wantedState(d)
	if !ok {
		return nil
	}
	return s.write(ctx, func(q querier) error {
		tx := store.In(q, storeID)
		o, err := s.findOrder(ctx, tx, shop, d)
		if err != nil {
			return err
		}
		for _, step := range stepsTo(o.State, to) {
			move := map[order.State]func(
				context.Context, store.Tx, store.Store, order.ID, fault.Precondition, string,
			) (order.Order, error){
				order.Confirmed: s.Orders.Confirm, order.Completed: s.Orders.Complete, order.Cancelled: s.Orders.Cancel,
			}[step]
			if _, err := move(ctx, tx, shop, o.ID, nil, ""); err != nil {
				return err
			}
			if err := insertEcho(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
}

// findOrder finds the order of a document by its id, else by its number.
func (s *Service) findOrder(ctx context.Context, tx store.Tx, shop store.Store, d commerceml.Document) (order.Order, error) {
	if orderID, err := id.Parse[order.Order](d.ID); err == nil {
		return s.Orders.Order(ctx, tx, shop, orderID, order.Caller{AllOrders: true})
	}
	number, err := strconv.ParseInt(strings.TrimSpace(d.Number), 10, 64)
	if err != nil {
		return order.Order{}, fault.Missing("order")
	}
	return s.Orders.WithNumber(ctx, tx, number)
}

// wantedState returns the state that a document asks for, and false if it asks for none that is known.
func wantedState(d commerceml.Document) (order.State, bool) {
	if d.Deleted != nil && *d.Deleted {
		return order.Cancelled, true
	}
	if d.State != "" {
		for _, state := range []order.State{order.Submitted, order.Confirmed, order.Completed, order.Cancelled} {
			if commerceml.SameText(d.State, string(state)) {
				return state, true
			}
			for _, name := range stateNames(state) {
				if commerceml.SameText(d.State, name) {
					return state, true
				}
			}
		}
	}
	if d.Posted != nil && *d.Posted {
		return order.Confirmed, true
	}
	return "", false
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

// stateNames returns the names of a state by language.
func stateNames(state order.State) map[string]string {
	return map[order.State]map[string]string{
		order.Submitted: {"en": "Submitted", "ru": "Новый", "de": "Eingegangen", "es": "Enviado", "fr": "Envoyée",
			"uk": "Новий", "kk": "Жаңа"},
		order.Confirmed: {"en": "Confirmed", "ru": "Подтверждён", "de": "Bestätigt", "es": "Confirmado",
			"fr": "Confirmée", "uk": "Підтверджено", "kk": "Расталды"},
		order.Completed: {"en": "Completed", "ru": "Выполнен", "de": "Abgeschlossen", "es": "Completado",
			"fr": "Terminée", "uk": "Виконано", "kk": "Орындалды"},
		order.Cancelled: {"en": "Cancelled", "ru": "Отменён", "de": "Storniert", "es": "Cancelado", "fr": "Annulée",
			"uk": "Скасовано", "kk": "Бас тартылды"},
	}[state]
}

func stateName(state order.State, locale string) string {
	language, _, _ := strings.Cut(locale, "-")
	if name := stateNames(state)[language]; name != "" {
		return name
	}
	return string(state)
}
