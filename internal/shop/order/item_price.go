package order

import (
	"context"
	"time"

	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// itemPrices are the prices of price lists for the items of a draft. The zero value has none.
type itemPrices struct {
	chain  []int64
	prices *pricelist.Prices
	lists  map[int64]catalog.PriceListID // by row key
}

// endPrices takes the price lists from a draft if the key that it has them from has expired.
func (o *Order) endPrices(now time.Time) {
	if o.pricesEnd != nil && !o.pricesEnd.After(now) {
		o.prices = ""
	}
}

// readItemPrices reads the prices of variants for a chain of price lists.
func readItemPrices(
	ctx context.Context, tx store.Tx, chain pricing.Chain, variantKeys []int64,
) (p itemPrices, err error) {
	if chain.IsBase() || len(variantKeys) == 0 {
		return itemPrices{}, nil
	}
	p.chain = chain.Lists()
	reader := pricelist.Reader{Chain: chain, Steps: true}
	if p.prices, err = pricelist.OfVariants(ctx, tx, variantKeys, reader); err != nil {
		return itemPrices{}, err
	}
	p.lists, err = pricelist.IDsOfLists(ctx, tx, p.chain)
	return p, err
}

// apply replaces the price of the variant itself by the price for the quantity of the item, if a list has one.
func (p itemPrices) apply(i *Item) {
	if p.prices == nil {
		return
	}
	prices := p.prices.Of(i.variantKey, i.Price)
	price, list := prices.At(i.Quantity)
	i.Price, i.PriceList = price, catalog.PriceListID{}
	if list >= 0 {
		i.PriceList = p.lists[p.chain[list]]
	}
}

// applyItemPrices replaces the prices of the items of drafts by those of the drafts' price lists. Items whose variants
// are not among the offers keep their last prices. The prices are without modifiers, which modifierReader.follow adds.
func applyItemPrices(
	ctx context.Context, tx store.Tx, orders []Order, offers map[catalog.VariantID]*catalog.Offer,
) error {
	variants := map[pricing.Chain][]int64{}
	for i := range orders {
		if o := &orders[i]; o.State == Draft && !o.prices.IsBase() {
			for j := range o.Items {
				variants[o.prices] = append(variants[o.prices], o.Items[j].variantKey)
			}
		}
	}

	for chain, keys := range variants {
		prices, err := readItemPrices(ctx, tx, chain, keys)
		if err != nil {
			return err
		}
		for i := range orders {
			if o := &orders[i]; o.State == Draft && o.prices == chain {
				o.applyPrices(prices, offers)
			}
		}
	}
	return nil
}

func (o *Order) applyPrices(prices itemPrices, offers map[catalog.VariantID]*catalog.Offer) {
	for j := range o.Items {
		if offers[o.Items[j].VariantID] != nil {
			prices.apply(&o.Items[j])
		}
	}
}
