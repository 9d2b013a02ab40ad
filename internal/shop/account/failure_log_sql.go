package account

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
)

const updateFailureLogSQL = `
UPDATE accounts
SET unlogged_failures = $2, failures_logged_at = $3
WHERE id = $1`

// updateFailureLog stores how many failed sign-ins have no entry in the log yet, and when the last entry about failed
// sign-ins was written.
func updateFailureLog(
	ctx context.Context, q database.Querier, accountID access.AccountID, unlogged int64, loggedAt time.Time,
) error {
	return database.Exec(ctx, q, updateFailureLogSQL, accountID, unlogged, loggedAt.UnixMicro())
}
