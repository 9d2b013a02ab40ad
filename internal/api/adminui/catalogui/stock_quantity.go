package catalogui

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/id"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// quantityForm is the form that changes what a warehouse has of a variant.
type quantityForm struct {
	product  catalog.ProductID
	variant  catalog.VariantID
	stock    catalog.StockID
	was      *money.Quantity
	quantity money.Quantity
}

// readQuantityForm reads the fields of a form. The error is fault.Invalid.
func readQuantityForm(form url.Values) (f quantityForm, err error) {
	var productErr, variantErr, stockErr error
	f.product, productErr = id.Parse[catalog.Product](form.Get("product"))
	f.variant, variantErr = id.Parse[catalog.Variant](form.Get("variant"))

	f.stock, stockErr = id.Parse[catalog.Stock](form.Get("stock"))
	if productErr != nil || variantErr != nil || stockErr != nil {
		return f, fault.OneField("stock", "required", "Choose a warehouse.")
	}

	if text := form.Get("was"); text != "" {
		was, ok := money.ParseTypedQuantity(text)
		if !ok {
			return f, fault.OneField("was", "out_of_range", "Load the page again.")
		}
		f.was = &was
	}

	quantity, ok := money.ParseTypedQuantity(form.Get("quantity"))
	if !ok {
		return f, fault.OneField("quantity", "out_of_range",
			"A quantity is a number from 0 on, such as 5 or 1.5, with at most %d decimals.", money.QuantityDecimals)
	}

	f.quantity = quantity
	return f, nil
}

func (ui *UI) setQuantity(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	return ui.setOneQuantity(w, r, r.PostForm)
}

// setOneQuantity changes one quantity.
func (ui *UI) setOneQuantity(w http.ResponseWriter, r *httpapi.Request, form url.Values) error {
	f, err := readQuantityForm(form)
	var present *money.Quantity
	var name string
	if err == nil {
		present, err = frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (*money.Quantity, error) {
			t, err := ui.Catalog.Stocks.Find(ctx, tx, f.stock)
			if err != nil {
				return nil, err
			}
			name = t.Name
			return ui.Catalog.Products.SetQuantity(ctx, tx, f.product, f.variant, f.stock, f.was, f.quantity)
		})
	}

	back := frame.BackTo(r, stockPath)

	if frame.Refused(err) {
		return ui.rejectQuantity(w, r, f, form.Get("quantity"), func(v frame.View) string {
			switch {
			case fault.KindOf(err) != fault.Stale:
				return v.Refusal(err)
			case present == nil:
				return v.T("Somebody else has changed this meanwhile. Nothing was saved.")
			}
			return v.T("The quantity in “%s” has become %s meanwhile. Nothing was saved.", name, v.Decimal(*present))
		})
	}

	if err != nil {
		return err
	}

	l := ui.pages.Language(r)
	toast := frame.Toast{Text: l.T("%s: %s", name, l.Decimal(f.quantity))}
	if f.was != nil {
		toast.Text = l.T("%s: %s instead of %s", name, l.Decimal(f.quantity), l.Decimal(*f.was))
		toast.Undo = &frame.Undo{Action: stockPath + "/quantity", Fields: url.Values{
			"product": {f.product.String()}, "variant": {f.variant.String()}, "stock": {f.stock.String()},
			"was": {f.quantity.Text()}, "quantity": {f.was.Text()}, "back": {back}}}
	}

	return ui.RedirectWith(w, r, back, toast)
}

// rejectQuantity shows the page again with the typed quantity and the reason in its row, or the reason above the list
// if the row is no longer there.
func (ui *UI) rejectQuantity(
	w http.ResponseWriter, r *httpapi.Request, f quantityForm, text string, reason func(v frame.View) string,
) error {
	frame.ShowAgain(r, stockPath)
	v, err := ui.stockView(r)
	if err != nil {
		return err
	}
	typed := frame.RowField{Text: text, Message: reason(v)}
	body := v.Body.(*stockPage)
	message := v.T("Nothing was saved: look at the marked fields.")
	at := slices.IndexFunc(body.Rows, func(row levelRow) bool { return row.ID == f.variant })
	if at < 0 || !body.Rows[at].fill(f.stock, typed) {
		message = typed.Message
	}
	return ui.pages.Reject(w, "stock", v, message)
}

// fill puts a refused quantity into the field of a warehouse. It returns false if the row has no field for it.
func (row *levelRow) fill(stock catalog.StockID, typed frame.RowField) bool {
	if i := slices.IndexFunc(row.Remainders, func(m remainderRow) bool { return m.StockID == stock }); i >= 0 {
		row.Remainders[i].Field = typed
		return true
	}
	row.Other = otherField{stock.String(), typed}
	return len(row.Others) > 0
}
