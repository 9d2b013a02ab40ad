package main

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"vitrine/internal/app"
	"vitrine/internal/kit/config"
	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/databasetest"
)

// A job that cannot be tried again does not keep the command from the others. It says so and fails at the end.
func TestJobsRetry_goesOnAfterAFailure(t *testing.T) {
	for _, engine := range databasetest.SampledEngines(t) {
		t.Run(engine, func(t *testing.T) {
			storage := config.Storage{Data: t.TempDir()}
			t.Setenv("VITRINE_DATA", storage.Data)
			if engine == database.Postgres {
				storage.Database = databasetest.NewURL(t, engine)
				t.Setenv("VITRINE_DATABASE", storage.Database)
			}

			var stdout, stderr bytes.Buffer
			if code := runCommandLine(t.Context(), []string{"migrate"}, &stdout, &stderr); code != 0 {
				t.Fatalf("migrate ends with %d: %s", code, stderr.String())
			}

			inDatabase := func(fn func(ctx context.Context, q database.Querier) error) {
				t.Helper()
				core, err := app.Open(t.Context(), storage, slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				defer core.Close()

				if err := core.DB.Write(t.Context(),
					func(q database.Querier) error { return fn(t.Context(), q) }); err != nil {
					t.Fatal(err)
				}
			}

			// The run of job 2 does not exist any more. The newest job comes first.
			inDatabase(func(ctx context.Context, q database.Querier) error {
				const parkSQL = `INSERT INTO parked_jobs (key, kind, lane, payload, asked, created_at, owner, deaths, parked_at)
VALUES ($1, $2, 'a', $3, 1, 1, '', 3, 1)`
				if err := database.Exec(ctx, q, parkSQL, 1, "bulk", make([]byte, 32)); err != nil {
					return err
				}
				return database.Exec(ctx, q, parkSQL, 2, "exchange.run", make([]byte, 24))
			})

			stdout.Reset()
			stderr.Reset()
			code := runCommandLine(t.Context(), []string{"jobs", "retry", "--all"}, &stdout, &stderr)
			if code != 1 || !strings.Contains(stdout.String(), "job 1, bulk") ||
				strings.Contains(stdout.String(), "job 2") {
				t.Errorf("the command ends with %d and prints %q", code, stdout.String())
			}

			if e := stderr.String(); !strings.Contains(e, "job 2: ") || !strings.Contains(e, "1 of 2 jobs") {
				t.Errorf("the command reports %q", e)
			}

			inDatabase(func(ctx context.Context, q database.Querier) error {
				var parked, due int64
				err := database.QueryRow(ctx, q,
					"SELECT (SELECT COUNT(*) FROM parked_jobs), (SELECT COUNT(*) FROM jobs)", nil,
					&parked, &due)
				if parked != 1 || due != 1 {
					t.Errorf("%d jobs are parked and %d are due, want 1 and 1", parked, due)
				}
				return err
			})
		})
	}
}
