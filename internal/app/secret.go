package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
	"vitrine/internal/shop/transfer"
)

// RotateSecrets encrypts all secrets with the key in a file, which is created if there is none. No server may be
// running.
func (c *Core) RotateSecrets(ctx context.Context, cfg config.Storage, newKeyFile string) (count int64, err error) {
	unlock, err := lockOutServers(ctx, c.DB, cfg)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	to, err := vault.Load(newKeyFile)
	if err != nil {
		return 0, err
	}
	if to.MatchesKeyCheck(c.Vault.KeyCheck()) {
		return 0, fmt.Errorf("%s has the present secret key: name a new file", newKeyFile)
	}
	return transfer.RotateSecrets(ctx, c.DB, c.Vault, to)
}

// ErrSecretKeyKnown is returned by ResetSecrets if the secret key is not lost.
var ErrSecretKeyKnown = errors.New("the secret key is that of the database, so its secrets are not lost: nothing was " +
	"changed. To replace the key, run vitrine secret rotate")

// ResetSecrets gives up the secrets of a database whose secret key is lost. The key of the settings becomes that of the
// database; its file is created if there is none. It returns what is lost, by the keys of transfer.LostTexts. No server
// may be running.
func ResetSecrets(ctx context.Context, cfg config.Storage, log *slog.Logger) (lost map[string]int64, err error) {
	if err := RequireDatabase(cfg); err != nil {
		return nil, err
	}
	db, err := database.Open(ctx, database.Config{URL: cfg.DatabaseURL(), Log: log})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	if err := requireShop(ctx, db, cfg); err != nil {
		return nil, err
	}
	unlock, err := lockOutServers(ctx, db, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()

	v, err := newKey(cfg)
	if err != nil {
		return nil, err
	}
	if err := db.Migrate(ctx); err != nil {
		return nil, err
	}
	err = store.CheckVault(ctx, db, v)
	switch {
	case err == nil:
		return nil, ErrSecretKeyKnown
	case !errors.Is(err, store.ErrSecretKey):
		return nil, err
	}
	return transfer.ResetSecrets(ctx, db, v)
}

// newKey returns the key of the settings. It creates its file if there is none.
func newKey(cfg config.Storage) (*vault.Vault, error) {
	if cfg.SecretKey != "" {
		return vault.ParseKey(cfg.SecretKey)
	}
	return vault.Load(cfg.KeyFile())
}

// lockOutServers locks a SQLite database, and returns an error if a server runs on it, or on PostgreSQL.
func lockOutServers(ctx context.Context, db *database.DB, cfg config.Storage) (unlock func() error, err error) {
	running, err := db.RunningNodes(ctx)
	if err != nil {
		return nil, err
	}
	if len(running) > 0 {
		return nil, fmt.Errorf("a server is running: %s. Stop all servers first; one that was killed counts for a "+
			"few seconds", strings.Join(running, ", "))
	}
	return lockDatabase(cfg)
}
