package view

import (
	"cmp"
	"context"
	"math"
	"slices"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/money"
	"vitrine/internal/shop/store"
)

// The statements of readRows read one table each, by the row keys of the products. They do not sort, so that LIMIT
// bounds their work.
const (
	optionRowsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.attribute_key, x.value_key
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key)
CROSS JOIN LOOKUP (variant_values x WHERE x.store_id = $1 AND x.variant_key = w.key)
WHERE TRUE`

	remainderRowsSQL = `
WITH r(key) AS (ROWS)
SELECT m.variant_key, m.stock_key, (SELECT s.id FROM stocks s WHERE s.store_id = $1 AND s.key = m.stock_key
	AND s.deleted_at IS NULL),
	m.quantity, m.reserved
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key)
CROSS JOIN LOOKUP (remainders m WHERE m.store_id = $1 AND m.variant_key = w.key)
WHERE TRUE`

	limitRowsSQL = `
LIMIT $2`
)

// rowsReader collects the rows of products.
type rowsReader struct {
	at         map[int64]*ProductRows        // by row key
	options    map[int64][]catalog.ValueKeys // by the row key of the variant
	remainders map[int64][]remainderRow      // by the row key of the variant
	images     map[int64][]catalog.PlacedImage
}

func newRowsReader(products int) *rowsReader {
	return &rowsReader{at: make(map[int64]*ProductRows, products), options: map[int64][]catalog.ValueKeys{},
		remainders: map[int64][]remainderRow{}, images: map[int64][]catalog.PlacedImage{}}
}

type remainderRow struct {
	catalog.Remainder
	stockKey int64
}

// readRows implements ReadRows. It returns errTooManyRows if the products have more than maxRows rows in one table,
// unless there is only one key.
func readRows(
	ctx context.Context, tx store.Tx, keys []int64, parts Parts, which catalog.Archived,
) ([]ProductRows, error) {
	r := newRowsReader(len(keys))
	list := make([]ProductRows, 0, len(keys))
	for _, key := range keys {
		if r.at[key] == nil {
			list = append(list, ProductRows{})
			r.at[key] = &list[len(list)-1]
		}
	}

	batch := write.KeyBatch(keys)
	queries := []database.BatchQuery{{SQL: catalog.ProductsOfKeysSQL, Batch: batch, Each: r.addProduct}}
	if parts.Modifiers {
		queries = append(queries, database.BatchQuery{SQL: catalog.ModifiersOfProductsSQL, Batch: batch,
			Each: write.EachPair(func(key int64, modifiers string) { r.at[key].Modifiers = modifiers })})
	}

	if !parts.Variants {
		queries = append(queries, database.BatchQuery{SQL: catalog.TotalsOfProductsSQL, Batch: batch,
			Each: r.addTotals})
	}

	if err := r.readParts(ctx, tx, keys, parts, which, queries); err != nil {
		return nil, err
	}

	return slices.DeleteFunc(list, func(p ProductRows) bool { return p.Key == 0 }), nil
}

// readParts reads the parts of the products, together with other queries about them, and puts their lists in order.
func (r *rowsReader) readParts(
	ctx context.Context, tx store.Tx, keys []int64, parts Parts, which catalog.Archived, queries []database.BatchQuery,
) error {
	limit := int64(maxRows)
	if len(keys) == 1 {
		limit = math.MaxInt64
	}

	batch := write.KeyBatch(keys)
	full := false

	add := func(selected bool, sql string, each func(database.Rows) error) {
		if !selected {
			return
		}

		n := int64(0)
		queries = append(queries, database.BatchQuery{SQL: sql, Batch: batch, Args: []any{limit},
			Each: func(rows database.Rows) error {
				n++
				full = full || n == limit
				return each(rows)
			}})
	}

	add(parts.Categories || parts.Breadcrumbs, catalog.CategoryRowsSQL, r.addCategory)
	add(parts.Features, catalog.FeatureRowsSQL, r.addFeature)
	add(parts.Images, catalog.ImagesOfProductsSQL+limitRowsSQL, r.addImage)
	add(parts.Variants, catalog.VariantsOfProductsSQL+which.Clause()+limitRowsSQL, r.addVariant)
	add(parts.Variants, optionRowsSQL+which.Clause()+limitRowsSQL, r.addOption)
	add(parts.Variants && !parts.NoRemainders, remainderRowsSQL+which.Clause()+limitRowsSQL, r.addRemainder)
	add(parts.Variants && parts.Images, catalog.VariantImagesOfProductsSQL+which.Clause()+limitRowsSQL,
		r.addVariantImage)

	if err := tx.QueryAll(ctx, queries...); err != nil {
		return err
	}
	if full {
		return errTooManyRows
	}

	for _, p := range r.at {
		slices.Sort(p.CategoryKeys)
		slices.SortFunc(p.FeatureKeys, catalog.ValueKeys.Compare)
		if parts.Variants {
			r.finishVariants(p)
		}
	}

	return nil
}

// finishVariants puts the variants of a product in order, adds their details, and computes the totals of the product.
func (r *rowsReader) finishVariants(p *ProductRows) {
	slices.SortFunc(p.Variants, func(a, b catalog.Variant) int { return cmp.Compare(a.Key, b.Key) })
	p.OptionKeys = make([][]catalog.ValueKeys, len(p.Variants))
	for i := range p.Variants {
		v := &p.Variants[i]
		p.OptionKeys[i] = r.options[v.Key]
		slices.SortFunc(p.OptionKeys[i], catalog.ValueKeys.Compare)
		list := r.remainders[v.Key]
		slices.SortFunc(list, func(a, b remainderRow) int { return cmp.Compare(a.stockKey, b.stockKey) })
		for _, m := range list {
			v.Remainders = append(v.Remainders, m.Remainder)
		}

		slices.SortFunc(r.images[v.Key], catalog.PlacedImage.Compare)
		for _, im := range r.images[v.Key] {
			v.Images = append(v.Images, im.Image)
		}

		if v.Live() {
			addToTotals(&p.Product, v)
		}
	}
}

// addToTotals adds a live variant to the totals of its product.
func addToTotals(p *catalog.Product, v *catalog.Variant) {
	p.VariantCount++
	if price, ok := v.Price.Amount(); ok {
		addPrice(p, price)
	}
	if v.Available != nil {
		if p.Available == nil {
			p.Available = new(money.Quantity)
		}
		*p.Available += *v.Available
	}
}

// addPrice extends the price range of the product.
func addPrice(p *catalog.Product, price money.Money) {
	if p.PriceFrom == nil {
		p.PriceFrom, p.PriceTo = new(price), new(price)
		return
	}
	*p.PriceFrom, *p.PriceTo = min(*p.PriceFrom, price), max(*p.PriceTo, price)
}

func (r *rowsReader) addProduct(rows database.Rows) error {
	p, err := catalog.ScanProduct(rows)
	if err == nil {
		r.at[p.Key].Product = p
	}
	return err
}

func (r *rowsReader) addCategory(rows database.Rows) error {
	var product, category int64
	var isCanonical bool
	if err := rows.Scan(&product, &category, &isCanonical); err != nil {
		return err
	}

	p := r.at[product]
	p.CategoryKeys = append(p.CategoryKeys, category)
	if isCanonical {
		p.CanonicalKey = category
	}
	return nil
}

func (r *rowsReader) addFeature(rows database.Rows) error {
	var product int64
	var v catalog.ValueKeys
	err := rows.Scan(&product, &v.Attribute, &v.Value)
	if err == nil {
		r.at[product].FeatureKeys = append(r.at[product].FeatureKeys, v)
	}
	return err
}

func (r *rowsReader) addImage(rows database.Rows) error {
	product, im, err := catalog.ScanProductImage(rows)
	if err == nil {
		r.at[product].Images = append(r.at[product].Images, im)
	}
	return err
}

func (r *rowsReader) addVariant(rows database.Rows) error {
	v, err := catalog.ScanVariant(rows)
	if err == nil {
		r.at[v.ProductKey].Variants = append(r.at[v.ProductKey].Variants, v)
	}
	return err
}

func (r *rowsReader) addOption(rows database.Rows) error {
	var variant int64
	var v catalog.ValueKeys
	err := rows.Scan(&variant, &v.Attribute, &v.Value)
	r.options[variant] = append(r.options[variant], v)
	return err
}

func (r *rowsReader) addRemainder(rows database.Rows) error {
	var variant int64
	var m remainderRow
	var stockID *catalog.StockID
	err := rows.Scan(&variant, &m.stockKey, &stockID, (*int64)(&m.Quantity), (*int64)(&m.Reserved))
	if err == nil && stockID != nil { // a deleted stock has no id here
		m.StockID = *stockID
		r.remainders[variant] = append(r.remainders[variant], m)
	}
	return err
}

func (r *rowsReader) addVariantImage(rows database.Rows) error {
	variant, im, err := catalog.ScanVariantImage(rows)
	r.images[variant] = append(r.images[variant], im)
	return err
}

func (r *rowsReader) addTotals(rows database.Rows) error {
	return catalog.ScanTotals(rows, func(key int64) *catalog.Product { return &r.at[key].Product })
}
