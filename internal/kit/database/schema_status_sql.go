package database

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// SchemaStatus compares the schema of a database with the migrations that this program knows.
type SchemaStatus struct {
	// Version is the last migration that was applied; 0 means that the database is empty.
	Version int64 `json:"version"`
	// Known is the last migration that this program knows.
	Known int64 `json:"known"`
	// Pending are the migrations that Migrate would apply, in this order.
	Pending []Migration `json:"pending"`
}

// Migration is a step from one version of the schema to the next.
type Migration struct {
	Number int64  `json:"number"`
	Name   string `json:"name"`
}

// Statements of SchemaStatus. The table is that of goose, which Migrate creates.
var schemaTableSQL = map[string]string{
	SQLite:   "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'goose_db_version'",
	Postgres: "SELECT COUNT(*) FROM (SELECT to_regclass('goose_db_version') AS name) AS t WHERE name IS NOT NULL",
}

const schemaVersionSQL = "SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version"

// SchemaStatus returns the state of the schema. It changes nothing.
func (db *DB) SchemaStatus(ctx context.Context) (SchemaStatus, error) {
	var version int64
	err := db.Read(ctx, func(q Querier) error {
		var tables int64
		err := QueryRow(ctx, q, schemaTableSQL[db.Engine()], nil, &tables)
		if err != nil || tables == 0 {
			return err
		}
		return QueryRow(ctx, q, schemaVersionSQL, nil, &version)
	})
	if err != nil {
		return SchemaStatus{}, fmt.Errorf("read the version of the schema: %w", err)
	}
	return StatusAt(version)
}

// StatusAt returns the state of a database with this version of the schema.
func StatusAt(version int64) (SchemaStatus, error) {
	// Both engines have the same migrations, which a test checks.
	files, err := fs.ReadDir(migrations, "migrations/"+SQLite)
	if err != nil {
		return SchemaStatus{}, err
	}
	status := SchemaStatus{Version: version, Pending: []Migration{}}
	for _, f := range files {
		digits, name, _ := strings.Cut(strings.TrimSuffix(f.Name(), ".sql"), "_")
		number, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return SchemaStatus{}, fmt.Errorf("the migration %s has no number: %w", f.Name(), err)
		}
		status.Known = number
		if number > version {
			status.Pending = append(status.Pending, Migration{Number: number, Name: strings.ReplaceAll(name, "_", " ")})
		}
	}
	return status, nil
}
