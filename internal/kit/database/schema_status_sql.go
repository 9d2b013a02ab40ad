package database

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
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
	// Nodes describes the running nodes, if migrations are pending: these nodes are older than the migrations. Migrate
	// refuses to apply a migration beside them that is not compatible.
	Nodes []string `json:"nodes"`
}

// Incompatible returns the numbers of the pending migrations that are not for databases that older nodes use.
func (s SchemaStatus) Incompatible() (numbers []int64) {
	for _, m := range s.Pending {
		if !m.Compatible {
			numbers = append(numbers, m.Number)
		}
	}
	return numbers
}

// Migration is a step from one version of the schema to the next.
type Migration struct {
	Number int64  `json:"number"`
	Name   string `json:"name"`
	// Compatible says that nodes of the version before may run beside the migrated schema. The migration says so
	// itself, with a line "-- +compatible: " and the reason.
	Compatible bool `json:"compatible"`
}

// compatibleMark matches the line of a migration that says why it is compatible.
var compatibleMark = regexp.MustCompile(`(?m)^-- \+compatible: \S`)

// Statements of SchemaStatus. The table belongs to goose; Migrate creates it.
var schemaTableSQL = map[string]string{
	SQLite:   "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'goose_db_version'",
	Postgres: "SELECT COUNT(*) FROM (SELECT to_regclass('goose_db_version') AS name) AS t WHERE name IS NOT NULL",
}

const schemaVersionSQL = "SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version"

// SchemaStatus returns the state of the schema. It changes nothing. It returns ErrUnreleasedSchema like Migrate.
func (db *DB) SchemaStatus(ctx context.Context) (SchemaStatus, error) {
	var version int64

	err := db.Read(ctx, func(q Querier) error {
		var tables int64
		err := QueryRow(ctx, q, schemaTableSQL[db.Engine()], nil, &tables)
		if err != nil || tables == 0 {
			return err
		}

		err = QueryRow(ctx, q, schemaVersionSQL, nil, &version)
		if err != nil || version == 0 {
			return err
		}

		var marks int64
		err = QueryRow(ctx, q, firstMigrationSQL, nil, &marks)
		if err == nil && marks == 0 {
			return ErrUnreleasedSchema
		}

		return err
	})
	if err != nil {
		return SchemaStatus{}, fmt.Errorf("read the version of the schema: %w", err)
	}

	status, err := statusAt(db.migration.files, version)
	if err != nil || len(status.Pending) == 0 {
		return status, err
	}

	running, err := db.runningNodes(ctx, version)
	if err != nil {
		return SchemaStatus{}, fmt.Errorf("read which nodes are running: %w", err)
	}

	status.Nodes = append(status.Nodes, running...)
	return status, nil
}

// StatusAt returns the state of a database with this version of the schema, without its nodes.
func StatusAt(version int64) (SchemaStatus, error) { return statusAt(migrations, version) }

// statusAt is StatusAt with these files.
func statusAt(all fs.FS, version int64) (SchemaStatus, error) {
	// Both engines have the same migrations, which a test checks.
	const dir = "migrations/" + SQLite
	files, err := fs.ReadDir(all, dir)
	if err != nil {
		return SchemaStatus{}, err
	}

	status := SchemaStatus{Version: version, Pending: []Migration{}, Nodes: []string{}}
	for _, f := range files {
		number, name, err := parseMigrationName(f.Name())
		if err != nil {
			return SchemaStatus{}, err
		}

		status.Known = number
		if number <= version {
			continue
		}

		text, err := fs.ReadFile(all, path.Join(dir, f.Name()))
		if err != nil {
			return SchemaStatus{}, err
		}

		status.Pending = append(status.Pending,
			Migration{Number: number, Name: name, Compatible: compatibleMark.Match(text)})
	}

	return status, nil
}

// parseMigrationName returns the number and the name that the file of a migration has in its name.
func parseMigrationName(file string) (number int64, name string, err error) {
	digits, name, _ := strings.Cut(strings.TrimSuffix(file, ".sql"), "_")
	number, err = strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, "", fmt.Errorf("the migration %s has no number: %w", file, err)
	}
	return number, strings.ReplaceAll(name, "_", " "), nil
}
