package mixed

import (
	"context"

	"vitrine/bench/harness"
	"vitrine/internal/kit/database"
)

const countDeletionsSQL = `
SELECT COUNT(*)
FROM deletions`

// pendingDeletions returns the number of deletions whose links are not all deleted.
func pendingDeletions(ctx context.Context, s *harness.Server) (n int64, err error) {
	err = s.App.DB.Read(ctx, func(q database.Querier) error {
		return database.QueryRow(ctx, q, countDeletionsSQL, nil, &n)
	})
	return n, err
}
