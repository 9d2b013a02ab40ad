package orderui

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// several has the handlers that change or print several orders.
type several struct{ *UI }

// maxSeveral is the number of orders that are changed or printed together: those of a page of the list.
const maxSeveral = rowsPerPage

// maxNamed is the number of orders that a message names.
const maxNamed = 5

// tickedOrders returns the orders that were ticked in the list, by the texts of their ids, each once.
func tickedOrders(texts []string) (ids []order.ID, err error) {
	for _, text := range texts {
		orderID, err := id.Parse[order.Order](text)
		if err != nil {
			return nil, brokenForm()
		}
		if !slices.Contains(ids, orderID) {
			ids = append(ids, orderID)
		}
	}

	if len(ids) > maxSeveral {
		return nil, tooManyTicked()
	}
	return ids, nil
}

func brokenForm() error {
	return fault.New(fault.Malformed, "malformed_form", "The form is incomplete. Open the page again.")
}

func tooManyTicked() error {
	return fault.New(fault.Invalid, "too_many_orders", "At most %d orders can be chosen at once.", maxSeveral)
}

// findOrders returns the orders with these ids. It returns fault.NotFound if one of them does not exist.
func (ui several) findOrders(
	ctx context.Context, tx store.Tx, shop store.Store, ids []order.ID,
) ([]order.Order, error) {
	list, err := ui.Orders.OrdersOf(ctx, tx, shop, ids)
	if err == nil && len(list) < len(ids) {
		err = fault.Missing("order")
	}
	return list, err
}

// tickedView fills the view of a page about ticked orders, which has none of carts, and returns its body. list is the
// address of the list.
type tickedView func(
	ctx context.Context, tx store.Tx, v *frame.View, orders []order.Order, list string,
) (body any, err error)

// showTicked returns the handler of a page about the orders that the query names.
func (ui several) showTicked(page string, view tickedView) httpapi.Handler {
	return ui.showLogged(page, "", view)
}

// showLogged is like showTicked, for a page with the data of people: an entry of the log with the action is written if
// it is about several orders. Without an action there is none.
func (ui several) showLogged(page string, action audit.Action, view tickedView) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		v := ui.pages.NewView(r, "Orders", "orders", nil)
		address, _ := r.Query.Param("list")
		list := listOf(address)
		ids, err := tickedOrders(r.Query.Params("id"))
		if err != nil {
			return err
		}

		var orders []order.Order
		v.Body, err = frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) (_ any, err error) {
			orders, err = ui.findOrders(ctx, tx, v.Store, ids)
			orders = slices.DeleteFunc(orders, func(o order.Order) bool { return o.State == order.Draft })
			if err != nil || len(orders) == 0 {
				return nil, err
			}
			return view(ctx, tx, &v, orders, list)
		})
		if err != nil {
			return err
		}
		if v.Body == nil {
			return ui.nothingTicked(w, r, list)
		}

		if action != "" && len(orders) > 1 {
			entry := audit.Entry{Action: action, Object: audit.Object{Kind: "orders", Label: numbersOf(orders)}}
			if err := r.RecordDownload(entry, false); err != nil {
				return err
			}
		}
		v.Crumbs = []frame.Link{{Text: v.T("Orders"), URL: list}}
		return ui.pages.Render(w, http.StatusOK, page, v)
	}
}

// numbersOf returns the numbers of submitted orders for the log: "№ 5, 7, 8".
func numbersOf(orders []order.Order) string {
	numbers := make([]string, len(orders))
	for i := range orders {
		numbers[i] = orderNumber(&orders[i])
	}
	return "№ " + strings.Join(numbers, ", ")
}

// listOf returns the address of the list from which orders were chosen.
func listOf(address string) string {
	if address == "/orders" || strings.HasPrefix(address, "/orders?") {
		return frame.LocalRedirectPath(address)
	}
	return "/orders"
}

// nothingTicked leads back to the list.
func (ui several) nothingTicked(w http.ResponseWriter, r *httpapi.Request, list string) error {
	return ui.RedirectWith(w, r, list, frame.Toast{Text: ui.pages.Language(r).T("Tick the orders first.")})
}

// severalBody is the data of the page that asks before several orders change.
type severalBody struct {
	Path, Question, Button, Effect string
	// Danger makes the button red. It is set for cancelling.
	Danger bool
	List   string // the address of the list
	Rows   []severalRow
	// Left are the orders whose states do not allow the change.
	Left []severalRow
}

// severalRow is an order that was chosen with others.
type severalRow struct {
	ID, Title, Who, Total string
	State                 frame.State
}

