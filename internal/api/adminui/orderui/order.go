package orderui

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/event"
	"vitrine/internal/shop/modifier"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/webhook"
)

// loggedChanges is the number of entries of the log that the pages of an order and of an inquiry read: the newest ones.
const loggedChanges = 50

// orderBody is the data of the page of an order.
type orderBody struct {
	ID, Title string
	Version   int64
	// Seen is the code of the state that the page shows. Forms send it, so that a conflict can say what changed.
	Seen     order.State
	State    frame.State
	At       frame.Timestamp
	Items    []itemRow
	Total    string
	Contact  order.Contact
	Delivery order.Delivery
	Comment  string
	// PaymentNumber is the number of the payment in accounting; empty if it is not known.
	PaymentNumber string
	Handling      handlingForms
	Customer      string // the id of the customer, or ""
	Steps         []step
	// MayEdit says that the lines and the contact can be changed.
	MayEdit bool
	// Actions are the changes that the state allows.
	Actions []orderAction
	// NextNew is the id of the next new order, or "".
	NextNew string
}

// itemRow is an item of an order.
type itemRow struct {
	Name, SKU, Picture string
	Barcode, Unit, VAT string
	Product            string // the id of the product
	Options            []order.ItemOption
	Modifiers          []modifierRow
	Price, Quantity    string
	Total              string
	// Missing says that the item of a cart is not available in that quantity.
	Missing bool
	// Problem says that what was chosen in the item of a cart is not possible any more.
	Problem bool
}

// modifierRow is a modifier of an item: "Gift wrap: Paper × 2", and what one costs, or "".
type modifierRow struct{ Group, Name, Price string }

func modifierRows(v frame.View, item *order.Item, currency string) (rows []modifierRow) {
	for _, m := range item.ModifierList() {
		row := modifierRow{Group: m.GroupName, Name: modifierName(m)}
		if m.Price != 0 {
			row.Price = v.Money(m.Price, currency)
		}
		if m.Price != 0 && m.Quantity != 1 {
			row.Price = v.T("%s each", row.Price)
		}
		rows = append(rows, row)
	}
	return rows
}

// modifierName returns the name of a modifier with its quantity, unless that is one.
func modifierName(m modifier.Chosen) string {
	if m.Quantity == 1 {
		return m.Name
	}
	return m.Name + " × " + strconv.FormatInt(m.Quantity, 10)
}

// step is an event in the life of an order.
type step struct {
	Icon, Text string
	At         frame.Timestamp
	By         string // the operator or key who did it, or ""
	Changes    []changeRow
	Deliveries []deliveryRow
	// Fails says that a delivery failed.
	Fails bool

	time time.Time
}

// deliveryRow is a webhook request about a step.
type deliveryRow struct {
	ID, URL string
	State   frame.State
}

// orderAction is a button that changes the state.
type orderAction struct {
	Path, Text, Variant string
	// Now says that the change needs no question, since it can be undone.
	Now bool
}

// orderData is what the pages of an order read from the database.
type orderData struct {
	order      order.Order
	log        []audit.StoredEntry
	updates    []order.UpdateEvent
	mails      []order.Mail
	deliveries []webhook.EventDelivery
	// nextNew is the id of the next new order, or "".
	nextNew string
	// person is the id of the customer or guest under whom the order is shown, or "".
	person string
}

func orderIDFromPath(r *httpapi.Request) order.ID {
	return httpapi.PathID[order.Order](r, "id", "order")
}

func (ui *UI) readOrder(ctx context.Context, tx store.Tx, shop store.Store, orderID order.ID) (d orderData, err error) {
	if d.order, err = ui.Orders.Order(ctx, tx, shop, orderID, order.Caller{AllOrders: true}); err != nil {
		return d, err
	}
	if d.log, err = ui.Audit.OfObject(ctx, tx, "order", orderID.String(), loggedChanges); err != nil {
		return d, err
	}
	if d.updates, err = order.UpdateEvents(ctx, tx, d.order.Key, loggedChanges); err != nil {
		return d, err
	}

	if d.mails, err = order.Mails(ctx, tx, d.order.Key, loggedChanges); err != nil {
		return d, err
	}

	if d.person, err = personOf(ctx, tx, &d.order); err != nil {
		return d, err
	}

	next, found, err := order.NextNew(ctx, tx, &d.order)
	if err != nil {
		return d, err
	}
	if found {
		d.nextNew = next.String()
	}

	events := slices.Collect(maps.Values(d.order.Events))
	for _, u := range d.updates {
		events = append(events, u.ID)
	}
	d.deliveries, err = ui.Webhooks.DeliveriesOfEvents(ctx, tx, events)
	return d, err
}

// personOf returns the id of the customer or guest under whom an order is shown, or "".
func personOf(ctx context.Context, tx store.Tx, o *order.Order) (string, error) {
	switch {
	case o.CustomerID != nil:
		return o.CustomerID.String(), nil
	case o.GuestKey == nil || *o.GuestKey == 0:
		return "", nil
	}
	c, err := customer.WithKey(ctx, tx, *o.GuestKey)
	if fault.KindOf(err) == fault.NotFound { // an older node has erased the person
		return "", nil
	}
	return c.ID.String(), err
}

