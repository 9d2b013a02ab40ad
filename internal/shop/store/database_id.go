package store

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/id"
)

// DatabaseID identifies a database, so that data derived from it is not used with another one. A backup has the id of
// its original.
type DatabaseID [16]byte

// String returns the id as hexadecimal digits.
func (d DatabaseID) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements encoding.TextMarshaler.
func (d DatabaseID) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *DatabaseID) UnmarshalText(text []byte) error {
	value, err := hex.DecodeString(string(text))
	if err == nil && len(value) != len(d) {
		err = fmt.Errorf("the id of a database has %d bytes, not %d", len(d), len(value))
	}
	if err != nil {
		return err
	}
	*d = DatabaseID(value)
	return nil
}

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
	return parseDatabaseID(value, err)
}

// LookUpDatabaseID returns the id of the database, or zero if no node has created it yet. It changes nothing.
func LookUpDatabaseID(ctx context.Context, db *database.DB) (DatabaseID, error) {
	value, err := readDatabaseID(ctx, db)
	if errors.Is(err, database.ErrNoRows) {
		return DatabaseID{}, nil
	}
	return parseDatabaseID(value, err)
}

// CheckDatabaseID returns an error if the database of q is not the one with this id. A replica that does not have the
// id yet passes.
func CheckDatabaseID(ctx context.Context, q database.Querier, want DatabaseID) error {
	value, err := selectDatabaseID(ctx, q)
	if errors.Is(err, database.ErrNoRows) {
		return nil
	}
	got, err := parseDatabaseID(value, err)
	if err == nil && got != want {
		err = errors.New("it is a replica of another database")
	}
	return err
}

func parseDatabaseID(value []byte, err error) (DatabaseID, error) {
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
