package exchange

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/audit"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/catalog/export"
	"vitrine/internal/shop/store"
)

// AssignScope returns the entity whose push scope a token needs to assign ids for an export of an entity: that of the
// things that get the ids.
func AssignScope(entity string) string {
	if entity == Prices || entity == Remainders {
		return Products
	}
	return entity
}

// AssignIDs gives the things of an entity that an export leaves out their own id as external id, in short transactions.
// For prices and remainders these are products and variants. The first transaction that assigns an id records it, with
// the actor by as its author.
func (s *Exports) AssignIDs(
	ctx context.Context, storeID store.ID, entity string, by store.Actor,
) error {
	ctx = database.WithOwner(ctx, storeID)
	exports := s.catalogExports
	record := func(ctx context.Context, tx store.Tx) error {
		return audit.Record(ctx, tx.By(by, s.Now()), audit.Entry{Action: audit.ExchangeIDsAssigned,
			Object: audit.Object{Kind: "exchange", Label: AssignScope(entity)}})
	}
	a := &export.Assignment{DB: s.DB, StoreID: storeID, Record: record}

	switch entity {
	case VariantOptions:
		return exports.AssignAttributeIDs(ctx, a, catalog.Option)
	case Features:
		return exports.AssignAttributeIDs(ctx, a, catalog.Feature)
	case Categories:
		return exports.AssignCategoryIDs(ctx, a)
	case Stocks:
		return exports.AssignStockIDs(ctx, a)
	case PriceLists:
		return exports.AssignPriceListIDs(ctx, a)
	}

	return exports.AssignProductIDs(ctx, a)
}
