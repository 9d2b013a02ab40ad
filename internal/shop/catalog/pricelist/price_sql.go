package pricelist

import (
	"context"
	"strconv"
	"strings"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

// ListPriceSQL returns an expression for the price of one of the variant w in a list. It is NULL if the list has none:
// pricing.Prices has the rule.
func ListPriceSQL(list string) string {
	return "(SELECT lp.price FROM variant_prices lp WHERE lp.store_id = $1 AND lp.variant_key = w.key " +
		"AND lp.list_key = " + list + " AND lp.from_quantity <= 1000 ORDER BY lp.from_quantity DESC LIMIT 1)"
}

// PriceSQL returns an expression for the price of one of the variant w: of the first list that has one, or else its
// own.
func PriceSQL(lists []int64) string {
	if len(lists) == 0 {
		return "w.price"
	}
	var prices []string
	for _, list := range lists {
		prices = append(prices, ListPriceSQL(strconv.FormatInt(list, 10)))
	}
	return "COALESCE(" + strings.Join(prices, ", ") + ", w.price)"
}

// ColumnsSQL returns further columns of a SELECT, with a comma before each: the prices of the variant w in the lists.
func ColumnsSQL(lists []int64) string {
	var columns strings.Builder
	for _, list := range lists {
		columns.WriteString(",\n\t" + ListPriceSQL(strconv.FormatInt(list, 10)))
	}
	return columns.String()
}

// These statements are completed by the conditions on the lists and on the quantity.
const (
	stepsOfVariantsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.list_key, x.from_quantity, x.price
FROM r
CROSS JOIN LOOKUP (variant_prices x WHERE x.store_id = $1 AND x.variant_key = r.key)
WHERE `

	stepsOfProductsSQL = `
WITH r(key) AS (ROWS)
SELECT x.variant_key, x.list_key, x.from_quantity, x.price
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key)
CROSS JOIN LOOKUP (variant_prices x WHERE x.store_id = $1 AND x.variant_key = w.key)
WHERE `

	orderStepsSQL = `
ORDER BY x.variant_key, x.list_key, x.from_quantity`
)

const listKeySQL = `
SELECT key
FROM price_lists
WHERE store_id = $1
  AND id = $2
  AND deleted_at IS NULL`

// rangesSQL returns a statement with the lowest and the highest price of products for the chain of lists.
func rangesSQL(lists []int64) string {
	price := PriceSQL(lists)
	return `
WITH r(key) AS (ROWS)
SELECT w.product_key, MIN(` + price + `), MAX(` + price + `)
FROM r
CROSS JOIN LOOKUP (variants w WHERE w.store_id = $1 AND w.product_key = r.key AND w.archived_at IS NULL)
GROUP BY w.product_key`
}

// EachRange calls fn with the lowest and the highest price for one of the products' live variants, for a reader with
// this chain. Both are nil if no variant is for sale. Products without variants are left out.
func EachRange(
	ctx context.Context, tx store.Tx, productKeys []int64, chain pricing.Chain, fn func(key int64, from, to *int64),
) (err error) {
	defer fault.AddContext(&err, "read the prices of %d products", len(productKeys))
	return tx.QueryRows(ctx, rangesSQL(chain.Lists()), write.KeyBatch(productKeys), func(rows database.Rows) error {
		var key int64
		var from, to *int64
		err := rows.Scan(&key, &from, &to)
		fn(key, from, to)
		return err
	})
}

// OfVariants reads the prices of variants that the reader gets.
func OfVariants(ctx context.Context, tx store.Tx, variantKeys []int64, r Reader) (_ *Prices, err error) {
	defer fault.AddContext(&err, "read the list prices of %d variants", len(variantKeys))
	return readSteps(ctx, tx, stepsOfVariantsSQL, variantKeys, r)
}

// OfProducts reads the prices of the variants of products that the reader gets.
func OfProducts(ctx context.Context, tx store.Tx, productKeys []int64, r Reader) (_ *Prices, err error) {
	defer fault.AddContext(&err, "read the list prices of %d products", len(productKeys))
	return readSteps(ctx, tx, stepsOfProductsSQL, productKeys, r)
}

func readSteps(ctx context.Context, tx store.Tx, statement string, keys []int64, r Reader) (*Prices, error) {
	p := &Prices{chain: r.Chain.Lists(), steps: map[stepKey][]pricing.Step{}}
	if r.Steps && r.Old != nil {
		err := database.QueryEach(ctx, tx, listKeySQL, []any{*r.Old}, func(rows database.Rows) error {
			return rows.Scan(&p.old)
		})
		if err != nil {
			return nil, err
		}
	}

	lists := p.lists()
	if len(lists) == 0 || len(keys) == 0 {
		return p, nil
	}

	statement += "x.list_key IN (" + joinKeys(lists) + ")"
	if !r.Steps {
		statement += "\n  AND x.from_quantity <= 1000"
	}
	return p, tx.QueryRows(ctx, statement+orderStepsSQL, write.KeyBatch(keys), func(rows database.Rows) error {
		var at stepKey
		var step pricing.Step
		err := rows.Scan(&at.variant, &at.list, (*int64)(&step.From), (*int64)(&step.Price))
		p.steps[at] = append(p.steps[at], step)
		return err
	})
}

const idsOfListsSQL = `
WITH r(key) AS (ROWS)
SELECT l.key, l.id
FROM r
CROSS JOIN LOOKUP (price_lists l WHERE l.store_id = $1 AND l.key = r.key)`

// IDsOfLists returns the ids of price lists by their row keys.
func IDsOfLists(
	ctx context.Context, tx store.Tx, keys []int64,
) (ids map[int64]catalog.PriceListID, err error) {
	defer fault.AddContext(&err, "read the ids of %d price lists", len(keys))
	ids = make(map[int64]catalog.PriceListID, len(keys))
	return ids, tx.QueryRows(ctx, idsOfListsSQL, write.KeyBatch(keys), database.PutPairs(ids))
}

func joinKeys(keys []int64) string {
	texts := make([]string, len(keys))
	for i, key := range keys {
		texts[i] = strconv.FormatInt(key, 10)
	}
	return strings.Join(texts, ", ")
}
