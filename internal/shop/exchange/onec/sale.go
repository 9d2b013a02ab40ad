package onec

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// eventPage and orderPage are the numbers of events and orders that are read at once.
	eventPage = 500
	orderPage = 100
	// maxOfferedOrders limits the orders of one query. The next query after success has the rest.
	maxOfferedOrders = 100_000
)

// WriteOrders writes the orders that were submitted or changed since 1C has taken the last ones. They stay the same
// ones until OrdersTaken, besides newer changes.
func (s *Service) WriteOrders(ctx context.Context, by Login, shop store.Store, w io.Writer) (err error) {
	defer fault.AddContext(&err, "write orders for 1C of store %s", by.Store)

	session, err := s.currentSession(ctx, by, sessionRequest{})
	if err != nil {
		return err
	}

	var ids []order.ID
	var last int64
	err = s.readHeavy(ctx, by, func(tx store.Tx) (err error) {
		ids, last, err = changedOrders(ctx, tx, math.MaxInt64)
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
		err := s.readHeavy(ctx, by, func(tx store.Tx) (err error) {
			list, err = s.ordersFor1C(ctx, tx, shop, page)
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

// readHeavy calls read in a slot for heavy reads: there may be very many events and orders. The slot is released before
// anything is sent, since the client may read slowly.
func (s *Service) readHeavy(ctx context.Context, by Login, read func(tx store.Tx) error) error {
	release, err := by.Slots.Heavy.wait(ctx)
	if err != nil {
		return err
	}
	defer release()

	return s.DB.ReadWith(ctx, database.Long, true, func(q querier) error { return read(store.In(q, by.Store)) })
}

// changedOrders returns the orders with events up to a sequence that 1C has not taken and did not cause itself, and the
// sequence of the last event that was looked at.
func changedOrders(ctx context.Context, tx store.Tx, upTo int64) (ids []order.ID, last int64, err error) {
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
			if e.Sequence > upTo {
				return ids, last, nil
			}

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
		price, _ := line.Price.Amount() // every line of a submitted order has one
		total, _ := line.Total().Amount()
		out.Lines = append(out.Lines, commerceml.OrderLine{ID: name, Barcode: line.Barcode, SKU: line.SKU,
			Name: line.Name, Unit: line.Unit, VATRate: line.VATRate,
			Price: moneyText(price), Quantity: line.Quantity.Text(), Total: moneyText(total),
			Tax: includedTax(total, line.VATRate), Properties: linePropertiesOf(line.ModifierList())})
	}

	return out
}

// linePropertiesOf returns the modifiers of a line, one property for all groups with a name: 1C keeps one of each name.
// The value is a text such as "Paper × 2 (50.5), Card".
func linePropertiesOf(modifiers []modifier.Chosen) (list []commerceml.LineProperty) {
	for i := range modifiers {
		m := &modifiers[i]
		text := m.Name
		if m.Quantity != 1 {
			text += " × " + strconv.FormatInt(m.Quantity, 10)
		}
		if m.Price != 0 {
			text += " (" + moneyText(m.Price) + ")"
		}

		at := slices.IndexFunc(list, func(p commerceml.LineProperty) bool { return p.Name == m.GroupName })
		if at < 0 {
			list = append(list, commerceml.LineProperty{Name: m.GroupName, Value: text})
			continue
		}
		list[at].Value += ", " + text
	}
	return list
}

// includedTax returns the tax of a rate that an amount includes, to 2 decimals; the empty text if there is no rate.
func includedTax(total money.Money, rate money.VATRate) string {
	percent, ok := rate.Amount()
	if !ok {
		return ""
	}

	part := big.NewRat(int64(percent), int64(percent)+allPercent)
	amount, _ := new(big.Rat).SetString(moneyText(total))
	return amount.Mul(amount, part).FloatString(2)
}

// allPercent is 100 % in units of money.Percent.
const allPercent = 100_00

func moneyText(m money.Money) string {
	return string(wire.AppendFixed(nil, int64(m), money.MoneyDecimals))
}

// OrdersTaken records that 1C has taken the orders of the last WriteOrders of its session. The orders are taken page by
// page, and the cursor follows them: after a crash, 1C gets the same orders again, and those that were taken stay so.
func (s *Service) OrdersTaken(ctx context.Context, by Login) (err error) {
	defer fault.AddContext(&err, "mark orders as taken by 1C of store %s", by.Store)

	session, err := s.currentSession(ctx, by, sessionRequest{})
	if err != nil || session.Offered == nil {
		return err
	}

	offered := *session.Offered
	var ids []order.ID
	err = s.readHeavy(ctx, by, func(tx store.Tx) (err error) {
		ids, _, err = changedOrders(ctx, tx, offered)
		return err
	})
	if err != nil {
		return err
	}

	for page := range slices.Chunk(ids, orderPage) {
		err := s.write(ctx, func(q querier) error {
			return s.Orders.Take(ctx, store.In(q, by.Store), page, offered)
		})
		if err != nil {
			return err
		}
	}

	return s.write(ctx, func(q querier) error {
		tx := store.In(q, by.Store)
		if err := insertStoreState(ctx, tx); err != nil {
			return err
		}
		if err := raiseSalesCursor(ctx, tx, offered); err != nil {
			return err
		}
		return deleteEchoes(ctx, tx, offered)
	})
}

// WriteStates writes the states of orders, in the language of the store, from which 1C can choose.
func WriteStates(shop store.Store, w io.Writer) error {
	var states []commerceml.OrderState
	for _, state := range OrderStates() {
		states = append(states, commerceml.OrderState{ID: string(state), Name: stateName(state, shop.Locale)})
	}
	return commerceml.WriteStates(w, states)
}
