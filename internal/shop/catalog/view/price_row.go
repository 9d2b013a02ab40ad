package view

import (
	"context"
	"slices"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// PriceInList is a price of a variant in a price list.
type PriceInList struct {
	catalog.ListPrice
	List catalog.PriceListID
}

// AddAllPrices adds the prices of the variants in all price lists.
func AddAllPrices(ctx context.Context, tx store.Tx, rows []ProductRows) (err error) {
	defer fault.AddContext(&err, "read the prices of %d products in price lists", len(rows))

	var keys []int64
	for i := range rows {
		for j := range rows[i].Variants {
			keys = append(keys, rows[i].Variants[j].Key)
		}
	}

	prices, err := PricesInLists(ctx, tx, keys)
	for i := range rows {
		for j := range rows[i].Variants {
			rows[i].AllPrices = append(rows[i].AllPrices, prices[rows[i].Variants[j].Key])
		}
	}
	return err
}

// PriceRow is a variant with its prices in all price lists, by list and quantity.
type PriceRow struct {
	catalog.Offer
	Prices []PriceInList
}

// PriceRows is a page of variants with their prices.
type PriceRows struct {
	List []PriceRow
	// Earlier and Later report whether there are variants before and behind the page.
	Earlier, Later bool
}

// ReadPriceRows returns a page of the live variants of products that a search finds, with their prices; an empty search
// finds all. The variants are sorted by their keys. It runs several statements, so tx should read from a snapshot.
func ReadPriceRows(ctx context.Context, tx store.Tx, search string, p LevelPage) (found PriceRows, err error) {
	defer fault.AddContext(&err, "list prices of variants")

	ids, err := levelVariants(ctx, tx, LevelFilter{Search: search}, 0, p)
	if err != nil {
		return found, err
	}
	ids, found.Earlier, found.Later = p.window(ids)

	offers, err := catalog.OffersOf(ctx, tx, ids, "")
	if err != nil {
		return found, err
	}

	var keys []int64
	for _, variantID := range ids {
		if o := offers[variantID]; o != nil {
			found.List = append(found.List, PriceRow{Offer: *o})
			keys = append(keys, o.Key)
		}
	}

	prices, err := PricesInLists(ctx, tx, keys)
	for i := range found.List {
		found.List[i].Prices = prices[found.List[i].Key]
	}
	return found, err
}

// window cuts the ids of a page, of which there is one more if there are more, and puts them in ascending order.
func (p LevelPage) window(ids []catalog.VariantID) (page []catalog.VariantID, earlier, later bool) {
	more := len(ids) > p.Limit
	page = ids[:min(len(ids), p.Limit)]
	if p.Before > 0 {
		slices.Reverse(page)
		return page, more, true
	}
	return page, p.After > 0, more
}
