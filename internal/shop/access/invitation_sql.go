package access

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const insertInvitationSQL = `
INSERT INTO operator_invitations (store_id, operator_id, hash, expires_at)
VALUES ($1, $2, $3, $4)`

const selectInvitationSQL = `
SELECT ` + operatorColumns + `
FROM operator_invitations AS i
JOIN operators AS o ON o.store_id = i.store_id AND o.id = i.operator_id
WHERE i.hash = $1 AND i.expires_at > $2`

const deleteInvitationsSQL = `
DELETE FROM operator_invitations
WHERE store_id = $1 AND operator_id = $2`

func insertInvitation(
	ctx context.Context, tx store.Tx, operatorID OperatorID, hash tokenHash, expiresAt time.Time,
) error {
	return database.Exec(ctx, tx, insertInvitationSQL, operatorID, hash[:], expiresAt.UnixMicro())
}

// selectInvitation returns the operator of an invitation that has not expired, or database.ErrNoRows. lock is a locking
// clause of the dialect, or empty.
func selectInvitation(
	ctx context.Context, q database.Querier, hash tokenHash, now time.Time, lock string,
) (Operator, error) {
	return database.QueryOne(ctx, q, selectInvitationSQL+lock, []any{hash[:], now.UnixMicro()}, scanOperator)
}

func deleteInvitations(ctx context.Context, tx store.Tx, operatorID OperatorID) error {
	return database.Exec(ctx, tx, deleteInvitationsSQL, operatorID)
}
