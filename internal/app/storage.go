package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/kit/vault"
	"vitrine/internal/shop/store"
)

// quickCheckTimeout limits the check of the database file at start, which reads some 200 MB a second.
const quickCheckTimeout = 10 * time.Second

// MakeDataDir creates the data directory and its folder of temporary files.
func MakeDataDir(cfg config.Storage) error {
	if err := os.MkdirAll(cfg.SpoolDir(), 0o700); err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	return nil
}

// RequireDatabase returns an error if the settings name a SQLite file that does not exist.
func RequireDatabase(cfg config.Storage) error {
	path, ok := database.SQLiteFile(cfg.DatabaseURL())
	if !ok {
		return nil
	}
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return NoShopError(cfg)
	}
	return err
}

// requireShop returns an error if no shop was created in the database.
func requireShop(ctx context.Context, db *database.DB, cfg config.Storage) error {
	used, err := store.HasVault(ctx, db)
	if err != nil || used {
		return err
	}
	return NoShopError(cfg)
}

// NoShopError returns the error of a command that needs a shop and found none.
func NoShopError(cfg config.Storage) error {
	where := "in the PostgreSQL database of --database"
	if path, ok := database.SQLiteFile(cfg.DatabaseURL()); ok {
		where = "at " + path
	}
	return fmt.Errorf("there is no shop %s, and this command creates none. Give --data and --database, "+
		"or VITRINE_DATA "+
		"and VITRINE_DATABASE, as to the server. The server of the Debian package has them in "+
		"/etc/vitrine/vitrine.env: "+
		"run set -a; . /etc/vitrine/vitrine.env first. vitrine serve, migrate, restore, "+
		"demo, store create and store import create a "+
		"shop", where)
}

// warnOfOpenDataDir logs a warning if users other than the owner can access the data directory.
func warnOfOpenDataDir(ctx context.Context, cfg config.Storage, log *slog.Logger) {
	info, err := os.Stat(cfg.Data)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return
	}
	log.WarnContext(ctx, "other users can access the data directory", "directory", cfg.Data,
		"mode", fmt.Sprintf("%04o", info.Mode().Perm()), "run", "chmod 700 "+cfg.Data)
}

// checkReplica refuses a replica of a SQLite file. Its message never quotes a URL, which may contain a password.
func checkReplica(cfg config.Storage) error {
	if cfg.DatabaseReplica == "" {
		return nil
	}
	if file, ok := database.SQLiteFile(cfg.DatabaseURL()); ok {
		return fmt.Errorf("--database-replica, or VITRINE_DATABASE_REPLICA, "+
			"is the address of a standby of PostgreSQL, and "+
			"the database is the SQLite file %s. Name the PostgreSQL primary with --database, or remove the setting",
			file)
	}
	if _, ok := database.SQLiteFile(cfg.DatabaseReplica); ok {
		return errors.New("--database-replica, or VITRINE_DATABASE_REPLICA, must be a postgres:// address")
	}
	return nil
}

// databaseWaitPause is the time between two tries to reach the database at the start.
const databaseWaitPause = 500 * time.Millisecond

// waitForDatabase waits until PostgreSQL answers, at most for --database-wait. After an outage, the database often
// starts later than its clients, and a supervisor waits longer each time that a program ends at once.
func waitForDatabase(ctx context.Context, cfg config.Serve, log *slog.Logger) error {
	if _, ok := database.SQLiteFile(cfg.DatabaseURL()); ok {
		return nil
	}

	deadline := time.Now().Add(cfg.DatabaseWait)
	for try := 1; ; try++ {
		db, err := database.Open(ctx, database.Config{URL: cfg.DatabaseURL(), Readers: 1,
			TimelineFile: cfg.TimelineFile()})
		if err == nil {
			return db.Close()
		}
		if !database.IsAway(err) || time.Now().After(deadline) {
			return err
		}

		if try == 1 {
			log.WarnContext(ctx, "the database does not answer; waiting for it", "error", err,
				"at_most", cfg.DatabaseWait.String())
		}

		select {
		case <-ctx.Done():
			return err
		case <-time.After(databaseWaitPause):
		}
	}
}

// lockDatabase locks a SQLite database for this server. With PostgreSQL it does nothing.
func lockDatabase(cfg config.Storage) (unlock func() error, err error) {
	path, ok := database.SQLiteFile(cfg.DatabaseURL())
	if !ok {
		return func() error { return nil }, nil
	}
	return database.Lock(path)
}

// ReadVault reads the secret key. If its file is missing, the error wraps fs.ErrNotExist.
func ReadVault(cfg config.Storage) (*vault.Vault, error) {
	if cfg.SecretKey != "" {
		return vault.ParseKey(cfg.SecretKey)
	}
	return vault.Read(cfg.KeyFile())
}

// createVault creates the secret key file for a new database. A database that was used before needs the key that it was
// used with: then createVault returns an error and writes nothing.
func createVault(ctx context.Context, db *database.DB, cfg config.Storage) (*vault.Vault, error) {
	used, err := store.HasVault(ctx, db)
	if err != nil {
		return nil, err
	}
	if !used {
		return vault.Load(cfg.KeyFile())
	}
	// Another process may have created both since the file was looked for.
	v, err := vault.Read(cfg.KeyFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errKeyMissing(cfg)
	}
	return v, err
}

func errKeyMissing(cfg config.Storage) error {
	return fmt.Errorf("the secret key file %s is missing, and this database was created with one. Put the file back, "+
		"or "+
		"name it with --secret-key-file; all nodes of one database share it. Nothing was written: with another key, "+
		"the captcha and webhook secrets in the database could not be read. If the key is lost for good, run vitrine "+
		"secret reset", cfg.KeyFile())
}

// checkDatabase is a worker that runs once. It looks for damage in a SQLite file, for a few seconds at most; if it
// finds some, the server is no longer ready to write and refuses writes.
func (a *App) checkDatabase(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, quickCheckTimeout)
	defer cancel()
	err := a.DB.QuickCheck(limited)
	switch {
	case err == nil, ctx.Err() != nil:
	case limited.Err() != nil:
		a.log.InfoContext(ctx, "checked only a part of the database file, since it is large",
			"duration_ms", quickCheckTimeout.Milliseconds())
	default:
		a.log.ErrorContext(ctx, "the database file is damaged; restore a backup", "error", err)
	}
	return nil
}

// watchReplica is a worker that notices when the replica is lost, and a replica of another database.
func (a *App) watchReplica(ctx context.Context) error {
	a.DB.WatchReplica(ctx, func(ctx context.Context, q database.Querier) error {
		return store.CheckDatabaseID(ctx, q, a.databaseID)
	})
	return nil
}

// analyzeTables gives PostgreSQL statistics of the tables that have none, as after pg_restore.
func (a *App) analyzeTables(ctx context.Context) error {
	tables, err := a.DB.AnalyzeMissing(ctx)
	if len(tables) > 0 {
		a.log.InfoContext(ctx, "analysed tables without statistics", "tables", tables)
	}
	if err != nil && ctx.Err() == nil {
		a.log.WarnContext(ctx, "tables remain without statistics; run ANALYZE", "error", err)
	}
	return nil
}
