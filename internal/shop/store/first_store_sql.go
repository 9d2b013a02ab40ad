package store

import (
	"context"

	"vitrine/internal/kit/database"
)

// A concurrent insert blocks here until the first transaction commits or rolls back.
const insertFirstClaimSQL = `
INSERT INTO meta (name, value)
VALUES ('first_store', $1)
ON CONFLICT (name) DO NOTHING`

func insertFirstClaim(ctx context.Context, q database.Querier) (bool, error) {
	n, err := q.Exec(ctx, insertFirstClaimSQL, []byte{1})
	return n == 1, err
}