func (ui *UI) orderPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.renderOrder(w, r, http.StatusOK, "order", nil)
}

func (ui *UI) printPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.renderOrder(w, r, http.StatusOK, "order_print", nil)
}

// refusalText says why a change of an order was refused, by the order as it is now.
type refusalText func(v frame.View, d orderData) string

// renderOrder writes the page of an order. refused is nil unless a change was refused.
func (ui *UI) renderOrder(
	w http.ResponseWriter, r *httpapi.Request, status int, page string, refused refusalText,
) error {
	v, d, err := ui.readOrderView(r)
	if err != nil {
		return err
	}

	body := newOrderBody(v, d)
	v.Title = body.Title
	if page == "order_print" {
		v.Crumbs = append(v.Crumbs, frame.Link{Text: body.Title, URL: "/orders/" + body.ID})
	}

	if refused != nil {
		v.Failure = refused(v, d)
	}

	v.Body = body
	return ui.pages.Render(w, status, page, v)
}

// readOrderView reads the order of the path for a page.
func (ui *UI) readOrderView(r *httpapi.Request) (frame.View, orderData, error) {
	id := orderIDFromPath(r)
	v := ui.pages.NewView(r, "Order", "orders", nil)
	v.Crumbs = []frame.Link{{Text: v.T("Orders"), URL: "/orders"}}
	d, err := frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (orderData, error) {
		return ui.readOrder(ctx, tx, v.Store, id)
	})
	return v, d, err
}

// changedSince says what changed since the operator saw the order in a state.
func changedSince(seen order.State) refusalText {
	return func(v frame.View, d orderData) string { return conflictText(v, d, seen) }
}

func conflictText(v frame.View, d orderData, seen order.State) string {
	text := v.T("Nothing was done, because the order has changed meanwhile: it was “%s” and is now “%s”.",
		orderState(v.Language, seen).Text, orderState(v.Language, d.order.State).Text)
	if by, at := changedBy(v, d, d.order.State), stateTime(&d.order, d.order.State); by != "" && at != nil {
		text += " " + v.T("%s did that on %s.", by, v.Timestamp(*at).Text)
	}
	return text
}

func newOrderBody(v frame.View, d orderData) orderBody {
	o := &d.order
	b := orderBody{
		ID: o.ID.String(), Title: v.T("Cart"), Version: o.Version, Seen: o.State,
		State: orderState(v.Language, o.State),
		At:    v.Timestamp(o.CreatedAt), Total: v.Money(o.Total, o.Currency), Contact: o.Contact, Delivery: o.Delivery,
		Comment: o.Comment, PaymentNumber: o.PaymentNumber, Handling: newHandlingForms(v, o), Steps: steps(v, d),
		NextNew: d.nextNew,
	}
	if o.Number != nil {
		b.Title = v.T("Order No. %s", orderNumber(o))
	}

	if o.SubmittedAt != nil {
		b.At = v.Timestamp(*o.SubmittedAt)
	}

	b.Customer = d.person

	for i := range o.Items {
		item := &o.Items[i]
		total := "–" // of an item that is not for sale
		if amount, ok := item.Total().Amount(); ok {
			total = v.Money(amount, o.Currency)
		}

		b.Items = append(b.Items, itemRow{
			Name: item.Name, SKU: item.SKU, Barcode: item.Barcode, Unit: item.Unit.Name, VAT: item.VATRate.Text(),
			Picture: picturePath(item.ThumbnailPath), Product: item.ProductID.String(),
			Options: item.OptionNames(), Modifiers: modifierRows(v, item, o.Currency), Problem: o.Problems(item) != nil,
			Price: v.Price(item.Price, o.Currency), Quantity: v.Decimal(item.Quantity),
			Total: total, Missing: item.Available != nil && *item.Available < item.Quantity,
		})
	}

	if v.May(string(access.OrdersWrite)) {
		b.Actions = actions(v, o.State)
		b.MayEdit = o.State == order.Submitted || o.State == order.Confirmed
	}

	return b
}

// actions returns the changes that a state allows, the usual one first.
func actions(v frame.View, s order.State) (list []orderAction) {
	switch s {
	case order.Submitted:
		list = []orderAction{{Path: "confirm", Text: v.T("Confirm"), Now: true}}
	case order.Confirmed:
		list = []orderAction{{Path: "complete", Text: v.T("Complete")}}
	case order.Completed, order.Cancelled:
		return []orderAction{{Path: "reopen", Text: v.T("Reopen"), Variant: "outline", Now: true}}
	case order.Draft:
		return nil
	}
	return append(list, orderAction{Path: "cancel", Text: v.T("Cancel the order"), Variant: "outline"})
}

