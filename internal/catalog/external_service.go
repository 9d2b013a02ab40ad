package catalog

import (
	"context"

	"vitrine/internal/database"
	"vitrine/internal/store"
)

// ProductKeys returns the row keys of the store's products with these external ids, archived ones too. External ids that no product has
// are left out.
func (s *Service) ProductKeys(ctx context.Context, q database.Querier, storeID store.ID, externalIDs []string) (map[string]int64, error) {
	return productKeysOf(ctx, q, storeID, externalIDs)
}
