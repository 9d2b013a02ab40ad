package store

import (
	"context"

	"vitrine/internal/kit/database"
)

// ClaimFirst reports, in the caller's transaction, whether it is the one to make the first store. It is so at most once for a database,
// however many nodes ask; a claim that is rolled back is free again.
func (s *Service) ClaimFirst(ctx context.Context, q database.Querier) (bool, error) {
	claimed, err := insertFirstClaim(ctx, q)
	if err != nil || !claimed {
		return false, err
	}
	n, err := countStores(ctx, q)
	return n == 0, err
}
