package demo

import (
	"context"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// The external ids of the price lists and of the customer group, by which another run finds them.
const (
	oldPriceListID   = "demo-old-prices"
	wholesaleListID  = "demo-wholesale"
	wholesaleGroupID = "demo-wholesale"
)

// priceLists are the ids of the price lists of the demo.
type priceLists struct{ old, wholesale catalog.PriceListID }

// ensurePriceLists creates the missing price lists and the group of wholesale customers. The store shows the old prices
// unless it has a list of old prices already.
func (f *demoFiller) ensurePriceLists(ctx context.Context, tx store.Tx, stores *store.Service, refs *references) error {
	prices := pricelist.New(f.catalog.Core())
	found, _, err := prices.Lists.List(ctx, tx, "", pricelist.MaxLists, 0)
	if err != nil {
		return err
	}
	byExternalID := map[string]catalog.PriceListID{}
	for _, l := range found {
		if l.ExternalID != nil {
			byExternalID[*l.ExternalID] = l.ID
		}
	}

	ensure := func(externalID, name string) (catalog.PriceListID, error) {
		if listID, ok := byExternalID[externalID]; ok {
			return listID, nil
		}
		l, err := prices.Lists.Create(ctx, tx, pricelist.ListEdit{Name: &name, ExternalID: &externalID})
		return l.ID, err
	}
	if refs.lists.old, err = ensure(oldPriceListID, f.generator.oldPrices); err != nil {
		return err
	}
	if refs.lists.wholesale, err = ensure(wholesaleListID, f.generator.wholesalePrices); err != nil {
		return err
	}

	if refs.wholesale, err = f.ensureWholesale(ctx, tx, prices, refs.lists.wholesale); err != nil {
		return err
	}
	return showOldPrices(ctx, tx, stores, refs.lists.old)
}

// ensureWholesale returns the group of wholesale customers, which it creates if it is missing.
func (f *demoFiller) ensureWholesale(
	ctx context.Context, tx store.Tx, prices *pricelist.Service, list catalog.PriceListID,
) (pricelist.GroupID, error) {
	groups, _, err := prices.Groups.List(ctx, tx, "", pricelist.MaxGroups, 0)
	if err != nil {
		return pricelist.GroupID{}, err
	}
	for _, g := range groups {
		if g.ExternalID != nil && *g.ExternalID == wholesaleGroupID {
			return g.ID, nil
		}
	}

	g, err := prices.Groups.Create(ctx, tx, pricelist.GroupEdit{Name: &f.generator.wholesaleGroup,
		ExternalID: new(wholesaleGroupID), PriceLists: &[]catalog.PriceListID{list}})
	return g.ID, err
}

// showOldPrices makes the store show the prices of a list crossed out, unless it shows those of another list.
func showOldPrices(ctx context.Context, tx store.Tx, stores *store.Service, list catalog.PriceListID) error {
	s, err := stores.FindIn(ctx, tx)
	if err != nil || s.OldPriceList != nil {
		return err
	}
	_, err = stores.Update(ctx, tx, store.Edit{OldPriceList: new(store.PriceListID(list))}, nil)
	return err
}

// addListPrices adds prices in the price lists to the variants of the product with this number. Every fourth product is
// on sale, and every tenth has no wholesale price. The prices depend on nothing else than the number and the price.
func (l priceLists) addListPrices(v *vocabulary, number int, e *catalog.ProductEdit) {
	if l == (priceLists{}) {
		return
	}

	for i := range *e.Variants {
		variant := &(*e.Variants)[i]
		units, _ := variant.Price.Amount()
		amount := float64(units) / 10_000
		var prices []catalog.ListPriceEdit
		add := func(list catalog.PriceListID, from money.Quantity, price money.Money) {
			prices = append(prices, catalog.ListPriceEdit{List: list, FromQuantity: from, Price: money.NewPrice(price)})
		}

		if number%4 == 1 {
			add(l.old, pricing.One, v.roundPrice(amount*1.25+v.smallest, 99))
		}
		if number%10 != 0 {
			add(l.wholesale, pricing.One, v.roundWholesale(amount*0.85))
			add(l.wholesale, 10*pricing.One, v.roundWholesale(amount*0.78))
			add(l.wholesale, 50*pricing.One, v.roundWholesale(amount*0.70))
		}
		if len(prices) > 0 {
			variant.Prices = &prices
		}
	}
}
