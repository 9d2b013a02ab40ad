package view

import (
	"context"
	"errors"

	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/pricelist"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// Parts selects what is read of products in addition to their own fields, prices and availability. Images are those of
// the product and, together with Variants, those of its variants. Prices are the steps of prices and the old prices of
// the variants, and PriceLists their prices in all price lists.
type Parts struct {
	Categories, Features, Images, Modifiers, Variants, Prices, PriceLists bool
	// Breadcrumbs are the categories on the way to the canonical one.
	Breadcrumbs bool
	// NoRemainders leaves out the remainders of Variants. What of a variant is available does not need them.
	NoRemainders bool
}

// Includes reports whether p selects everything that other selects.
func (p Parts) Includes(other Parts) bool { return p.Union(other) == p }

// Union returns the parts that p or other select.
func (p Parts) Union(other Parts) Parts {
	return Parts{
		Categories: p.Categories || other.Categories, Features: p.Features || other.Features,
		Images: p.Images || other.Images, Modifiers: p.Modifiers || other.Modifiers,
		Variants: p.Variants || other.Variants, Prices: p.Prices || other.Prices,
		PriceLists: p.PriceLists || other.PriceLists, Breadcrumbs: p.Breadcrumbs || other.Breadcrumbs,
		NoRemainders: p.NoRemainders && other.NoRemainders,
	}
}

// ProductRows is a product whose categories, features and options are row keys. Names has their names; links to what
// Names does not have are deleted. The field Options of its variants is empty.
type ProductRows struct {
	catalog.Product
	// CategoryKeys lists the categories, oldest first.
	CategoryKeys []int64
	// CanonicalKey is the category that was chosen as the canonical one, or 0.
	CanonicalKey int64
	// FeatureKeys lists the features, oldest feature first, then oldest value first.
	FeatureKeys []catalog.ValueKeys
	// OptionKeys lists the options of each variant, by the index in Variants, oldest option first.
	OptionKeys [][]catalog.ValueKeys
	// Prices are the prices of each variant by quantity, by the index in Variants. AddPrices fills them in.
	Prices []VariantPrices
	// AllPrices are the prices of each variant in all price lists, by the index in Variants. AddAllPrices fills them
	// in.
	AllPrices [][]PriceInList
}

// VariantPrices are the prices of a variant for a reader.
type VariantPrices struct {
	Steps []pricing.Step
	Old   money.Price
}

// AddPrices replaces the prices of products by those that the reader gets, and adds the steps of the variants if they
// are among the parts, which were read before. It does nothing for a reader without price lists who needs no steps.
func AddPrices(
	ctx context.Context, tx store.Tx, rows []ProductRows, parts Parts, reader pricelist.Reader,
) (err error) {
	if len(rows) == 0 || reader.Chain.IsBase() && !parts.Prices {
		return nil
	}

	at := make(map[int64]*ProductRows, len(rows))
	keys := make([]int64, len(rows))
	for i := range rows {
		keys[i] = rows[i].Key
		at[keys[i]] = &rows[i]
	}

	if !parts.Variants {
		return pricelist.EachRange(ctx, tx, keys, reader.Chain, func(key int64, from, to *int64) {
			at[key].PriceFrom, at[key].PriceTo = (*money.Money)(from), (*money.Money)(to)
		})
	}

	reader.Steps = parts.Prices
	prices, err := pricelist.OfProducts(ctx, tx, keys, reader)
	if err != nil {
		return err
	}

	for i := range rows {
		rows[i].applyPrices(prices, parts.Prices)
	}
	return nil
}

// applyPrices sets the prices of the variants, and the range of prices of the product.
func (p *ProductRows) applyPrices(prices *pricelist.Prices, withSteps bool) {
	p.PriceFrom, p.PriceTo = nil, nil
	for i := range p.Variants {
		v := &p.Variants[i]
		of := prices.Of(v.Key, v.Price)
		v.Price, _ = of.At(pricing.One)

		if amount, ok := v.Price.Amount(); ok && v.Live() {
			addPrice(&p.Product, amount)
		}
		if withSteps {
			p.Prices = append(p.Prices, VariantPrices{of.Steps(), prices.Old(v.Key, v.Price)})
		}
	}
}

// maxRows is the maximum number of rows of one table that ReadRows reads of several products.
const maxRows = 20_000

// modifierBatch is the number of products whose modifiers are in memory at a time. The modifiers of a product have at
// most 256 KiB, so they take at most 16 MiB.
const modifierBatch = 64

// errTooManyRows reports that products have more than maxRows rows in one table.
var errTooManyRows = errors.New("the products have too many rows to be read at once")

// ReadRows reads the products with these row keys, in the given order, in one round trip to the database. Keys that the
// store does not have are left out. It may return fewer products than there are: those that have too many variants to
// be in memory together. The number of keys that it has read is the second result, which is at least one. The parameter
// which selects the variants: live ones, archived ones, or both.
func ReadRows(
	ctx context.Context, tx store.Tx, keys []int64, parts Parts, which catalog.Archived,
) (_ []ProductRows, read int, err error) {
	defer fault.AddContext(&err, "read %d products", len(keys))
	read = len(keys)
	if parts.Modifiers {
		read = min(read, modifierBatch)
	}
	for ; ; read = (read + 7) / 8 {
		list, err := readRows(ctx, tx, keys[:read], parts, which)
		if !errors.Is(err, errTooManyRows) {
			return list, read, err
		}
	}
}

// FillRows reads the variants, categories and features of the first of these live products, whose own fields the caller
// has read. It returns the number of these products, at least one. Like ReadRows it stops before the rows are too many.
func FillRows(ctx context.Context, tx store.Tx, list []*ProductRows) (filled int, err error) {
	defer fault.AddContext(&err, "read the rows of %d products", len(list))

	for filled = len(list); ; filled = (filled + 7) / 8 {
		r := newRowsReader(filled)
		keys := make([]int64, filled)
		for i, p := range list[:filled] {
			p.CategoryKeys, p.FeatureKeys, p.Variants = nil, nil, nil
			p.CanonicalKey = 0
			r.at[p.Key] = p
			keys[i] = p.Key
		}

		parts := Parts{Categories: true, Features: true, Variants: true}
		if err := r.readParts(ctx, tx, keys, parts, catalog.Live, nil); !errors.Is(err, errTooManyRows) {
			return filled, err
		}
	}
}
