package store

import (
	"context"

	"vitrine/internal/kit/database"
)

const selectCheckSQL = `
SELECT value
FROM meta
WHERE name = 'vault_check'`

const insertCheckSQL = `
INSERT INTO meta (name, value)
VALUES ('vault_check', $1)
ON CONFLICT (name) DO NOTHING`

func selectCheck(ctx context.Context, q database.Querier) ([]byte, error) {
	var check []byte
	err := database.QueryRow(ctx, q, selectCheckSQL, nil, &check)
	return check, err
}

func insertCheck(ctx context.Context, q database.Querier, check []byte) error {
	_, err := q.Exec(ctx, insertCheckSQL, check)
	return err
}
