package view

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/internal/write"
	"vitrine/internal/shop/store"
)

// These statements count the products that use an attribute, or one of its values. They look at most at $2 links. A
// negative count means that there are more links, so that it is the least number of products.
const (
	countedSQL = `SELECT CASE WHEN COUNT(*) < $2 THEN COUNT(DISTINCT n.product_key) ` +
		`ELSE -COUNT(DISTINCT n.product_key) END FROM `

	productOfLinkSQL = `(SELECT v.product_key FROM variants v WHERE v.store_id = $1 ` +
		`AND v.key = x.variant_key) AS product_key`

	featureUsageSQL = `
WITH r(key) AS (ROWS)
SELECT r.key, (` + countedSQL + `(
	SELECT x.product_key FROM product_values x WHERE x.store_id = $1 AND x.attribute_key = r.key LIMIT $2) AS n)
FROM r`

	optionUsageSQL = `
WITH r(key) AS (ROWS)
SELECT r.key, (` + countedSQL + `(
	SELECT ` + productOfLinkSQL +
		` FROM variant_values x WHERE x.store_id = $1 AND x.attribute_key = r.key LIMIT $2) AS n)
FROM r`

	featureValueUsageSQL = `
WITH r(id) AS (ROWS)
SELECT r.id, (` + countedSQL + `(
	SELECT x.product_key FROM product_values x
	WHERE x.store_id = $1 AND x.attribute_key = $3
	  AND x.value_key = (SELECT w.key FROM attribute_values w WHERE w.store_id = $1 AND w.id = r.id) LIMIT $2) AS n)
FROM r`

	optionValueUsageSQL = `
WITH r(id) AS (ROWS)
SELECT r.id, (` + countedSQL + `(
	SELECT ` + productOfLinkSQL + ` FROM variant_values x
	WHERE x.store_id = $1 AND x.attribute_key = $3
	  AND x.value_key = (SELECT w.key FROM attribute_values w WHERE w.store_id = $1 AND w.id = r.id) LIMIT $2) AS n)
FROM r`
)

// Usage is the number of products that use something, archived ones included. With More it is the least number.
type Usage struct {
	Products int64
	More     bool
}

func newUsage(count int64) Usage { return Usage{max(count, -count), count < 0} }

// AttributeUsage returns how many products use each attribute, by key. The attributes are of one kind. It looks at no
// more than limit links of an attribute.
func AttributeUsage(
	ctx context.Context, tx store.Tx, kind catalog.Kind, attributeKeys []int64, limit int,
) (_ map[int64]Usage, err error) {
	defer fault.AddContext(&err, "count the products of %d %ss", len(attributeKeys), kind.Noun())
	sql := featureUsageSQL
	if kind == catalog.Option {
		sql = optionUsageSQL
	}
	usage := make(map[int64]Usage, len(attributeKeys))
	return usage, tx.QueryRows(ctx, sql, write.KeyBatch(attributeKeys),
		write.EachPair(func(key, count int64) { usage[key] = newUsage(count) }), limit)
}

// ValueUsage returns how many products use each of an attribute's values. It looks at no more than limit links of a
// value.
func ValueUsage(
	ctx context.Context, tx store.Tx, a catalog.Attribute, ids []catalog.ValueID, limit int,
) (_ map[catalog.ValueID]Usage, err error) {
	defer fault.AddContext(&err, "count the products of %d values", len(ids))
	sql := featureValueUsageSQL
	if a.Kind == catalog.Option {
		sql = optionValueUsageSQL
	}
	usage := make(map[catalog.ValueID]Usage, len(ids))
	return usage, tx.QueryRows(ctx, sql, database.BatchOf(database.UUID, ids),
		write.EachPair(func(id catalog.ValueID, count int64) { usage[id] = newUsage(count) }), limit, a.Key)
}
