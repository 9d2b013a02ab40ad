package onec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/commerceml"
	"vitrine/internal/shop/exchange/item"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

const (
	// maxOrderNotes limits the errors, and the warnings, that the run of a file with orders keeps. It counts all.
	maxOrderNotes = 1000
	// maxChangedLines is the number of lines of an order that a warning lists.
	maxChangedLines = 10
)

// ordersReceiver applies a file with orders, and counts what came of it.
type ordersReceiver struct {
	s       *Service
	storeID store.ID
	shop    store.Store
	author  store.Actor
	// states are the states that the store gives to names of 1C.
	states map[string]order.State

	run              exchange.Run
	errors, warnings []exchange.RunNote
	problems         []OrderProblem // for 1C
}

// newOrdersRun returns the run of a file with orders.
func newOrdersRun(by Login, name string, now time.Time) exchange.Run {
	run := exchange.Run{ID: id.New[exchange.Run](), Status: exchange.Running, CreatedAt: now, StartedAt: &now}
	run.Params = exchange.Params{Entity: exchange.Orders, Format: item.Mapped, Credential: by.Credential,
		FileName: item.Truncate(name, exchange.MaxFileName)}
	return run
}

// receive moves the order of a document. A fault about the document is counted; others are returned.
func (r *ordersReceiver) receive(ctx context.Context, d commerceml.Document) error {
	change, err := r.receiveDocument(ctx, d)
	f, isFault := errors.AsType[*fault.Error](err)
	if err != nil && (!isFault || f.Kind == fault.Unavailable || f.Kind == fault.Internal) {
		return err
	}

	index := r.run.Received
	name := firstName(d.Number, d.ID)
	if d.Operation == commerceml.ShipmentOperation {
		name = d.Base
	}

	r.run.Received++
	note := func(to *[]exchange.RunNote, number int64, f fault.Field) {
		if len(*to) < maxOrderNotes {
			*to = append(*to, exchange.RunNote{Number: number, Index: index,
				ID: new(item.Truncate(name, maxSettingText)), Field: f.Field, Code: f.Code, Message: f.Message})
		}
	}

	switch {
	case isFault:
		r.run.Failed++
		r.run.Errors++
		note(&r.errors, r.run.Errors, fault.Field{Code: f.Code, Message: f.Message})
		if len(r.problems) < maxSaleLines {
			r.problems = append(r.problems, OrderProblem{Order: item.Truncate(name, maxDocumentID), Message: f.Message})
		}
	case change.isEmpty():
		r.run.Unchanged++
	default:
		r.run.Updated++
	}

	for _, w := range change.warnings {
		r.run.Warnings++
		note(&r.warnings, r.run.Warnings, w)
	}

	return nil
}

// receiveDocument moves the order of a document. 1C sends an order again with each of its own changes, so most
// documents change nothing: these need no write transaction.
func (r *ordersReceiver) receiveDocument(
	ctx context.Context, d commerceml.Document,
) (change documentChange, err error) {
	if d.Operation == commerceml.OtherOperation {
		return change, nil
	}

	err = r.s.DB.Snapshot(ctx, func(q querier) (err error) {
		change, err = r.changeOf(ctx, store.In(q, r.storeID), d)
		return err
	})
	if err != nil {
		return change, err
	}
	if change.isEmpty() {
		return change, change.refused
	}

	err = r.s.write(ctx, func(q querier) error {
		tx := store.In(q, r.storeID).By(r.author, r.s.Now())
		if change, err = r.changeOf(ctx, tx, d); err != nil {
			return err
		}
		if change.documentID != "" {
			if err := setOrderDocument(ctx, tx, change.order.ID, change.documentID); err != nil {
				return err
			}
		}
		if err := r.storeHandling(ctx, tx, change); err != nil {
			return err
		}
		return r.moveOrder(ctx, tx, change)
	})
	if err != nil {
		return change, err
	}

	return change, change.refused
}

// end records the run. broken is why the file could not be read to its end, or nil.
func (r *ordersReceiver) end(ctx context.Context, broken *fault.Error) error {
	r.run.Status = exchange.Completed
	if broken != nil {
		r.run.Status = exchange.Failed
		r.run.Problem = &exchange.RunProblem{Code: broken.Code, Message: exchange.ProblemMessage(broken)}
	}

	return r.s.write(ctx, func(q querier) error {
		run := r.run // a transaction may run again
		return r.s.Exchange.Runs.Record(ctx, store.In(q, r.storeID), &run, r.errors, r.warnings)
	})
}

// warningsOf returns warnings about a state that is not known, and about lines that 1C has changed.
func (r *ordersReceiver) warningsOf(
	ctx context.Context, tx store.Tx, orderID order.ID, d commerceml.Document,
) (warnings []fault.Field, err error) {
	if d.Operation != commerceml.OrderOperation {
		return nil, nil
	}

	if _, known := stateNamed(d.State, r.states); d.State != "" && !known {
		warnings = append(warnings, fault.NewField("Статус заказа", "unknown_state",
			"The state «%.100s» of 1C is not known here. Say in the settings of the exchange which state of the shop "+
				"it is.", d.State))
	}

	changed, err := r.changedLines(ctx, tx, orderID, d)
	if len(changed) > 0 {
		warnings = append(warnings, fault.NewField("Товары", "line_changed",
			"Lines of the order were changed in 1C, and the shop keeps them as they were: %s.",
			strings.Join(changed, "; ")))
	}

	return warnings, err
}

