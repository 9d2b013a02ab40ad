package main

import (
	"context"

	"vitrine/internal/kit/database"
)

const countDeletionsSQL = `
SELECT COUNT(*)
FROM deletions`

// pendingDeletions returns the number of deletions whose links are not all deleted.
func (s *benchServer) pendingDeletions(ctx context.Context) (n int64, err error) {
	err = s.app.DB.Read(ctx, func(q database.Querier) error {
		return database.QueryRow(ctx, q, countDeletionsSQL, nil, &n)
	})
	return n, err
}
