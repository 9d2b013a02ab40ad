package account

import (
	"context"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/access"
	"vitrine/internal/shop/store"
)

const insertInvitationSQL = `
INSERT INTO operator_invitations (store_id, operator_id, hash, expires_at)
VALUES ($1, $2, $3, $4)`

const selectInvitationSQL = `
SELECT ` + operatorColumns + `, s.name, a.password_hash <> ''
FROM operator_invitations AS i
JOIN operators AS o ON o.store_id = i.store_id AND o.id = i.operator_id
JOIN accounts AS a ON a.id = o.account_id
JOIN stores AS s ON s.id = o.store_id
WHERE i.hash = $1 AND i.expires_at > $2`

const deleteInvitationsSQL = `
DELETE FROM operator_invitations
WHERE store_id = $1 AND operator_id = $2`

const deleteAccountInvitationsSQL = `
DELETE FROM operator_invitations
WHERE hash IN (
	SELECT i.hash
	FROM operators AS o
	JOIN operator_invitations AS i ON i.store_id = o.store_id AND i.operator_id = o.id
	WHERE o.account_id = $1
)`

func insertInvitation(
	ctx context.Context, tx store.Tx, operatorID access.OperatorID, hash access.TokenHash, expiresAt time.Time,
) error {
	return database.Exec(ctx, tx, insertInvitationSQL, operatorID, hash[:], expiresAt.UnixMicro())
}

// selectInvitation returns an invitation that has not expired, or database.ErrNoRows.
func selectInvitation(
	ctx context.Context, q database.Querier, hash access.TokenHash, now time.Time,
) (Invitation, error) {
	return database.QueryOne(ctx, q, selectInvitationSQL, []any{hash[:], now.UnixMicro()},
		func(rows database.Rows) (i Invitation, err error) {
			err = rows.Scan(append(operatorDest(&i.Operator), &i.StoreName, &i.HasPassword)...)
			return i, err
		})
}

func deleteInvitations(ctx context.Context, tx store.Tx, operatorID access.OperatorID) error {
	return database.Exec(ctx, tx, deleteInvitationsSQL, operatorID)
}

// deleteAccountInvitations deletes the invitations of a person to all stores.
func deleteAccountInvitations(ctx context.Context, q database.Querier, accountID access.AccountID) error {
	return database.Exec(ctx, q, deleteAccountInvitationsSQL, accountID)
}
