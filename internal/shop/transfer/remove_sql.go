package transfer

import (
	"context"
	"fmt"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

// removeRows is the number of rows that one transaction removes.
const removeRows = 2000

// The statements that close a store. Its operators take their sessions, invitations and views with them.
const (
	closeReceiversSQL = `
UPDATE receivers
SET enabled = FALSE
WHERE store_id = $1`

	closeSessionsSQL = `
DELETE FROM customer_sessions
WHERE store_id = $1`

	closeCredentialsSQL = `
DELETE FROM credentials
WHERE store_id = $1`

	closeOperatorsSQL = `
DELETE FROM operators
WHERE store_id = $1`

	// The accounts of people who administer no other store.
	listOwnAccountsSQL = `
SELECT o.account_id
FROM operators o
WHERE o.store_id = $1
  AND NOT EXISTS (SELECT 1 FROM operators p WHERE p.account_id = o.account_id AND p.store_id <> $1)`

	detachCategoriesSQL = `
UPDATE categories
SET parent_key = NULL
WHERE store_id = $1
  AND parent_key IS NOT NULL`

	deleteStoreSQL = `
DELETE FROM stores
WHERE id = $1`
)

const deleteAccountsSQL = `
WITH r(id) AS (ROWS)
DELETE FROM accounts
WHERE id IN (SELECT id FROM r)`

// closeStore takes a store from everybody who uses it, and stops its work in the background.
func closeStore(ctx context.Context, tx store.Tx) error {
	var accounts []rowID
	err := database.QueryEach(ctx, tx, listOwnAccountsSQL, nil, database.AppendColumn(&accounts))
	if err != nil {
		return err
	}

	for _, sql := range []string{
		closeReceiversSQL, closeSessionsSQL, closeCredentialsSQL, closeOperatorsSQL, detachCategoriesSQL,
	} {
		if err := database.Exec(ctx, tx, sql); err != nil {
			return err
		}
	}
	for _, t := range tables() {
		if t.hasJobs() {
			where, args := t.storeRows(tx.StoreID())
			if err := database.Exec(ctx, tx.Unscoped(), "DELETE FROM "+t.name+" AS t"+where, args...); err != nil {
				return err
			}
		}
	}

	_, err = tx.Unscoped().ExecRows(ctx, deleteAccountsSQL, database.BatchOf(database.UUID, accounts))
	return err
}

// removeSome removes some rows of the store, and returns how many.
func removeSome(ctx context.Context, tx store.Tx, name, key string) (int64, error) {
	return tx.Exec(ctx, fmt.Sprintf(
		"\nDELETE FROM %s\nWHERE (%s) IN (SELECT %s FROM %s WHERE store_id = $1 LIMIT %d)", name, key, key, name,
		removeRows))
}

func deleteStore(ctx context.Context, tx store.Tx) error {
	return database.Exec(ctx, tx, deleteStoreSQL)
}
