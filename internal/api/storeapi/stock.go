package storeapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/rule"
)

func (api *API) stockHandlers() namedResourceHandlers[catalog.Stock, catalog.StockEdit, spec.Stock] {
	return namedResourceHandlers[catalog.Stock, catalog.StockEdit, spec.Stock]{
		noun: "stock", path: "/v2/stocks",
		read: readStockEdit, shape: withDates(stockOf),
		idAndVersion: func(t *catalog.Stock) (catalog.StockID, int64) { return t.ID, t.Version },
		useCases: namedResourceUseCases[catalog.Stock, catalog.StockEdit]{
			list: api.listStocks, find: api.catalog.Stocks.Find, create: api.catalog.Stocks.Create,
			edit: api.catalog.Stocks.Edit, delete: api.catalog.Stocks.Delete,
		},
	}
}

func (api *API) listStocks(r *httpapi.Request) httpapi.PageReader[catalog.Stock] {
	return httpapi.Filtered(r.Query.SearchText(), api.catalog.Stocks.List)
}

// readStockEdit reads the body of a request that creates or edits a stock. It ignores read-only members, so that a
// client may send back a stock it has read.
func readStockEdit(r *wire.Reader) (e catalog.StockEdit) {
	r.Object(func(name string) {
		switch name {
		case "name":
			e.Name = wire.OrNil(rule.ReadName(r))
		case "external_id":
			e.ExternalID = rule.ReadExternalIDOrNull(r)
		}
	})
	return e
}

func stockOf(t *catalog.Stock, dates *locale.Dates) spec.Stock {
	return spec.Stock{
		ID: schema.ID(t.ID), ExternalID: schema.OrNull(t.ExternalID), Name: t.Name,
		CreatedAt: schema.NewDate(t.CreatedAt, dates), UpdatedAt: schema.NewDate(t.UpdatedAt, dates),
	}
}
