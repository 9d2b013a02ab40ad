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

func selectKeyCheck(ctx context.Context, q database.Querier) ([]byte, error) {
	var check []byte
	err := database.QueryRow(ctx, q, selectKeyCheckSQL, nil, &check)
	return check, err
}

func insertKeyCheck(ctx context.Context, q database.Querier, check []byte) error {
	return database.Exec(ctx, q, insertKeyCheckSQL, check)
}
