package store

import (
	"context"

	"vitrine/internal/kit/database"
)

const selectKeyCheckSQL = `
SELECT value
FROM meta
WHERE name = 'vault_check'`

const insertKeyCheckSQL = `
INSERT INTO meta (name, value)
VALUES ('vault_check', $1)
ON CONFLICT (name) DO NOTHING`

// A concurrent insert of this row blocks until the first transaction commits or rolls back.
const insertFirstClaimSQL = `
INSERT INTO meta (name, value)
VALUES ('first_store', $1)
ON CONFLICT (name) DO NOTHING`

const selectDatabaseIDSQL = `
SELECT value
FROM meta
WHERE name = 'database_id'`

const insertDatabaseIDSQL = `
INSERT INTO meta (name, value)
VALUES ('database_id', $1)
ON CONFLICT (name) DO NOTHING`

func selectDatabaseID(ctx context.Context, q database.Querier) (value []byte, err error) {
	err = database.QueryRow(ctx, q, selectDatabaseIDSQL, nil, &value)
	return value, err
}

func insertDatabaseID(ctx context.Context, q database.Querier, value []byte) error {
	return database.Exec(ctx, q, insertDatabaseIDSQL, value)
}

func selectKeyCheck(ctx context.Context, q database.Querier) (check []byte, err error) {
	err = database.QueryRow(ctx, q, selectKeyCheckSQL, nil, &check)
	return check, err
}

func insertKeyCheck(ctx context.Context, q database.Querier, check []byte) error {
	return database.Exec(ctx, q, insertKeyCheckSQL, check)
}

func insertFirstClaim(ctx context.Context, q database.Querier) (bool, error) {
	n, err := q.Exec(ctx, insertFirstClaimSQL, []byte{1})
	return n == 1, err
}
