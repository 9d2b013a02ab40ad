package store

import (
	"context"
	"errors"
	"fmt"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
)

// DatabaseID identifies a database, so that data derived from it is not used with another one. A backup has the id of
// its original.
type DatabaseID [16]byte

// FindDatabaseID returns the id of the database. The first node to call it creates the id. Nodes that call it at the
// same time get the same one.
func FindDatabaseID(ctx context.Context, db *database.DB) (DatabaseID, error) {
	value, err := readDatabaseID(ctx, db)
	if errors.Is(err, database.ErrNoRows) {
		made := id.New[DatabaseID]()
		err = db.Write(ctx, func(q database.Querier) error { return insertDatabaseID(ctx, q, made[:]) })
		if err == nil {
			value, err = readDatabaseID(ctx, db)
		}
	}
	if err == nil && len(value) != len(DatabaseID{}) {
		err = fmt.Errorf("it has %d bytes", len(value))
	}
	if err != nil {
		return DatabaseID{}, fmt.Errorf("read the id of the database: %w", err)
	}
	return DatabaseID(value), nil
}

func readDatabaseID(ctx context.Context, db *database.DB) ([]byte, error) {
	return database.Read(ctx, db, func(q database.Querier) ([]byte, error) { return selectDatabaseID(ctx, q) })
}
