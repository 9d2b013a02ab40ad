package view

import (
	"context"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// StockState selects variants by what is left of them.
type StockState string

// The states of the stock of a variant. A variant without remainders, which can always be sold, has none but AnyStock.
const (
	AnyStock      StockState = ""
	RanOut        StockState = "out"      // nothing is left
	Wanted        StockState = "wanted"   // nothing is left, and the product was ordered lately
	LowStock      StockState = "low"      // something is left, but no more than the threshold
	ReservedStock StockState = "reserved" // submitted orders have reserved something
)

// LevelFilter selects the live variants of a list of stock levels.
type LevelFilter struct {
	State StockState
	// Low is the threshold of LowStock.
	Low money.Quantity
	// Stock, if it is not nil, selects the variants that have a remainder in this stock, by what is left there.
	Stock *catalog.StockID
	// Search is a list of words. Each must begin some word of the product's name, of a SKU or of the external id.
	Search string

	// firstSoldOut limits Wanted to the first maxSoldOutRead variants of which nothing is left.
	firstSoldOut bool
}

// maxSoldOutRead is the number of variants of which nothing is left that CountWanted looks at.
const maxSoldOutRead = 1000

// LevelPage is a position in a list of stock levels, which is sorted by the key of the variant. After selects the
// variants behind a key, and Before the last ones before a key; both may be 0.
type LevelPage struct {
	After, Before int64
	Limit         int
}

// Level is what the stocks have of a variant.
type Level struct {
	catalog.Offer
	// Remainders are the remainders of the variant in all stocks, the oldest stock first.
	Remainders []catalog.Remainder
}

// Levels is a page of stock levels.
type Levels struct {
	List []Level
	// Earlier and Later report whether there are variants before and behind the page.
	Earlier, Later bool
}

// ReadLevels returns a page of stock levels. It returns fault.Invalid if the store does not have the stock that the
// filter names. It runs several statements, so tx should read from a snapshot.
func ReadLevels(ctx context.Context, tx store.Tx, f LevelFilter, p LevelPage) (found Levels, err error) {
	defer fault.AddContext(&err, "list stock levels")

	var stockKey int64
	if f.Stock != nil {
		t, err := catalog.SelectStock(ctx, tx, *f.Stock, "")
		if fault.KindOf(err) == fault.NotFound {
			err = fault.OneField("stock", "unknown_stock", "There is no stock with this id in this store.")
		}
		if err != nil {
			return found, err
		}
		stockKey = t.Key
	}

	ids, err := levelVariants(ctx, tx, f, stockKey, p)
	if err != nil {
		return found, err
	}

	ids, found.Earlier, found.Later = p.window(ids)
	found.List, err = levelsOf(ctx, tx, ids)
	return found, err
}

// CountLevels returns the number of variants that ReadLevels lists with a filter without a stock, and false, or most
// and true if there are more.
func CountLevels(
	ctx context.Context, tx store.Tx, f LevelFilter, most int,
) (_ int64, more bool, err error) {
	defer fault.AddContext(&err, "count stock levels")
	ids, err := levelVariants(ctx, tx, f, 0, LevelPage{Limit: most})
	return int64(min(len(ids), most)), len(ids) > most, err
}

// levelsOf reads the levels of variants, in the order of their ids.
func levelsOf(ctx context.Context, tx store.Tx, ids []catalog.VariantID) ([]Level, error) {
	offers, err := catalog.OffersOf(ctx, tx, ids, "")
	if err != nil {
		return nil, err
	}

	list := make([]Level, 0, len(ids))
	variants := make([]*catalog.Variant, 0, len(ids))
	for _, id := range ids {
		if o := offers[id]; o != nil {
			list = append(list, Level{Offer: *o})
			variants = append(variants, &catalog.Variant{Key: o.Key})
		}
	}

	if err := catalog.FillRemainders(ctx, tx, variants); err != nil {
		return nil, err
	}

	for i := range list {
		list[i].Remainders = variants[i].Remainders
	}

	return list, nil
}

// StockImpact says what the deletion of a stock would change.
type StockImpact struct {
	// Variants is the number of variants with a remainder in the stock, archived ones included. Reserved is the number
	// of variants that submitted orders have reserved there: while it is not 0, the stock cannot be deleted.
	Variants, Reserved int64
}

// ImpactOfStock returns what the deletion of a stock would change, or fault.NotFound.
func ImpactOfStock(ctx context.Context, tx store.Tx, stockID catalog.StockID) (i StockImpact, err error) {
	defer fault.AddContext(&err, "read impact of the deletion of stock %s", stockID)
	t, err := catalog.SelectStock(ctx, tx, stockID, "")
	if err != nil {
		return i, err
	}
	return readStockImpact(ctx, tx, t.Key)
}

// CountWanted counts the variants that ReadLevels lists with the state Wanted, up to most. Of a store with very many
// variants of which nothing is left it looks at the first thousand.
func CountWanted(ctx context.Context, tx store.Tx, most int64) (_ int64, err error) {
	defer fault.AddContext(&err, "count what is sold out and wanted")
	ids, err := levelVariants(ctx, tx, LevelFilter{State: Wanted, firstSoldOut: true}, 0,
		LevelPage{Limit: int(most)})
	return min(int64(len(ids)), most), err
}
