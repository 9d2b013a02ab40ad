package storeapi

import (
	"context"
	"net/http"
	"slices"

	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/locale"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/protection"
	"vitrine/internal/shop/store"
)

// ordersPath is the path of the collection of orders.
const ordersPath = "/v2/orders"

// orderBatch is the number of orders whose items are in memory at a time. An order has at most 1,000 items, so at most
// 50,000 items are in memory.
const orderBatch = 50

// orderHandlers has the handlers of carts and orders.
type orderHandlers struct{ *API }

func (h orderHandlers) list(w http.ResponseWriter, r *httpapi.Request) error {
	f := orderFilter(r)
	page := r.Query.Page()
	shop := r.Principal.Store
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		if err := r.Work.HeavyAfter(page); err != nil {
			return err
		}

		found, total, err := h.orders.Orders(ctx, tx, shop, f, page.PerPage, page.Offset())
		if err != nil {
			return err
		}

		dates := r.Dates()
		base := h.imageBaseURL(r)
		n := 0
		out.BeginData()
		out.B = append(out.B, '[')

		for part := range slices.Chunk(found, orderBatch) {
			if err := h.orders.FillItems(ctx, tx, shop, part); err != nil {
				return err
			}

			for i := range part {
				out.BeginItem(n)
				n++
				part[i].ImageBaseURL = base
				part[i].ForShop = showsInternals(r)
				out.B = appendOrder(out.B, r, &part[i], dates)
				if err := out.Spill(); err != nil {
					return err
				}
			}

			clear(part)
		}

		out.B = append(out.B, ']')
		out.AppendPageMeta(page, total)
		out.EndEnvelope()

		return nil
	})
}

// orderFilter reads the filters of a list. A customer sees their own orders; a principal with the scope
// access.OrdersRead sees all orders of the store.
func orderFilter(r *httpapi.Request) order.Filter {
	if r.Principal.CustomerKey == 0 && !r.Principal.May(access.OrdersRead) {
		r.Fail(fault.New(fault.Denied, "forbidden",
			"This credential is valid, but may not do this; it would need the scope %s, or be a customer token.",
			access.OrdersRead))
	}
	r.Query.Extras()
	f := order.Filter{CustomerKey: r.Principal.CustomerKey, Search: r.Query.SearchText()}
	state, given := r.Query.Param("state")
	if f.State = order.State(state); given && !f.State.Known() {
		r.Query.BadParam("state", "must be one of draft, submitted, confirmed, completed, cancelled")
	}
	period := r.Query.Period()
	f.CreatedFrom, f.CreatedBefore = period.From, period.Before
	return f
}

func (h orderHandlers) show(w http.ResponseWriter, r *httpapi.Request) error {
	orderID := h.pathID(r)
	r.Query.Extras()
	return r.Read(w, true, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		o, err := h.orders.Order(ctx, tx, r.Principal.Store, orderID, orderCaller(r, access.OrdersRead))
		if err == nil {
			h.respond(r, out, &o)
		}
		return err
	})
}

func (h orderHandlers) create(w http.ResponseWriter, r *httpapi.Request) error {
	e := readBody(r, readOrderEdit)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		if err := h.admitLines(r, 1+e.Size()); err != nil {
			return err
		}

		o, token, err := h.orders.Create(ctx, tx, r.Principal.Store, e, orderCaller(r, access.OrdersWrite))
		if err != nil {
			return err
		}

		out.Created(ordersPath + "/" + o.ID.String())
		out.ETag = httpapi.ETag(o.Version)
		out.BeginData()
		o.ImageBaseURL = h.imageBaseURL(r)
		o.ForShop = showsInternals(r)
		out.B = appendNewOrder(out.B, &o, token, r.Dates())
		out.EndEnvelope()

		return nil
	})
}

// admitLines counts the lines that a visitor writes into a cart against the quota of the address. Without it, one
// address could fill the database with large carts. It is called in the transaction, which a repeated request with the
// same Idempotency-Key does not reach.
func (h orderHandlers) admitLines(r *httpapi.Request, lines int) error {
	if r.Principal.Kind == access.SecretKey {
		return nil
	}
	return h.cartQuota.AllowMany(r, lines, "Too many lines were written into carts from this address.")
}

// appendNewOrder appends an order with its token, which only the response to the creation contains.
func appendNewOrder(b []byte, o *order.Order, token string, dates *locale.Dates) []byte {
	created := o.JSON(dates)
	created.OrderToken = token
	return created.Append(b)
}