// severalView returns the page that says what a change of the ticked orders will do.
func (ui several) severalView(to order.State) tickedView {
	return func(_ context.Context, _ store.Tx, v *frame.View, orders []order.Order, list string) (any, error) {
		b := newSeveralBody(*v, to)
		b.List = list
		for i := range orders {
			o := &orders[i]
			if row := newSeveralRow(*v, o); o.State.CheckTransition(to) == nil {
				b.Rows = append(b.Rows, row)
			} else {
				b.Left = append(b.Left, row)
			}
		}

		v.Title = b.Question
		return b, nil
	}
}

func newSeveralRow(v frame.View, o *order.Order) severalRow {
	row := severalRow{ID: o.ID.String(), Title: orderTitle(v.Language, o), Total: v.Money(o.Total, o.Currency),
		State: orderState(v.Language, o.State)}
	row.Who, _ = who(o.Contact)
	return row
}

func newSeveralBody(v frame.View, to order.State) severalBody {
	one := newTransitionBody(v, orderBody{}, to)
	b := severalBody{Path: one.Path, Button: one.Button, Effect: one.Stock.Text, Danger: one.Danger}
	switch to {
	case order.Confirmed:
		b.Question, b.Button = v.T("Confirm these orders?"), v.T("Confirm the orders")
		b.Effect = v.T("The goods stay reserved for these customers. Nothing is taken off the stock yet.")
	case order.Completed:
		b.Question, b.Button = v.T("Complete these orders?"), v.T("Complete the orders")
	case order.Cancelled:
		b.Question, b.Button = v.T("Cancel these orders?"), v.T("Cancel the orders")
	case order.Draft, order.Submitted:
	}
	return b
}

// changeSeveral returns the handler that changes the states of the ticked orders, each in a transaction of its own.
// Orders whose states do not allow it stay as they are, and the message names them. A confirmation can be undone.
func (ui several) changeSeveral(to order.State) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		if err := frame.ParseLargeForm(r); err != nil {
			return err
		}

		list := listOf(r.PostForm.Get("list"))
		ids, err := tickedOrders(r.PostForm["id"])
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return ui.nothingTicked(w, r, list)
		}

		changed, text, err := ui.changeOrders(r, ids, ui.transition(to), func(l *frame.Language, n int) string {
			return changedText(l, to, int64(n))
		})
		if err != nil {
			return err
		}

		t := frame.Toast{Text: text}
		if to == order.Confirmed && len(changed) > 0 {
			t.Undo = undoSeveral(changed, list)
		}
		return ui.RedirectWith(w, r, list, t)
	}
}

// undoSeveral returns the form that undoes the confirmation of orders.
func undoSeveral(confirmed []order.Order, list string) *frame.Undo {
	undo := &frame.Undo{Action: "/orders/unconfirm", Fields: url.Values{"orders": {packOrders(confirmed)}}}
	if list != "/orders" && len(list) <= maxKeptList {
		undo.Fields.Set("list", list)
	}
	return undo
}

// maxKeptList limits the address of the list in an undo form, which is in a cookie. A longer one is not returned to.
const maxKeptList = 300

// packOrders returns the ids and versions of orders, which unpackOrders reads. Those of maxSeveral orders fit a cookie.
func packOrders(orders []order.Order) string {
	var b strings.Builder
	for i := range orders {
		o := &orders[i]
		b.WriteString(base64.RawURLEncoding.EncodeToString(o.ID[:]) + "." + strconv.FormatInt(o.Version, 36) + " ")
	}
	return strings.TrimSpace(b.String())
}

// unpackOrders returns the ids of orders in a text of packOrders, and the version of each.
func unpackOrders(text string) (ids []order.ID, versions map[order.ID]int64, err error) {
	versions = map[order.ID]int64{}
	for field := range strings.FieldsSeq(text) {
		name, number, _ := strings.Cut(field, ".")
		var orderID order.ID
		b, err := base64.RawURLEncoding.DecodeString(name)
		version, broken := strconv.ParseInt(number, 36, 64)
		if err != nil || broken != nil || len(b) != len(orderID) {
			return nil, nil, brokenForm()
		}

		copy(orderID[:], b)
		if _, twice := versions[orderID]; !twice {
			ids = append(ids, orderID)
		}
		versions[orderID] = version
	}

	if len(ids) > maxSeveral {
		return nil, nil, tooManyTicked()
	}
	return ids, versions, nil
}

