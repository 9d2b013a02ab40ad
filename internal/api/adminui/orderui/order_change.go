package orderui

import (
	"context"
	"errors"
	"net/http"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// transitionBody is the data of the page that asks before an order changes.
type transitionBody struct {
	orderBody
	Path, Question, Button string
	// Danger makes the button red. It is set for cancelling.
	Danger bool
	Stock  stockEffect
	// Receivers are the addresses that are told.
	Receivers []string
}

// stockEffect is what a change does to the stock. Text explains it; Rows are what is reserved, by item.
type stockEffect struct {
	Text string
	Rows []stockRow
}

type stockRow struct{ Name, SKU, Stock, Quantity string }

// transitionPage returns the handler of the page that says what a change of state will do.
func (ui *UI) transitionPage(to order.State) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		id := orderIDFromPath(r)
		v := ui.pages.NewView(r, "Order", "orders", nil)

		body, err := frame.InStore(r, ui.Snapshot(r),
			func(ctx context.Context, tx store.Tx) (b transitionBody, err error) {
				d := orderData{}
				if d.order, err = ui.Orders.Order(ctx, tx, v.Store, id, order.Caller{AllOrders: true}); err != nil {
					return b, err
				}

				reserved, err := ui.Orders.Reserved(ctx, tx, d.order.Key)
				if err != nil {
					return b, err
				}
				receivers, err := ui.Webhooks.ReceiversOf(ctx, tx, eventType(to))
				if err != nil {
					return b, err
				}

				b = newTransitionBody(v, newOrderBody(v, d), to)
				b.Stock.Rows = stockRows(v, &d.order, reserved)
				for i := range receivers {
					b.Receivers = append(b.Receivers, receivers[i].URL)
				}

				return b, nil
			})
		if err != nil {
			return err
		}

		if !allows(body.Actions, body.Path) {
			return frame.Redirect(w, r.Request, "/orders/"+body.ID) // its page says why
		}

		v.Title = body.Question
		v.Body = body
		v.Crumbs = []frame.Link{{Text: v.T("Orders"), URL: "/orders"},
			{Text: body.orderBody.Title, URL: "/orders/" + body.ID}}

		return ui.pages.Render(w, http.StatusOK, "order_change", v)
	}
}

func allows(list []orderAction, path string) bool {
	for _, a := range list {
		if a.Path == path {
			return true
		}
	}
	return false
}

func newTransitionBody(v frame.View, o orderBody, to order.State) transitionBody {
	b := transitionBody{orderBody: o}
	switch to {
	case order.Confirmed:
		b.Path, b.Question, b.Button = "confirm", v.T("Confirm the order?"), v.T("Confirm the order")
		b.Stock.Text = v.T("The goods stay reserved for this customer. Nothing is taken off the stock yet.")
	case order.Completed:
		b.Path, b.Question, b.Button = "complete", v.T("Complete the order?"), v.T("Complete the order")
		b.Stock.Text = v.T("The goods are taken off the stock. The order can be reopened, which puts them back.")
	case order.Cancelled:
		b.Path, b.Question, b.Button, b.Danger = "cancel", v.T("Cancel the order?"), v.T("Cancel the order"), true
		b.Stock.Text = v.T("The reserved goods can be sold again. The order can be reopened as long as they are there.")
	case order.Draft, order.Submitted:
	}
	return b
}

// stockRows returns what is reserved for the items of an order.
func stockRows(v frame.View, o *order.Order, reserved []order.ReservedItem) (rows []stockRow) {
	items := map[int64]*order.Item{}
	for i := range o.Items {
		items[o.Items[i].Key] = &o.Items[i]
	}
	for _, r := range reserved {
		if item := items[r.ItemKey]; item != nil {
			rows = append(rows, stockRow{item.Name, item.SKU, r.Stock, v.Decimal(r.Quantity)})
		}
	}
	return rows
}

// change returns the handler that changes the state of an order. If the order has changed since the form was rendered,
// it shows what changed.
func (ui *UI) change(to order.State) httpapi.Handler {
	return func(w http.ResponseWriter, r *httpapi.Request) error {
		id := orderIDFromPath(r)
		frame.ParseForm(r)
		pre := versionField(r)
		shop := r.Principal.Store
		l := ui.pages.Language(r)

		o, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (order.Order, error) {
			return ui.transition(to)(ctx, tx, shop, id, pre, "")
		})
		if isConflict(err) {
			return ui.renderOrder(w, r, http.StatusConflict, "order", changedSince(seenState(r)))
		}
		if err != nil {
			return err
		}

		path := "/orders/" + o.ID.String()
		toast := frame.Toast{Text: doneText(l, to)}
		if to == order.Confirmed {
			toast.Undo = &frame.Undo{Action: path + "/unconfirm", Fields: versionFields(o.Version)}
			toast.Undo.Fields.Set("seen", string(o.State))
		}
		return ui.RedirectWith(w, r, path, toast)
	}
}

// unconfirm undoes a confirmation.
func (ui *UI) unconfirm(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.returnOrder(w, r, order.Returns{Orders: ui.Orders}.Unconfirm,
		ui.pages.Language(r).T("The order is new again."))
}

// reopen makes a completed or cancelled order one that is confirmed.
func (ui *UI) reopen(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.returnOrder(w, r, order.Returns{Orders: ui.Orders}.Reopen,
		ui.pages.Language(r).T("The order is open again."))
}

// returnOrder returns an order to an earlier state. If the order has changed since the form was rendered, or its goods
// are not there any more, the page of the order says so.
func (ui *UI) returnOrder(w http.ResponseWriter, r *httpapi.Request, back transitionFunc, done string) error {
	id := orderIDFromPath(r)
	frame.ParseForm(r)
	pre := versionField(r)
	shop := r.Principal.Store

	o, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (order.Order, error) {
		return back(ctx, tx, shop, id, pre, "")
	})
	var f *fault.Error
	switch {
	case errors.As(err, &f) && f.Kind == fault.Conflict && len(f.Fields) > 0:
		return ui.renderOrder(w, r, http.StatusConflict, "order", func(v frame.View, _ orderData) string {
			text := v.Fault(f.Message)
			for _, field := range f.Fields {
				text += " " + v.Fault(field.Message)
			}
			return text
		})
	case isConflict(err):
		return ui.renderOrder(w, r, http.StatusConflict, "order", changedSince(seenState(r)))
	}
	return ui.Done(w, r, err, "/orders/"+o.ID.String(), done)
}

// transitionFunc changes the state of an order.
type transitionFunc func(
	ctx context.Context, tx store.Tx, shop store.Store, id order.ID, pre fault.Precondition, imageBaseURL string,
) (order.Order, error)

// transition returns the change to a state.
func (ui *UI) transition(to order.State) transitionFunc {
	switch to {
	case order.Completed:
		return ui.Orders.Complete
	case order.Cancelled:
		return ui.Orders.Cancel
	case order.Draft, order.Submitted, order.Confirmed:
	}
	return ui.Orders.Confirm
}

// seenState returns the state that the form was rendered with.
func seenState(r *httpapi.Request) order.State {
	if s := order.State(r.PostForm.Get("seen")); s.Known() {
		return s
	}
	return order.Submitted
}

func doneText(l *frame.Language, to order.State) string {
	switch to {
	case order.Confirmed:
		return l.T("The order is confirmed.")
	case order.Completed:
		return l.T("The order is completed.")
	case order.Cancelled, order.Draft, order.Submitted:
	}
	return l.T("The order is cancelled.")
}
