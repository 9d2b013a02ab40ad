package orderui

import (
	"context"
	"net/http"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// editPage shows the form that edits an order.
func (ui *UI) editPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.renderEdit(w, r)(http.StatusOK, nil, nil, "")
}

// editOrder changes an order, or shows what a search for variants to add has found.
func (ui *UI) editOrder(w http.ResponseWriter, r *httpapi.Request) error {
	orderID := orderIDFromPath(r)
	frame.ParseForm(r)
	pre := versionField(r)
	shop := r.Principal.Store

	return ui.sendOrderForm(w, r, orderFormPage{
		render: ui.renderEdit(w, r),
		save: func(ctx context.Context, tx store.Tx, form *orderForm) (order.Order, error) {
			return ui.Orders.Update(ctx, tx, shop, orderID, form.update, pre, "")
		},
		conflict: func() error {
			return ui.renderOrder(w, r, http.StatusConflict, "order", changedSince(seenState(r)))
		},
		saved: ui.pages.Language(r).T("The order is changed."),
	})
}

// renderEdit returns the function that writes the page that edits an order. Without a form, its fields have what is
// stored.
func (ui *UI) renderEdit(
	w http.ResponseWriter, r *httpapi.Request,
) func(status int, form *orderForm, refused error, failure string) error {
	return func(status int, form *orderForm, refused error, failure string) error {
		orderID := orderIDFromPath(r)
		v := ui.pages.NewView(r, "Edit the order", "orders", nil)
		search := ""
		if form != nil {
			search = searchText(form.Get("q"))
		}

		body, err := frame.ReadStore(ui.Frame, r, search != "",
			func(ctx context.Context, tx store.Tx) (b editBody, err error) {
				o, err := ui.Orders.Order(ctx, tx, v.Store, orderID, order.Caller{AllOrders: true})
				if err != nil {
					return b, err
				}
				b = newEditBody(v, &o, form)
				if form != nil {
					b.Q, b.Searched = search, search != ""
					customerKey := int64(0)
					if o.CustomerKey != nil {
						customerKey = *o.CustomerKey
					}
					b.Found, err = ui.findVariants(ctx, tx, v, form, customerKey)
				}
				return b, err
			})
		if err != nil {
			return err
		}

		switch { // it cannot be edited any more: its page says why
		case body.ID == "" && form != nil:
			return ui.renderOrder(w, r, http.StatusConflict, "order", changedSince(seenState(r)))
		case body.ID == "":
			return frame.Redirect(w, r.Request, "/orders/"+orderID.String())
		}

		body.mark(v.Language, form, refused)
		v.Title = v.T("Edit order No. %s", body.Number)
		v.Failure = failure
		v.Body = body
		v.Crumbs = []frame.Link{{Text: v.T("Orders"), URL: "/orders"}, {Text: body.Title, URL: "/orders/" + body.ID}}
		return ui.pages.Render(w, status, "order_edit", v)
	}
}

// newEditBody returns the form with what is stored, or with what was typed. It is empty if the order is not open.
func newEditBody(v frame.View, o *order.Order, form *orderForm) editBody {
	if o.State != order.Submitted && o.State != order.Confirmed {
		return editBody{}
	}

	b := editBody{ID: o.ID.String(), Title: v.T("Order No. %s", orderNumber(o)), Number: orderNumber(o),
		Version: o.Version, Seen: o.State, Currency: o.Currency, Texts: orderTexts(o)}
	for name := range b.Texts {
		if form != nil && form.Has(name) {
			b.Texts[name] = form.Get(name)
		}
	}

	for i := range o.Items {
		item := &o.Items[i]
		line := editLine{ID: item.ID.String(), Name: item.Name, SKU: item.SKU, Options: item.OptionNames(),
			Modifiers: modifierRows(v, item, o.Currency), Quantity: typedNumber(v, item.Quantity.Text()),
			Price: typedPrice(v, item.Price.Text()), Unit: item.Unit.Name}
		if field := "line." + line.ID; form != nil && form.Has(field+".quantity") {
			line.Quantity, line.Price = form.Get(field+".quantity"), form.Get(field+".price")
			line.Removed = form.Has(field + ".remove")
		}
		b.Lines = append(b.Lines, line)
	}

	return b
}

// typedPrice returns a price as a person writes it in the language: 186.90 and not 186.9.
func typedPrice(v frame.View, price string) string {
	if _, decimals, found := strings.Cut(price, "."); found && len(decimals) == 1 {
		price += "0"
	}
	return typedNumber(v, price)
}

// typedNumber returns a plain decimal number as a person writes it in the language.
func typedNumber(v frame.View, number string) string {
	if v.DecimalComma() {
		return strings.Replace(number, ".", ",", 1)
	}
	return number
}
