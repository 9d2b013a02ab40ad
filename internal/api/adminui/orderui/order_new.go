package orderui

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/customer"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// entryBody is what only the form of a new order has: who orders, and what the shop notes.
type entryBody struct {
	// MaySearch says that the person may see customers. Search is the text in the field, and Found what it has found.
	MaySearch, Searched bool
	Search              string
	Found               []customerRow
	// Customer is who was chosen, with the group whose prices the customer gets; nil for nobody.
	Customer *customerRow
	Group    string
	Note     string
	Paid     bool
}

// newOrderPage shows the form that enters an order, such as one that somebody has told on the phone. The query
// parameter customer names who orders.
func (ui *UI) newOrderPage(w http.ResponseWriter, r *httpapi.Request) error {
	form := url.Values{}
	if chosen := r.URL.Query().Get("customer"); chosen != "" {
		form.Set("choose", chosen)
	}
	return ui.renderNewOrder(w, r)(http.StatusOK, readOrderForm(form), nil, "")
}

// enterOrder enters an order, or shows what a search for customers or variants has found.
func (ui *UI) enterOrder(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	shop := r.Principal.Store

	return ui.sendOrderForm(w, r, orderFormPage{
		render: ui.renderNewOrder(w, r),
		save: func(ctx context.Context, tx store.Tx, form *orderForm) (order.Order, error) {
			e := order.Entry{Update: form.update}
			if chosen := form.customer(); chosen != nil {
				e.CustomerID = *chosen
			}
			if form.Has("note") {
				e.Note = form.text("note")
			}
			if form.Has("paid") {
				e.PaidAt = new(ui.Now())
			}
			return ui.Orders.Enter(ctx, tx, shop, e, "")
		},
		saved: ui.pages.Language(r).T("The order is entered."),
	})
}

// customer returns the customer of a new order, or nil.
func (f *orderForm) customer() *access.CustomerID {
	text := f.Get("customer")
	switch {
	case f.Has("nobody"):
		return nil
	case f.Has("choose"):
		text = f.Get("choose")
	}
	customerID, err := id.Parse[access.Customer](text)
	if err != nil {
		return nil
	}
	return &customerID
}

// renderNewOrder returns the function that writes the page that enters an order.
func (ui *UI) renderNewOrder(
	w http.ResponseWriter, r *httpapi.Request,
) func(status int, form *orderForm, refused error, failure string) error {
	return func(status int, form *orderForm, refused error, failure string) error {
		v := ui.pages.NewView(r, "New order", "orders", nil)
		search := searchText(form.Get("q"))
		people := searchText(form.Get("person"))
		body, err := frame.ReadStore(ui.Frame, r, search != "" || people != "",
			func(ctx context.Context, tx store.Tx) (b editBody, err error) {
				b = editBody{Currency: v.Store.Currency, Texts: orderTexts(&order.Order{}), Q: search,
					Searched: search != ""}
				for name := range b.Texts {
					b.Texts[name] = form.Get(name)
				}
				b.Entry = entryBody{MaySearch: v.May(string(access.CustomersRead)), Search: people,
					Note: form.Get("note"), Paid: form.Has("paid")}
				customerKey, err := ui.readEntry(ctx, tx, v, form, &b)
				if err != nil {
					return b, err
				}
				b.Found, err = ui.findVariants(ctx, tx, v, form, customerKey)
				return b, err
			})
		if err != nil {
			return err
		}

		body.mark(v.Language, form, refused)
		v.Failure = failure
		v.Body = body
		v.Crumbs = []frame.Link{{Text: v.T("Orders"), URL: "/orders"}}
		return ui.pages.Render(w, status, "order_edit", v)
	}
}

// readEntry reads who orders, or whom a search for customers finds, and returns the row key of the customer; 0 without
// one. The contact of a customer who is chosen is written into the fields that are empty.
func (ui *UI) readEntry(
	ctx context.Context, tx store.Tx, v frame.View, form *orderForm, b *editBody,
) (customerKey int64, err error) {
	if !b.Entry.MaySearch {
		return 0, nil
	}
	if chosen := form.customer(); chosen != nil {
		c, err := customer.Find(ctx, tx, *chosen)
		switch {
		case fault.KindOf(err) == fault.NotFound: // deleted meanwhile
		case err != nil:
			return 0, err
		default:
			err = ui.showChosen(ctx, tx, v, form, b, &c)
			return c.Key, err
		}
	}

	if b.Entry.Search == "" {
		return 0, nil
	}
	b.Entry.Searched = true
	part, err := ui.Customers.List(ctx, tx, customer.Filter{Search: b.Entry.Search, Tolerant: true}, nil, foundPeople)
	for i := range part.Customers {
		b.Entry.Found = append(b.Entry.Found, newCustomerRow(v, &part.Customers[i], order.CustomerTotals{}))
	}
	return 0, err
}

// showChosen sets who orders.
func (ui *UI) showChosen(
	ctx context.Context, tx store.Tx, v frame.View, form *orderForm, b *editBody, c *customer.Customer,
) (err error) {
	b.Entry.Customer = new(newCustomerRow(v, c, order.CustomerTotals{}))
	if b.Entry.Group, err = access.GroupName(ctx, tx, c.GroupID); err != nil || !form.Has("choose") {
		return err
	}

	for name, text := range map[string]string{"contact.name": c.Name, "contact.email": textOf(c.Email),
		"contact.phone": textOf(c.Phone)} {
		if strings.TrimSpace(b.Texts[name]) == "" {
			b.Texts[name] = text
		}
	}
	return nil
}
