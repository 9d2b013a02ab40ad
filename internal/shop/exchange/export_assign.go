package exchange

import (
	"context"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/catalog"
	"vitrine/internal/shop/store"
)

// AssignIDs gives the things of an entity that an export leaves out their own id as external id, in short transactions.
// For prices and remainders these are products and variants.
func (s *Service) AssignIDs(ctx context.Context, storeID store.ID, entity string) error {
	ctx = database.WithOwner(ctx, storeID)
	exports := s.Catalog.Exports
	switch entity {
	case VariantOptions:
		return exports.AssignAttributeIDs(ctx, s.DB, storeID, catalog.Option)
	case Features:
		return exports.AssignAttributeIDs(ctx, s.DB, storeID, catalog.Feature)
	case Categories:
		return exports.AssignCategoryIDs(ctx, s.DB, storeID)
	case Stocks:
		return exports.AssignStockIDs(ctx, s.DB, storeID)
	}
	return exports.AssignProductIDs(ctx, s.DB, storeID)
}