// changedLines returns the lines whose quantity or price 1C has changed, for people: before and after.
func (r *ordersReceiver) changedLines(
	ctx context.Context, tx store.Tx, orderID order.ID, d commerceml.Document,
) (changed []string, err error) {
	if len(d.Lines) == 0 {
		return nil, nil
	}
	o, err := r.s.Orders.Order(ctx, tx, r.shop, orderID, order.Caller{AllOrders: true})
	if err != nil {
		return nil, err
	}
	names, err := offerIDs(ctx, tx, variantsOf(o.Items))
	if err != nil {
		return nil, err
	}

	sent := map[string][]commerceml.DocumentLine{}
	for _, line := range d.Lines {
		sent[line.ID] = append(sent[line.ID], line)
	}

	for _, lines := range linesByOffer(o.Items, names) {
		if before, after := linesText(lines.items), lines.sentText(sent[lines.id]); before != after {
			changed = append(changed, fmt.Sprintf("%.60s: %s → %s", lines.items[0].Name, before, after))
		}
		delete(sent, lines.id)
	}

	for _, line := range d.Lines {
		if added, ok := sent[line.ID]; ok {
			delete(sent, line.ID)
			changed = append(changed, fmt.Sprintf("%.60s: 0 → %s", line.Name, offerLines{}.sentText(added)))
		}
	}

	if len(changed) > maxChangedLines {
		changed = append(changed[:maxChangedLines], "…")
	}

	return changed, nil
}

func variantsOf(items []order.Item) (ids []catalog.VariantID) {
	for _, line := range items {
		ids = append(ids, line.VariantID)
	}
	return ids
}

// offerLines are the lines of an order with the same offer: several if they differ in their modifiers. 1C does not know
// modifiers, so only all of them together can be compared with what it sends.
type offerLines struct {
	id    string
	items []*order.Item
}

// linesByOffer returns the lines of an order by the ids of their offers, in the order of the first lines. names are
// those of the offers that have one.
func linesByOffer(items []order.Item, names map[catalog.VariantID]string) (list []offerLines) {
	at := map[string]int{}
	for i := range items {
		line := &items[i]
		id := names[line.VariantID]
		if id == "" {
			id = line.VariantID.String()
		}

		index, seen := at[id]
		if !seen {
			index = len(list)
			at[id] = index
			list = append(list, offerLines{id: id})
		}
		list[index].items = append(list[index].items, line)
	}
	return list
}

// linesText returns quantities and prices of the lines of an order: "2 × 10" or, with several prices, "2 × 10 + 1 ×
// 12".
func linesText(items []*order.Item) string {
	byPrice := amounts{}
	for _, line := range items {
		quantity, _ := new(big.Rat).SetString(line.Quantity.Text())
		byPrice.add(quantity, priceOf(line))
	}
	return byPrice.text()
}

// sentText returns quantities and prices of the lines that 1C has sent of the offer, which it may have split. A single
// line of the order has one price: the first that 1C has sent, or its own if there is none. If 1C has sent no price for
// several lines, or one line for all of them with their total, they have their own prices.
func (l offerLines) sentText(sent []commerceml.DocumentLine) string {
	sum := new(big.Rat)
	byPrice := amounts{}
	priced := false
	for _, line := range sent {
		sum.Add(sum, line.Quantity)
		byPrice.add(line.Quantity, line.Price)
		priced = priced || line.Price != nil
	}

	switch {
	case sum.Sign() == 0:
		return "0"
	case len(l.items) == 1:
		price := sent[0].Price
		if price == nil {
			price = priceOf(l.items[0])
		}
		return amountText(sum, price)
	case len(l.items) > 1 && l.isTotal(sum, sent, priced):
		return linesText(l.items)
	}
	return byPrice.text()
}

// isTotal reports whether 1C has sent the pieces of several lines without prices, or as one line with their total.
func (l offerLines) isTotal(sum *big.Rat, sent []commerceml.DocumentLine, priced bool) bool {
	pieces := new(big.Rat)
	total := new(big.Rat)
	for _, line := range l.items {
		quantity, _ := new(big.Rat).SetString(line.Quantity.Text())
		pieces.Add(pieces, quantity)
		total.Add(total, quantity.Mul(quantity, priceOf(line)))
	}
	if sum.Cmp(pieces) != 0 {
		return false
	}
	if !priced || len(sent) != 1 {
		return !priced
	}
	average := new(big.Rat).Quo(total, pieces)
	return commerceml.DecimalText(average, 2) == commerceml.DecimalText(sent[0].Price, 2)
}

func priceOf(line *order.Item) *big.Rat {
	amount, _ := line.Price.Amount()
	price, _ := new(big.Rat).SetString(moneyText(amount))
	return price
}

// amounts are quantities by the text of their price.
type amounts map[string]*big.Rat

// add adds a quantity with a price, which may be nil.
func (a amounts) add(quantity, price *big.Rat) {
	text := ""
	if price != nil {
		text = commerceml.DecimalText(price, 2)
	}
	if a[text] == nil {
		a[text] = new(big.Rat)
	}
	a[text].Add(a[text], quantity)
}

func (a amounts) text() string {
	var parts []string
	for _, price := range slices.Sorted(maps.Keys(a)) {
		text := commerceml.DecimalText(a[price], 3)
		if price != "" {
			text += " × " + price
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " + ")
}

// amountText returns quantity and price with the decimals that 1C has.
func amountText(quantity, price *big.Rat) string {
	text := commerceml.DecimalText(quantity, 3)
	if price != nil {
		text += " × " + commerceml.DecimalText(price, 2)
	}
	return text
}
