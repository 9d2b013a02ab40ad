package storeapi

import (
	"vitrine/internal/api/httpapi"
	"vitrine/internal/api/storeapi/spec"
	"vitrine/internal/kit/locale"
	"vitrine/internal/kit/schema"
	"vitrine/internal/kit/wire"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/rule"
	"vitrine/internal/shop/store"
)

func (api *API) priceListHandlers() namedResourceHandlers[catalog.PriceList, pricelist.ListEdit, spec.PriceList] {
	return namedResourceHandlers[catalog.PriceList, pricelist.ListEdit, spec.PriceList]{
		noun: "price list", path: "/v2/price-lists",
		read: readPriceListEdit, shape: withDates(priceListOf),
		idAndVersion: func(l *catalog.PriceList) (catalog.PriceListID, int64) { return l.ID, l.Version },
		useCases: namedResourceUseCases[catalog.PriceList, pricelist.ListEdit]{
			list: api.listPriceLists, find: api.prices.Lists.Find, create: api.prices.Lists.Create,
			edit: api.prices.Lists.Edit, delete: api.prices.Lists.Delete,
		},
	}
}

func (api *API) listPriceLists(r *httpapi.Request) httpapi.PageReader[catalog.PriceList] {
	return httpapi.Filtered(r.Query.SearchText(), api.prices.Lists.List)
}

// readPriceListEdit reads the body of a request that creates or edits a price list. It ignores read-only members, so
// that a client may send back a list it has read.
func readPriceListEdit(r *wire.Reader) (e pricelist.ListEdit) {
	r.Object(func(name string) {
		switch name {
		case "name":
			e.Name = wire.OrNil(rule.ReadName(r))
		case "external_id":
			e.ExternalID = rule.ReadExternalIDOrNull(r)
		case "currency":
			e.Currency = wire.OrNil(wire.As(r, r.String, store.CheckCurrency))
		}
	})
	return e
}

func priceListOf(l *catalog.PriceList, dates *locale.Dates) spec.PriceList {
	return spec.PriceList{
		ID: schema.ID(l.ID), ExternalID: schema.OrNull(l.ExternalID), Name: l.Name, Currency: l.Currency,
		CreatedAt: schema.NewDate(l.CreatedAt, dates), UpdatedAt: schema.NewDate(l.UpdatedAt, dates),
	}
}
