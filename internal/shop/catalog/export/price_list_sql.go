package export

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/fault"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// A store has at most pricelist.MaxLists lists. Those that are only awaited are not exported.
const exportPriceListsSQL = `
SELECT id, external_id, name, currency
FROM price_lists
WHERE store_id = $1
  AND deleted_at IS NULL
  AND awaited_since IS NULL
  AND updated_at >= $2
ORDER BY key`

// ExportedPriceList is a price list of an export.
type ExportedPriceList struct {
	catalog.PriceListPush
	LeftOut bool // it has no external id
}

// PriceLists calls fn for each price list that was changed since a time in microseconds, in the order of their
// creation.
func (s *Exports) PriceLists(
	ctx context.Context, tx store.Tx, changedSince int64, fn func(*ExportedPriceList) error,
) (err error) {
	defer fault.AddContext(&err, "export price lists")

	names := &exportNames{}
	return database.QueryEach(ctx, tx, exportPriceListsSQL, []any{changedSince}, func(rows database.Rows) error {
		var l ExportedPriceList
		var listID catalog.PriceListID
		var externalID *string
		var name, currency string
		if err := rows.Scan(&listID, &externalID, &name, &currency); err != nil {
			return err
		}

		l.ID = names.own(externalID, listID.String, &l.LeftOut)
		l.Name = &name
		l.Currency = &currency
		return fn(&l)
	})
}
