package catalogui

import (
	"context"
	"net/http"
	"slices"

	"vitrine/internal/api/adminui/frame"
	"vitrine/internal/api/httpapi"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/view"
	"vitrine/internal/shop/store"
)

const warehousesPath = stockPath + "/warehouses"

// warehouseList is the data of the page with the warehouses.
type warehouseList struct {
	Rows   []warehouseRow
	Name   string // of a new one that was refused
	Errors frame.FieldErrors
}

type warehouseRow struct {
	catalog.Stock
	NameField frame.RowField
}

func (ui *UI) warehousesView(r *httpapi.Request) (frame.View, error) {
	body, err := frame.InStore(r, ui.Read(r), func(ctx context.Context, tx store.Tx) (b *warehouseList, err error) {
		b = &warehouseList{}
		list, _, err := ui.Catalog.Stocks.List(ctx, tx, "", maxWarehouses, 0)
		for _, t := range list {
			b.Rows = append(b.Rows, warehouseRow{t, frame.RowField{Text: t.Name}})
		}
		return b, err
	})
	v := ui.pages.NewView(r, "Warehouses", "stock", body)
	v.Crumbs = []frame.Link{{Text: v.T("Stock"), URL: stockPath}}
	return v, err
}

func stockIDOf(r *httpapi.Request) catalog.StockID {
	return httpapi.PathID[catalog.Stock](r, "id", "stock")
}

// rejectWarehouses shows the list again. The function fill puts what the operator wrote into the page.
func (ui *UI) rejectWarehouses(
	w http.ResponseWriter, r *httpapi.Request, fill func(v frame.View, b *warehouseList),
) error {
	v, err := ui.warehousesView(r)
	if err != nil {
		return err
	}
	fill(v, v.Body.(*warehouseList))
	return ui.pages.Reject(w, "warehouses", v, v.T("Nothing was saved: look at the marked fields."))
}

func (ui *UI) createWarehouse(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	name := r.PostForm.Get("name")
	created, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Stock, error) {
		return ui.Catalog.Stocks.Create(ctx, tx, catalog.StockEdit{Name: &name})
	})
	if frame.Refused(err) {
		return ui.rejectWarehouses(w, r, func(_ frame.View, b *warehouseList) {
			b.Name, b.Errors = name, frame.NewFieldErrors(ui.pages.Language(r), err, nil)
		})
	}

	return ui.Done(w, r, err, warehousesPath, ui.pages.Language(r).T("“%s” is created.", created.Name))
}

func (ui *UI) renameWarehouse(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	stockID := stockIDOf(r)
	pre := frame.RenderedVersion(r)

	name := r.PostForm.Get("name")
	_, err := frame.Change(ui.Frame, r, func(ctx context.Context, tx store.Tx) (catalog.Stock, error) {
		return ui.Catalog.Stocks.Edit(ctx, tx, stockID, catalog.StockEdit{Name: &name}, pre)
	})
	if frame.Refused(err) {
		return ui.rejectWarehouses(w, r, func(v frame.View, b *warehouseList) {
			i := slices.IndexFunc(b.Rows, func(row warehouseRow) bool { return row.ID == stockID })
			if i < 0 {
				return
			}
			b.Rows[i].NameField = frame.RowField{Text: name, Message: v.Refusal(err)}
			if fault.KindOf(err) == fault.Stale {
				b.Rows[i].NameField.Message = v.Stale(v.T("“%s”", b.Rows[i].Name))
			}
		})
	}

	return ui.Done(w, r, err, warehousesPath, ui.pages.Language(r).T("Saved."))
}

// warehouseDeletion is the data of the page that asks whether to delete a warehouse.
type warehouseDeletion struct {
	catalog.Stock
	Impact view.StockImpact
}

func (ui *UI) warehouseDeletionView(r *httpapi.Request) (frame.View, error) {
	stockID := stockIDOf(r)
	read := func(ctx context.Context, tx store.Tx) (b warehouseDeletion, err error) {
		if b.Stock, err = ui.Catalog.Stocks.Find(ctx, tx, stockID); err == nil {
			b.Impact, err = view.ImpactOfStock(ctx, tx, stockID)
		}
		return b, err
	}
	body, err := frame.ReadStore(ui.Frame, r, true, read) // counts what the warehouse has
	v := ui.pages.NewView(r, "Delete", "stock", body)
	v.Crumbs = []frame.Link{{Text: v.T("Stock"), URL: stockPath}, {Text: v.T("Warehouses"), URL: warehousesPath}}
	return v, err
}

func (ui *UI) deleteWarehouse(w http.ResponseWriter, r *httpapi.Request) error {
	frame.ParseForm(r)
	stockID := stockIDOf(r)
	pre := frame.RenderedVersion(r)
	deleted, err := frame.ChangeLong(r, func(ctx context.Context, tx store.Tx) (catalog.Stock, error) {
		t, err := ui.Catalog.Stocks.Find(ctx, tx, stockID)
		if err != nil {
			return t, err
		}
		return t, ui.Catalog.Stocks.Delete(ctx, tx, stockID, pre)
	})
	if frame.Refused(err) {
		v, viewErr := ui.warehouseDeletionView(r)
		if viewErr != nil {
			return viewErr
		}
		if fault.KindOf(err) == fault.Stale {
			return ui.pages.Reject(w, "warehouse_delete", v, v.StaleImpact())
		}
		return ui.pages.Reject(w, "warehouse_delete", v, v.Refusal(err))
	}

	return ui.Done(w, r, err, warehousesPath, ui.pages.Language(r).T("“%s” is deleted.", deleted.Name))
}
