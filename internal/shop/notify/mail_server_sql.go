package notify

import (
	"context"
	"errors"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/shop/store"
)

const selectMailServerSQL = `
SELECT settings, version
FROM mail_servers
WHERE store_id = $1`

const lockStoreSQL = `
SELECT id
FROM stores
WHERE id = $1`

const upsertMailServerSQL = `
INSERT INTO mail_servers (store_id, settings, version, updated_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (store_id) DO UPDATE
SET settings = excluded.settings, version = excluded.version, updated_at = excluded.updated_at`

const deleteMailServerSQL = `
DELETE FROM mail_servers
WHERE store_id = $1`

// selectMailServer returns the sealed settings of the store's server. lock is a locking clause of the dialect, or "".
func selectMailServer(ctx context.Context, tx store.Tx, lock string) (sealed []byte, version int64, err error) {
	err = database.QueryRow(ctx, tx, selectMailServerSQL+lock, nil, &sealed, &version)
	return sealed, version, err
}

// lockStore locks out others who change the server of the store until the commit.
func lockStore(ctx context.Context, tx store.Tx) error {
	var storeID store.ID
	err := database.QueryRow(ctx, tx, lockStoreSQL+tx.Dialect().ForUpdate, nil, &storeID)
	if errors.Is(err, database.ErrNoRows) {
		return store.Missing()
	}
	return err
}

func upsertMailServer(ctx context.Context, tx store.Tx, sealed []byte, version int64, now time.Time) error {
	return database.Exec(ctx, tx, upsertMailServerSQL, sealed, version, now.UnixMicro())
}

func deleteMailServer(ctx context.Context, tx store.Tx) error {
	return database.Exec(ctx, tx, deleteMailServerSQL)
}
