package feed

import (
	"context"
	"errors"
	"strconv"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/pricing"
	"vitrine/internal/shop/store"
)

const namedAttributesSQL = `
WITH r(id) AS (ROWS)
SELECT a.id, a.key, a.kind, a.field_type
FROM r
CROSS JOIN LOOKUP (attributes a WHERE a.store_id = $1 AND a.id = r.id AND a.kind IN ('option', 'feature'))`

const namedValuesSQL = `
WITH r(id) AS (ROWS)
SELECT v.id, v.key, v.attribute_key
FROM r
CROSS JOIN LOOKUP (attribute_values v WHERE v.store_id = $1 AND v.id = r.id AND v.deleted_at IS NULL)`

const priceListSQL = `
SELECT key, created_at, currency
FROM price_lists
WHERE store_id = $1
  AND id = $2
  AND deleted_at IS NULL
  AND awaited_since IS NULL`

// selectNamed returns those of the attributes and values that the store has.
func selectNamed(
	ctx context.Context, tx store.Tx, attributes []catalog.AttributeID, values []catalog.ValueID,
) (namedAttributes, error) {
	named := namedAttributes{map[catalog.AttributeID]namedAttribute{}, map[catalog.ValueID]namedValue{}}
	if len(attributes) == 0 {
		return named, nil
	}

	err := tx.QueryAll(ctx,
		database.BatchQuery{SQL: namedAttributesSQL, Batch: database.BatchOf(database.UUID, attributes),
			Each: func(rows database.Rows) error {
				var attributeID catalog.AttributeID
				var a namedAttribute
				var kind, fieldType string
				err := rows.Scan(&attributeID, &a.key, &kind, &fieldType)
				a.isFeature = kind == string(catalog.Feature)
				a.isRange = fieldType == string(catalog.Range)
				named.attributes[attributeID] = a
				return err
			}},
		database.BatchQuery{SQL: namedValuesSQL, Batch: database.BatchOf(database.UUID, values),
			Each: func(rows database.Rows) error {
				var valueID catalog.ValueID
				var v namedValue
				err := rows.Scan(&valueID, &v.key, &v.attribute)
				named.values[valueID] = v
				return err
			}})
	return named, err
}

// priceList is a price list of a feed. Its currency is empty if the store does not have it.
type priceList struct {
	currency string
	chain    pricing.Chain
}

func selectPriceList(ctx context.Context, tx store.Tx, listID catalog.PriceListID) (list priceList, err error) {
	var key, createdAt int64
	err = database.QueryRow(ctx, tx, priceListSQL, []any{listID}, &key, &createdAt, &list.currency)
	if errors.Is(err, database.ErrNoRows) {
		return priceList{}, nil
	}
	list.chain = pricing.Chain(strconv.FormatInt(key, 10) + ":" + strconv.FormatInt(createdAt, 10))
	return list, err
}