// unconfirmSeveral undoes the confirmation of several orders, each in a transaction of its own. Those that have changed
// since stay as they are, and the message names them.
func (ui several) unconfirmSeveral(w http.ResponseWriter, r *httpapi.Request) error {
	if err := frame.ParseLargeForm(r); err != nil {
		return err
	}

	list := listOf(r.PostForm.Get("list"))
	ids, versions, err := unpackOrders(r.PostForm.Get("orders"))
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return ui.nothingTicked(w, r, list)
	}

	unconfirm := func(
		ctx context.Context, tx store.Tx, shop store.Store, orderID order.ID, _ fault.Precondition, _ string,
	) (order.Order, error) {
		pre := func(version int64) bool { return version == versions[orderID] }
		return order.Returns{Orders: ui.Orders}.Unconfirm(ctx, tx, shop, orderID, pre, "")
	}
	_, text, err := ui.changeOrders(r, ids, unconfirm, func(l *frame.Language, n int) string {
		if n == 0 {
			return ""
		}
		return l.Plural(int64(n), "%d order is new again.", "%d orders are new again.")
	})
	return ui.Done(w, r, err, list, text)
}

// changeOrders changes orders one after the other. It returns those that were changed, and a message about them and
// about those that stay as they are because of a conflict. summary says how many were changed; it is empty for none.
func (ui several) changeOrders(
	r *httpapi.Request, ids []order.ID, change transitionFunc, summary func(l *frame.Language, n int) string,
) (changed []order.Order, text string, err error) {
	shop := r.Principal.Store
	l := ui.pages.Language(r)
	find := func(ids []order.ID) ([]order.Order, error) {
		return frame.InStore(r, ui.Snapshot(r), func(ctx context.Context, tx store.Tx) ([]order.Order, error) {
			return ui.findOrders(ctx, tx, shop, ids)
		})
	}
	asked, err := find(ids)
	if err != nil {
		return nil, "", err
	}

	changed, left, err := changeEach(ids, func(orderID order.ID) (order.Order, error) {
		return frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (order.Order, error) {
			return change(ctx, tx, shop, orderID, nil, "")
		})
	})
	text = summary(l, len(changed))
	if err != nil && len(changed) > 0 {
		return changed, "", partlyDone(l, text, orderTitle(l, &asked[len(changed)+len(left)]), err)
	}
	if err != nil || len(left) == 0 {
		return changed, text, err
	}

	stayed, err := find(left)
	if err != nil {
		return changed, "", err
	}
	return changed, strings.TrimSpace(text + " " + leftText(l, stayed)), nil
}

// changeEach changes orders one after the other until one fails with something else than a conflict. left are those
// that stay as they are because of a conflict.
func changeEach(
	ids []order.ID, change func(order.ID) (order.Order, error),
) (changed []order.Order, left []order.ID, err error) {
	for _, orderID := range ids {
		switch o, err := change(orderID); {
		case err == nil:
			changed = append(changed, o)
		case isConflict(err):
			left = append(left, orderID)
		default:
			return changed, left, err
		}
	}
	return changed, left, nil
}

// partlyDone returns the error of a change that failed at an order after others were changed.
func partlyDone(l *frame.Language, done, at string, cause error) error {
	refused, known := errors.AsType[*fault.Error](cause)
	kind := fault.Internal
	if known {
		kind = refused.Kind
	}
	text := done + " " + l.T("Then the server failed at this order: %s. It and the orders after it are as they were.",
		at)
	return &fault.Error{Kind: kind, Code: frame.PartlyDone, Message: text, Cause: cause}
}

// changedText says how many orders were changed. It is empty if there are none.
func changedText(l *frame.Language, to order.State, n int64) string {
	switch {
	case n == 0:
		return ""
	case to == order.Confirmed:
		return l.Plural(n, "%d order is confirmed.", "%d orders are confirmed.")
	case to == order.Completed:
		return l.Plural(n, "%d order is completed.", "%d orders are completed.")
	}
	return l.Plural(n, "%d order is cancelled.", "%d orders are cancelled.")
}

// leftText says which orders stay as they are, and in which states they are.
func leftText(l *frame.Language, orders []order.Order) string {
	var names []string
	for i := range orders[:min(len(orders), maxNamed)] {
		o := &orders[i]
		names = append(names, orderTitle(l, o)+" ("+orderState(l, o.State).Text+")")
	}
	if len(orders) > maxNamed {
		names = append(names, "…")
	}
	return l.Plural(len(orders), "%d order stays as it is: %s.", "%d orders stay as they are: %s.",
		strings.Join(names, ", "))
}

// printBody is the data of the slips of several orders.
type printBody struct {
	Slips []orderBody
}

// printView returns the slips of the ticked orders, each of which prints on a page of its own.
func (ui several) printView(
	_ context.Context, _ store.Tx, v *frame.View, orders []order.Order, _ string,
) (any, error) {
	v.Title = v.T("Packing slips")
	b := printBody{}
	for i := range orders {
		b.Slips = append(b.Slips, newOrderBody(*v, orderData{order: orders[i]}))
	}
	return b, nil
}
