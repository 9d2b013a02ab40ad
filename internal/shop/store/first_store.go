package store

import (
	"context"

	"vitrine/internal/kit/database"
)

// ClaimFirst reports, in the caller's transaction, whether the caller must create the first store. Only one committed
// transaction of a database gets true, however many nodes call it. If the transaction rolls back, another one can claim
// it.
func (s *Service) ClaimFirst(ctx context.Context, q database.Querier) (bool, error) {
	claimed, err := insertFirstClaim(ctx, q)
	if err != nil || !claimed {
		return false, err
	}
	n, err := countStores(ctx, q)
	return n == 0, err
}
