package imagefile

import (
	"context"

	"vitrine/internal/kit/database"
)

const selectStorageIDSQL = `
SELECT value
FROM meta
WHERE name = 'image_storage'`

// A concurrent insert of this row blocks until the first transaction commits or rolls back.
const insertStorageIDSQL = `
INSERT INTO meta (name, value)
VALUES ('image_storage', $1)
ON CONFLICT (name) DO NOTHING`

const updateStorageIDSQL = `
INSERT INTO meta (name, value)
VALUES ('image_storage', $1)
ON CONFLICT (name) DO UPDATE SET value = excluded.value`

const deleteStorageIDSQL = `
DELETE FROM meta
WHERE name = 'image_storage'`

func selectStorageID(ctx context.Context, q database.Querier) (storage StorageID, err error) {
	err = database.QueryRow(ctx, q, selectStorageIDSQL, nil, &storage)
	return storage, err
}

// insertStorageID reports whether the database had no storage before.
func insertStorageID(ctx context.Context, q database.Querier, storage StorageID) (bool, error) {
	n, err := q.Exec(ctx, insertStorageIDSQL, storage[:])
	return n == 1, err
}

func updateStorageID(ctx context.Context, q database.Querier, storage StorageID) error {
	return database.Exec(ctx, q, updateStorageIDSQL, storage[:])
}

func deleteStorageID(ctx context.Context, q database.Querier) error {
	return database.Exec(ctx, q, deleteStorageIDSQL)
}
