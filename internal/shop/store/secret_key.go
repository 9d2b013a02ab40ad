package store

import (
	"context"
	"errors"
	"fmt"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
)

// ErrSecretKey is returned by CheckVault if the vault has another key than the database was created with.
var ErrSecretKey = errors.New("the secret key does not belong to this database: all nodes of one database share the " +
	"key of the first; " +
	"give this node that one with --secret-key-file or VITRINE_SECRET_KEY; a node with the wrong one refuses to start")

// CheckVault returns nil if v has the secret key that this database was first used with, and ErrSecretKey otherwise.
// The first node to call it stores a check value of its key. Nodes that start concurrently agree on one key.
func CheckVault(ctx context.Context, db *database.DB, v *vault.Vault) error {
	check, err := loadKeyCheck(ctx, db)
	if errors.Is(err, database.ErrNoRows) {
		check, err = storeKeyCheck(ctx, db, v.KeyCheck())
	}
	if err != nil {
		return fmt.Errorf("check the secret key: %w", err)
	}
	if !v.MatchesKeyCheck(check) {
		return ErrSecretKey
	}
	return nil
}

// HasVault reports whether this database was used with a secret key before. The database may not be migrated yet.
func HasVault(ctx context.Context, db *database.DB) (bool, error) {
	migrated, err := db.HasTable(ctx, "meta")
	if err != nil || !migrated {
		return false, err
	}
	_, err = loadKeyCheck(ctx, db)
	if errors.Is(err, database.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

func loadKeyCheck(ctx context.Context, db *database.DB) ([]byte, error) {
	return database.Read(ctx, db, func(q database.Querier) ([]byte, error) { return selectKeyCheck(ctx, q) })
}

// storeKeyCheck stores the check value of this node's key, unless another node has stored one already. It returns the
// stored value.
func storeKeyCheck(ctx context.Context, db *database.DB, check []byte) ([]byte, error) {
	err := db.Write(ctx, func(q database.Querier) error { return insertKeyCheck(ctx, q, check) })
	if err != nil {
		return nil, err
	}
	return loadKeyCheck(ctx, db)
}