func (h orderHandlers) edit(w http.ResponseWriter, r *httpapi.Request) error {
	orderID := h.pathID(r)
	c := readBody(r, readOrderChange)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		if err := h.admitLines(r, c.Size()); err != nil {
			return err
		}
		o, err := h.change(ctx, tx, r, orderID, c)
		if err == nil {
			h.respond(r, out, &o)
		}
		return err
	})
}

// change edits a draft, or for a caller who may change all orders a submitted order, except its items. What the shop
// adds to a submitted order is read-only in a draft.
func (h orderHandlers) change(
	ctx context.Context, tx store.Tx, r *httpapi.Request, orderID order.ID, c orderChange,
) (order.Order, error) {
	if r.Principal.May(access.OrdersWrite) && c.Items == nil {
		o, err := h.orders.WithID(ctx, tx, orderID)
		if err != nil {
			return order.Order{}, err
		}
		if o.State != order.Draft {
			u := c.update
			u.Contact, u.Delivery, u.Comment = c.Contact, c.Delivery, c.Comment
			return h.orders.Update(ctx, tx, r.Principal.Store, orderID, u, r.IfMatch(), h.eventImageBaseURL(r))
		}
	}
	return h.orders.Edit(ctx, tx, r.Principal.Store, orderID, c.Edit, orderCaller(r, access.OrdersWrite), r.IfMatch())
}

func (h orderHandlers) submit(w http.ResponseWriter, r *httpapi.Request) error {
	e, token := readProtected(r, readSubmission)
	if done, err := h.guard(w, r, protection.OrderSubmission, token); done || err != nil {
		return err
	}
	orderID := h.pathID(r) // after the guard: a refusal of the captcha precedes any 404
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		o, err := h.orders.Submit(ctx, tx, r.Principal.Store, orderID, e, orderCaller(r, access.OrdersWrite),
			h.eventImageBaseURL(r))
		if err == nil {
			h.respond(r, out, &o)
		}
		return err
	})
}

// confirm, complete and cancel change the state of an order. The order service refuses orders in a wrong state.
func (h orderHandlers) confirm(w http.ResponseWriter, r *httpapi.Request) error {
	return h.transition(w, r, h.orders.Confirm)
}

func (h orderHandlers) complete(w http.ResponseWriter, r *httpapi.Request) error {
	return h.transition(w, r, h.orders.Complete)
}

func (h orderHandlers) cancel(w http.ResponseWriter, r *httpapi.Request) error {
	return h.transition(w, r, h.orders.Cancel)
}

func (h orderHandlers) transition(
	w http.ResponseWriter, r *httpapi.Request,
	apply func(context.Context, store.Tx, store.Store, order.ID, fault.Precondition, string) (order.Order, error),
) error {
	orderID := h.pathID(r)
	readOptionalBody(r)
	return r.Write(w, false, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		o, err := apply(ctx, tx, r.Principal.Store, orderID, nil, h.eventImageBaseURL(r))
		if err == nil {
			h.respond(r, out, &o)
		}
		return err
	})
}

func (h orderHandlers) pathID(r *httpapi.Request) order.ID {
	return httpapi.PathID[order.Order](r, "id", "order")
}

// orderCaller returns the caller for the order service. A principal with the scope may access every order of the store.
func orderCaller(r *httpapi.Request, scope access.Scope) order.Caller {
	return order.Caller{
		AllOrders: r.Principal.May(scope), CustomerKey: r.Principal.CustomerKey, CustomerID: r.Principal.CustomerID,
		Token: r.Header.Get(httpapi.OrderTokenHeader), KeyID: r.Principal.EntryKey(), Prices: r.Principal.Prices,
	}
}

// appendOrder appends an order. Only secret keys see the number of its payment.
func appendOrder(b []byte, r *httpapi.Request, o *order.Order, dates *locale.Dates) []byte {
	shown := o.JSON(dates)
	if r.Principal.Kind == access.SecretKey {
		shown.PaymentNumber = o.PaymentNumber
	}
	return shown.Append(b)
}

// showsInternals reports whether the response shows what only those who work in the shop see.
func showsInternals(r *httpapi.Request) bool { return r.Principal.Kind == access.SecretKey }

// respond writes one order with its ETag to the response.
func (h orderHandlers) respond(r *httpapi.Request, out *httpapi.Response, o *order.Order) {
	out.ETag = httpapi.ETag(o.Version)
	out.BeginData()
	o.ImageBaseURL = h.imageBaseURL(r)
	o.ForShop = showsInternals(r)
	out.B = appendOrder(out.B, r, o, r.Dates())
	out.EndEnvelope()
}
