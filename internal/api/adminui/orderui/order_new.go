package orderui

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/order"
	"vitrine/internal/shop/store"
)

// newOrderPage shows the form that enters an order, such as one that somebody has told on the phone.
func (ui *UI) newOrderPage(w http.ResponseWriter, r *httpapi.Request) error {
	return ui.renderNewOrder(w, r, http.StatusOK, &orderForm{}, nil, "")
}

// enterOrder enters an order, or shows what a search for variants has found.
func (ui *UI) enterOrder(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	shop := r.Principal.Store
	l := ui.pages.Language(r)
	form := readOrderForm(r.PostForm)

	if form.Has("find") {
		return ui.renderNewOrder(w, r, http.StatusOK, form, nil, "")
	}
	if form.wrong != nil {
		return ui.renderNewOrder(w, r, http.StatusUnprocessableEntity, form, fault.Fields(form.wrong),
			l.T("Nothing was saved. Look at the fields that are marked."))
	}

	o, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (order.Order, error) {
		return ui.Orders.Enter(ctx, tx, shop, form.entered(), "")
	})
	switch {
	case err == nil:
		return ui.RedirectWith(w, r, "/orders/"+o.ID.String(), frame.Toast{Text: l.T("The order is entered.")})
	case isConflict(err):
		return ui.renderNewOrder(w, r, http.StatusConflict, form, err, l.FaultMessage(err))
	case fault.KindOf(err) == fault.Invalid:
		return ui.renderNewOrder(w, r, http.StatusUnprocessableEntity, form, err,
			l.T("Nothing was saved. Look at the fields that are marked."))
	}
	return err
}

// entered returns the form as a new order.
func (f *orderForm) entered() order.Edit {
	lines := []order.Line{}
	for _, u := range f.update.Lines {
		lines = append(lines, order.Line{VariantID: u.Variant, Quantity: u.Quantity})
	}
	return order.Edit{Items: &lines, Contact: f.update.Contact, Delivery: f.update.Delivery, Comment: f.update.Comment}
}

// renderNewOrder writes the page that enters an order. refused is why the form was refused, or nil.
func (ui *UI) renderNewOrder(
	w http.ResponseWriter, r *httpapi.Request, status int, form *orderForm, refused error, failure string,
) error {
	v := ui.pages.NewView(r, "New order", "orders", nil)
	search := searchText(form.Get("q"))
	body, err := frame.ReadStore(ui.Frame, r, search != "",
		func(ctx context.Context, tx store.Tx) (b editBody, err error) {
			b = editBody{Currency: v.Store.Currency, Texts: orderTexts(&order.Order{}), Q: search,
				Searched: search != ""}
			for name := range b.Texts {
				b.Texts[name] = form.Get(name)
			}
			b.Found, err = findVariants(ctx, tx, v, form, search)
			return b, err
		})
	if err != nil {
		return err
	}

	// The faults of a new order name its lines as those of a cart.
	if f, ok := errors.AsType[*fault.Error](refused); ok {
		for i := range f.Fields {
			if index, isLine := strings.CutPrefix(f.Fields[i].Field, "items["); isLine {
				index, _, _ = strings.Cut(index, "]")
				f.Fields[i].Field = "lines[" + index + "]"
			}
		}
	}

	body.mark(v.Language, form, refused)
	v.Failure = failure
	v.Body = body
	v.Crumbs = []frame.Link{{Text: v.T("Orders"), URL: "/orders"}}
	return ui.pages.Render(w, status, "order_edit", v)
}
