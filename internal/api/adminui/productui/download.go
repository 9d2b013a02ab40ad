package productui

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/xlsx"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/exchange"
	"vitrine/internal/shop/exchange/item/table"
	"vitrine/internal/shop/search"
	"vitrine/internal/shop/store"
)

// downloadTimeout limits the time that a table of products takes in the database.
const downloadTimeout = 20 * time.Minute

// tableUI serves the list as a table.
type tableUI struct{ *UI }

// download writes the products of the list as a table that can be uploaded again. Things without an id in the exchange
// get one if the operator may change the catalogue: an upload finds them by it. Products in the archive are left out.
func (ui tableUI) download(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	format, err := frame.ParseTableFormat(r.PostForm.Get("format"))
	if err != nil {
		return err
	}

	keys := []int64{}
	form := bulkForm{Selection: r.PostForm.Get("selection"), All: true}
	err = frame.FindProducts(ui.Frame, r, ui.Search, form.query(r),
		func(_ context.Context, _ store.Tx, found search.Result) error {
			keys = append(keys[:0], found.Keys...)
			return nil
		})
	if err != nil {
		return err
	}
	slices.Sort(keys)

	params := exchange.ExportParams{Entity: exchange.Products, ImageBaseURL: r.BaseURL(ui.PublicURL), Products: keys}
	if !r.Principal.May(access.CatalogWrite) {
		return ui.writeTable(w, r, format, params, true)
	}

	err = ui.writeTable(w, r, format, params, false)
	if !errors.Is(err, exchange.ErrNeedsIDs) {
		return err
	}
	if err := ui.Exchange.Exports.AssignTableIDs(r.Context(), r.Principal.Store.ID, r.Actor()); err != nil {
		return err
	}
	return ui.writeTable(w, r, format, params, false)
}

// writeTable sends the table. It returns exchange.ErrNeedsIDs before it sends anything if something has no id in the
// exchange and may not lack it.
func (ui tableUI) writeTable(
	w http.ResponseWriter, r *httpapi.Request, format frame.TableFormat, params exchange.ExportParams, mayLackIDs bool,
) error {
	l := ui.pages.Language(r)
	return r.ReadLong(w, downloadTimeout, func(ctx context.Context, tx store.Tx, out *httpapi.Response) error {
		file, err := frame.NewTableFile(out, l, format, l.T("Products"))
		if err != nil {
			return err
		}

		_, err = ui.Exchange.Exports.ExportTable(ctx, tx, params, mayLackIDs, func(cells []xlsx.Cell) error {
			for i := range cells {
				if format == frame.XLSX && !table.FitsWorkbook(cells[i].Text) {
					cells[i] = xlsx.Cell{} // an upload leaves the text as it is
				}
			}
			return file.Row(cells...)
		})
		if err != nil {
			return err
		}

		return file.Close(w, "products-"+ui.Now().In(r.Principal.Store.Zone()).Format(time.DateOnly))
	})
}
