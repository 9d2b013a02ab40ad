package catalogui

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/bulk"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// quantityFields are the fields that the form of all quantities has once for each of them.
var quantityFields = []string{"product", "variant", "key", "stock", "was", "quantity"}

// changedQuantity is a quantity of the form that is not the stored one any more.
type changedQuantity struct {
	form url.Values
	cell catalog.Cell
	err  error // why it is refused
}

// readChangedQuantities reads the quantities that were changed in the form of all of them.
func readChangedQuantities(form url.Values) (list []changedQuantity, err error) {
	malformed := fault.New(fault.Malformed, "malformed_form", "The form is incomplete. Open the page again.")
	for _, name := range quantityFields {
		if len(form[name]) != len(form["quantity"]) {
			return nil, malformed
		}
	}

	for i, text := range form["quantity"] {
		was := form["was"][i]
		if strings.TrimSpace(text) == was {
			continue
		}

		c := changedQuantity{form: url.Values{}}
		for _, name := range quantityFields {
			c.form.Set(name, form[name][i])
		}
		if _, err := fmt.Sscanf(form["key"][i], "%d.%d", &c.cell.Product, &c.cell.Variant); err != nil {
			return nil, malformed
		}

		f, err := readQuantityForm(c.form)
		emptied := strings.TrimSpace(text) == "" && f.stock != (catalog.StockID{})
		c.cell.Member, c.cell.From = catalog.StockMember(f.stock), was
		switch {
		case emptied: // the warehouse does not count the variant any more
		case err != nil:
			c.err = err
		default:
			c.cell.To = f.quantity.Text()
		}
		if c.err != nil || c.cell.From != c.cell.To {
			list = append(list, c)
		}
	}

	return list, nil
}

// setQuantities stores all quantities that a person has changed in the form, or none of them if one is refused. A
// single quantity is stored by setOneQuantity.
func (ui *UI) setQuantities(w http.ResponseWriter, r *httpapi.Request) error {
	if err := frame.ParseLargeForm(r); err != nil {
		return err
	}
	list, err := readChangedQuantities(r.PostForm)
	if err != nil {
		return err
	}

	l := ui.pages.Language(r)
	back := frame.BackTo(r, stockPath)
	switch {
	case len(list) == 0:
		return ui.RedirectWith(w, r, back, frame.Toast{Text: l.T("Nothing was changed.")})
	case len(list) == 1 && list[0].form.Get("quantity") != "":
		return ui.setOneQuantity(w, r, list[0].form)
	case slices.ContainsFunc(list, func(c changedQuantity) bool { return c.err != nil }):
		return ui.rejectQuantities(w, r, list)
	}

	cells := make([]catalog.Cell, len(list))
	for i := range list {
		cells[i] = list[i].cell
	}
	change, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (c bulk.Change, err error) {
		if c, err = ui.Bulk.StartCells(ctx, tx, l.T("Counted in the warehouses"), cells); err != nil {
			return c, err
		}
		return c, audit.Record(ctx, tx, audit.Entry{Action: audit.ProductsChanged,
			Object: audit.Object{Kind: "products", ID: c.ID.String()},
			Changes: []audit.Change{{Field: "action", To: string(c.Action)},
				{Field: "count", To: strconv.FormatInt(c.Total, 10)}}})
	})
	if err != nil {
		return ui.Done(w, r, err, back, "")
	}

	progress := "/product-changes/" + change.ID.String()
	if change.FinishedAt == nil {
		return frame.Redirect(w, r.Request, progress)
	}

	toast := frame.Toast{Text: l.Plural(change.Changed, "%d quantity is saved.", "%d quantities are saved.")}
	if left := change.Total - change.Changed; left > 0 {
		toast.Text += " " + l.Plural(left, "%d stays as it is, since somebody else has changed it meanwhile.",
			"%d stay as they are, since somebody else has changed them meanwhile.")
	}
	if change.Changed > 0 {
		toast.Undo = &frame.Undo{Action: progress + "/undo"}
	}
	return ui.RedirectWith(w, r, back, toast)
}

// rejectQuantities shows the page again with all typed quantities.
func (ui *UI) rejectQuantities(w http.ResponseWriter, r *httpapi.Request, list []changedQuantity) error {
	frame.ShowAgain(r, stockPath)
	v, err := ui.stockView(r)
	if err != nil {
		return err
	}

	body := v.Body.(*stockPage)
	for _, c := range list {
		f, _ := readQuantityForm(c.form)
		typed := frame.RowField{Text: c.form.Get("quantity")}
		if c.err != nil {
			typed.Message = v.Refusal(c.err)
		}
		at := slices.IndexFunc(body.Rows, func(row levelRow) bool { return row.ID == f.variant })
		if at >= 0 {
			body.Rows[at].fill(f.stock, typed)
		}
	}
	return ui.pages.Reject(w, "stock", v, v.T("Nothing was saved: look at the marked fields."))
}