// picturePath converts the public path of a thumbnail, /images/STORE/IMAGE/FILE, to its path in the administration. It
// returns "" for a path of another form.
func picturePath(public string) string {
	parts := strings.Split(strings.TrimPrefix(public, "/images/"), "/")
	if len(parts) != 3 {
		return ""
	}
	return "/pictures/" + parts[1] + "/" + parts[2]
}

// steps returns what happened to an order, the last first.
func steps(v frame.View, d orderData) (list []step) {
	o := &d.order
	list = append(list, step{Icon: "shopping-bag", Text: v.T("The cart was created"), time: o.CreatedAt})
	for _, s := range []struct {
		state      order.State
		icon, text string
	}{
		{order.Submitted, "bell", v.T("The customer ordered")},
		{order.Confirmed, "check", v.T("Confirmed")},
		{order.Completed, "circle-check", v.T("Completed")},
		{order.Cancelled, "ban", v.T("Cancelled")},
	} {
		if at := stateTime(o, s.state); at != nil {
			list = append(list, step{Icon: s.icon, Text: s.text, time: *at, By: changedBy(v, d, s.state),
				Deliveries: stepDeliveries(v, d, d.order.Events[s.state])})
		}
	}

	list = append(list, updateSteps(v, d)...)
	list = append(list, pastSteps(v, d)...)
	list = append(list, mailSteps(v, d.mails)...)
	slices.SortStableFunc(list, func(a, b step) int { return a.time.Compare(b.time) })
	slices.Reverse(list)

	for i := range list {
		list[i].At = v.Timestamp(list[i].time)
		list[i].Fails = slices.ContainsFunc(list[i].Deliveries,
			func(row deliveryRow) bool { return row.State.Code == "bad" })
	}

	return list
}

// pastSteps returns the returns of an order to earlier states, and the states that it left by them, which only the log
// knows.
func pastSteps(v frame.View, d orderData) (list []step) {
	texts := map[audit.Action]struct{ icon, text string }{
		audit.OrderUnconfirmed: {"undo-2", v.T("The confirmation was undone")},
		audit.OrderReopened:    {"undo-2", v.T("Reopened")},
		audit.OrderConfirmed:   {"check", v.T("Confirmed")},
		audit.OrderCompleted:   {"circle-check", v.T("Completed")},
		audit.OrderCancelled:   {"ban", v.T("Cancelled")},
	}

	// The newest entry about a state that the order has reached is about the time in its row.
	current := map[audit.Action]bool{}
	for _, s := range order.States() {
		current[s.Action()] = stateTime(&d.order, s) != nil
	}

	for i := range d.log { // the newest first
		e := &d.log[i]
		switch t, known := texts[e.Action]; {
		case !known:
		case current[e.Action]:
			current[e.Action] = false
		default:
			list = append(list, step{Icon: t.icon, Text: t.text, time: e.At, By: actorName(v, e.Actor)})
		}
	}

	slices.Reverse(list)
	return list
}

// stateTime returns when an order reached a state, or nil.
func stateTime(o *order.Order, s order.State) *time.Time {
	switch s {
	case order.Submitted:
		return o.SubmittedAt
	case order.Confirmed:
		return o.ConfirmedAt
	case order.Completed:
		return o.CompletedAt
	case order.Cancelled:
		return o.CancelledAt
	case order.Draft:
	}
	return nil
}

// changedBy returns who changed an order to a state according to the log, or "".
func changedBy(v frame.View, d orderData, s order.State) string {
	for _, e := range d.log {
		switch {
		case e.Action != s.Action():
		default:
			return actorName(v, e.Actor)
		}
	}
	return ""
}

// actorName returns who did something, for people.
func actorName(v frame.View, by store.Actor) string {
	if by.Kind == store.ByToken {
		return v.T("Accounting “%s”", by.Name)
	}
	return by.Name
}

// stepDeliveries returns the webhook requests about an event.
func stepDeliveries(v frame.View, d orderData, told event.ID) (rows []deliveryRow) {
	for i := range d.deliveries {
		if e := &d.deliveries[i]; e.EventID == told {
			rows = append(rows, deliveryRow{ID: e.ID.String(), URL: e.ReceiverURL, State: deliveryState(v.Language, e)})
		}
	}
	return rows
}

// deliveryState returns how far a webhook request is.
func deliveryState(l *frame.Language, d *webhook.EventDelivery) frame.State {
	switch d.Status {
	case webhook.Delivered:
		return frame.State{Code: "good", Text: l.T("Delivered")}
	case webhook.Held:
		return frame.State{Code: "off", Text: l.T("Held back")}
	case webhook.Dead:
		return frame.State{Code: "bad", Text: l.T("Given up")}
	case webhook.Pending:
	}
	if d.Attempts > 0 {
		return frame.State{Code: "bad", Text: l.T("Failed, is tried again")}
	}
	return frame.State{Code: "warn", Text: l.T("Being sent")}
}

// eventType returns the type of the event that announces a state.
func eventType(s order.State) string {
	return map[order.State]string{order.Confirmed: event.OrderConfirmed, order.Completed: event.OrderCompleted,
		order.Cancelled: event.OrderCancelled}[s]
}
