package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
)

type migrateCommand struct {
	config.Storage `embed:""`

	Status bool `help:"Only say which version the schema has and which migrations are pending; change nothing." env:"-"`
	JSON   bool `help:"With --status: print one JSON object and nothing else." env:"-"`
}

// Run migrates the database, or prints the state of its schema.
func (c *migrateCommand) Run(ctx context.Context, o output) error {
	if c.Status {
		return c.printStatus(ctx, o)
	}
	// Opening a database migrates it. The migrations are logged at the level Info.
	return withOpened(ctx, c.Storage, o, slog.LevelInfo, app.Open, func(core *app.Core) error {
		engine := "SQLite"
		if core.DB.Engine() == database.Postgres {
			engine = "PostgreSQL"
		}
		_, err := fmt.Fprintf(o.out, "The %s database has the schema of this version.\n", engine)
		return err
	})
}

func (c *migrateCommand) printStatus(ctx context.Context, o output) error {
	makeFilesPrivate()
	log := slog.New(slog.NewTextHandler(o.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	status, err := app.FindSchema(ctx, c.Storage, log)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(o.out, status)
	}
	_, err = fmt.Fprint(o.out, statusText(status))
	return err
}

// statusText returns the state of a schema as sentences for people.
func statusText(s database.SchemaStatus) string {
	switch {
	case s.Version > s.Known:
		return fmt.Sprintf("The database has the schema %d of a newer version; this program knows %d.\n", s.Version,
			s.Known)
	case len(s.Pending) == 0:
		return fmt.Sprintf("The database has the schema %d, which is that of this program.\n", s.Version)
	}

	var text strings.Builder
	fmt.Fprintf(&text, "The database has the schema %d, and this program knows %d. Pending:\n", s.Version, s.Known)
	for _, m := range s.Pending {
		fmt.Fprintf(&text, "  %d %s", m.Number, m.Name)
		if !m.Compatible && s.Version > 0 {
			text.WriteString(" (not beside older nodes)")
		}
		text.WriteString("\n")
	}

	for _, node := range s.Nodes {
		fmt.Fprintf(&text, "Running: %s.\n", node)
	}

	if len(s.Nodes) > 0 && len(s.Incompatible()) > 0 {
		text.WriteString("Stop all running nodes first: until then, this program refuses to migrate.\n")
	}

	text.WriteString("Run vitrine migrate, or start vitrine serve without --no-migrate.\n")
	return text.String()
}
