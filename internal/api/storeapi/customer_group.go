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
)

type groupHandlers = namedResourceHandlers[pricelist.Group, pricelist.GroupEdit, spec.CustomerGroup]

func (api *API) customerGroupHandlers() groupHandlers {
	return groupHandlers{
		noun: "customer group", path: "/v2/customer-groups",
		read: readGroupEdit, shape: withDates(groupOf),
		idAndVersion: func(g *pricelist.Group) (pricelist.GroupID, int64) { return g.ID, g.Version },
		useCases: namedResourceUseCases[pricelist.Group, pricelist.GroupEdit]{
			list: api.listGroups, find: api.prices.Groups.Find, create: api.prices.Groups.Create,
			edit: api.prices.Groups.Edit, delete: api.prices.Groups.Delete,
		},
	}
}

func (api *API) listGroups(r *httpapi.Request) httpapi.PageReader[pricelist.Group] {
	return httpapi.Filtered(r.Query.SearchText(), api.prices.Groups.List)
}

// readGroupEdit reads the body of a request that creates or edits a customer group. It ignores read-only members, so
// that a client may send back a group it has read.
func readGroupEdit(r *wire.Reader) (e pricelist.GroupEdit) {
	r.Object(func(name string) {
		switch name {
		case "name":
			e.Name = wire.OrNil(rule.ReadName(r))
		case "external_id":
			e.ExternalID = rule.ReadExternalIDOrNull(r)
		case "price_lists":
			e.PriceLists = wire.ListUpTo(r, pricelist.MaxLists, readPriceListID)
		}
	})
	return e
}

func readPriceListID(r *wire.Reader) catalog.PriceListID {
	listID, _ := wire.ID[catalog.PriceList](r)
	return listID
}

func groupOf(g *pricelist.Group, dates *locale.Dates) spec.CustomerGroup {
	lists := make([]schema.ID, 0, len(g.PriceLists))
	for _, listID := range g.PriceLists {
		lists = append(lists, schema.ID(listID))
	}
	return spec.CustomerGroup{
		ID: schema.ID(g.ID), ExternalID: schema.OrNull(g.ExternalID), Name: g.Name, PriceLists: lists,
		CreatedAt: schema.NewDate(g.CreatedAt, dates), UpdatedAt: schema.NewDate(g.UpdatedAt, dates),
	}
}
