package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
)

// FindSchema compares the schema of the database with the migrations that this program knows. It changes nothing: a
// SQLite file that does not exist is not created.
func FindSchema(ctx context.Context, cfg config.Storage, log *slog.Logger) (database.SchemaStatus, error) {
	if path, ok := database.SQLiteFile(cfg.DatabaseURL()); ok {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return database.StatusAt(0)
		}
	}
	db, err := database.Open(ctx, database.Config{URL: cfg.DatabaseURL(), Readers: 1, Log: log})
	if err != nil {
		return database.SchemaStatus{}, err
	}
	status, err := db.SchemaStatus(ctx)
	return status, errors.Join(err, db.Close())
}

// requireSchema returns an error if the database lacks migrations of this program.
func requireSchema(ctx context.Context, cfg config.Storage, log *slog.Logger) error {
	status, err := FindSchema(ctx, cfg, log)
	if err != nil {
		return err
	}
	if len(status.Pending) > 0 {
		return fmt.Errorf("the database has the schema %d, and this version needs %d. Run vitrine migrate with the "+
			"same "+
			"--data and --database, or start without --no-migrate; vitrine migrate --status lists the migrations",
			status.Version, status.Known)
	}
	return nil
}
