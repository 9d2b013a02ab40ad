package databasetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest/pgserver"
)

// ServerURL returns the URL of the PostgreSQL server for tests, as superuser in the database "postgres". It is the
// server named by VITRINE_TEST_POSTGRES. Without that variable the first call starts a private server, which ends with
// this process.
func ServerURL(tb testing.TB) string {
	tb.Helper()
	Require(tb, database.Postgres)
	serverURL, err := postgresServer()
	if err != nil {
		tb.Fatal(err)
	}
	return serverURL
}

// privateServer starts one server and keeps it reachable: if its pipe were garbage-collected, the server would stop.
var privateServer = sync.OnceValues(func() (*pgserver.Server, error) { return pgserver.Start(pgserver.Options{}) })

func postgresServer() (string, error) {
	if given := os.Getenv(pgserver.URLVariable); given != "" {
		return given, nil
	}
	s, err := privateServer()
	if err != nil {
		return "", err
	}
	return s.URL, nil
}

// postgresTemplate returns the name of a migrated database, created once per run of withpostgres or else per process.
// It is removed together with its server; it remains on a server that the user has named by VITRINE_TEST_POSTGRES.
var postgresTemplate = sync.OnceValues(func() (string, error) {
	name, err := oncePerRun("postgres", makePostgresTemplate)
	if err != nil {
		return "", fmt.Errorf("create the PostgreSQL template: %w", err)
	}
	return string(name), nil
})

// makePostgresTemplate creates a migrated database and returns its name.
func makePostgresTemplate() (name []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), setupTimeout)
	defer cancel()
	fresh, err := createPostgres(ctx, "")
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, fresh.URL); err != nil {
		return nil, err
	}
	u, err := url.Parse(fresh.URL)
	if err != nil {
		return nil, err
	}
	return []byte(strings.TrimPrefix(u.Path, "/")), nil
}

// createPostgres creates a database as a copy of template; "" means an empty one. The template must have no open
// connections.
func createPostgres(ctx context.Context, template string) (FreshDatabase, error) {
	server, err := postgresServer()
	if err != nil {
		return FreshDatabase{}, err
	}
	u, err := url.Parse(server)
	if err != nil {
		return FreshDatabase{}, fmt.Errorf("read %s: %w", pgserver.URLVariable, err)
	}

	// The process id shows who left a database behind. The random part keeps names on a shared server distinct.
	name := fmt.Sprintf("vitrine_test_%d_%s", os.Getpid(), strings.ToLower(rand.Text()[:12]))
	if template == "" {
		template = "template0"
	}

	if err := createDatabase(ctx, server, name, template); err != nil {
		return FreshDatabase{}, fmt.Errorf("create a PostgreSQL database: %w", err)
	}

	u.Path = "/" + name
	drop := func(ctx context.Context) error {
		if err := dropDatabase(ctx, server, name); err != nil {
			return fmt.Errorf("drop the PostgreSQL database %s: %w", name, err)
		}
		return nil
	}
	return FreshDatabase{URL: u.String(), Drop: drop}, nil
}
