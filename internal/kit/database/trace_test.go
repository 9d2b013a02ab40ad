package database_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"vitrine/internal/kit/database"
	"vitrine/internal/kit/trace"
	"vitrine/internal/testkit/databasetest"
	"vitrine/internal/testkit/tracetest"
)

// traced returns the context of a trace. end ends the trace and returns its spans but the first, each as its name below
// the name of its parent, and the spans by name.
func traced(t *testing.T) (ctx context.Context, end func() ([]string, map[string]tracetest.Span)) {
	t.Helper()
	collector := tracetest.Start(t)
	tracer, err := trace.New(trace.Config{Endpoint: collector.URL, Sample: 1, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}

	ctx, span := tracer.StartJob(t.Context(), "job")
	return ctx, func() (lines []string, byName map[string]tracetest.Span) {
		span.End()
		if err := tracer.Close(t.Context()); err != nil {
			t.Fatal(err)
		}

		names, byName := map[string]string{}, map[string]tracetest.Span{}
		for _, s := range collector.Spans() {
			names[s.ID], byName[s.Name] = s.Name, s
		}

		for _, s := range collector.Spans() {
			// Waits depend on the speed of the machine.
			if s.ParentID != "" && !strings.HasPrefix(s.Name, "wait ") {
				lines = append(lines, names[s.ParentID]+": "+s.Name)
			}
		}

		if strings.Contains(collector.Bodies(), "canary") {
			t.Errorf("an argument of a statement is in a trace:\n%q", collector.Bodies())
		}

		return lines, byName
	}
}

func TestTrace_hasTransactionsStatementsAndCommits(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, "CREATE TABLE words (word TEXT NOT NULL PRIMARY KEY)")
		ctx, end := traced(t)
		batch := database.NewBatch(database.Text)
		batch.Add("canary1")
		batch.Add("canary2")
		empty := database.NewBatch(database.Text)
		const insertRows = "WITH r(word) AS (ROWS) INSERT INTO words (word) SELECT word FROM r"
		const selectRows = "WITH r(word) AS (ROWS) SELECT w.word FROM r JOIN words w ON w.word = r.word"
		ignore := func(database.Rows) error { return nil }

		err := db.Write(ctx, func(q database.Querier) error {
			_, err := q.Exec(ctx, "INSERT INTO words (word) VALUES ($1)", "canary")
			return errors.Join(err, database.ExecRows(ctx, q, insertRows, batch),
				database.ExecRows(ctx, q, insertRows, empty),
				q.ExecLater(ctx, "DELETE FROM words WHERE word = $1", nil, "canary"),
				q.ExecLater(ctx, insertRows, empty),
				q.QueryRows(ctx, selectRows, empty, ignore),
				q.QueryAll(ctx, database.BatchQuery{SQL: selectRows, Batch: empty}))
		})
		if err != nil {
			t.Fatal(err)
		}

		err = db.Snapshot(ctx, func(q database.Querier) error {
			var n int
			return errors.Join(database.QueryRow(ctx, q, "SELECT COUNT(*) FROM words", nil, &n),
				q.QueryRows(ctx, selectRows, batch, ignore),
				q.QueryAll(ctx, database.BatchQuery{SQL: selectRows, Batch: batch, Each: ignore},
					database.BatchQuery{SQL: selectRows, Batch: empty, Each: ignore}))
		})
		if err != nil {
			t.Fatal(err)
		}

		lines, byName := end()
		want := []string{"job: write", "write: INSERT words", "write: INSERT words", "write: DELETE words",
			"write: COMMIT",
			"job: snapshot", "snapshot: SELECT words", "snapshot: SELECT words", "snapshot: BATCH SELECT"}
		if strings.Join(lines, "\n") != strings.Join(want, "\n") {
			t.Errorf("the spans are\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}

		system := map[string]string{database.SQLite: "sqlite", database.Postgres: "postgresql"}[db.Engine()]
		for name, attributes := range map[string]map[string]string{
			"write": {"db.system.name": system},
			"INSERT words": {"db.query.text": insertRows, "db.operation.batch.size": "2",
				"vitrine.db.changed_rows": "2"},
			"SELECT words": {"db.query.text": selectRows, "db.operation.name": "SELECT",
				"db.response.returned_rows": "2"},
			"BATCH SELECT": {"db.query.text": selectRows, "db.operation.batch.size": "1",
				"db.response.returned_rows": "2"},
		} {
			for key, want := range attributes {
				if got := byName[name].Attributes[key]; got != want {
					t.Errorf("%s of %s is %q, want %q", key, name, got, want)
				}
			}
		}
	})
}

// PostgreSQL quotes values in its messages. They are not in the trace.
func TestTrace_saysWhatFailedWithoutTheValues(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		createTable(t, db, "CREATE TABLE words (word TEXT NOT NULL PRIMARY KEY)")
		ctx, end := traced(t)
		err := db.Write(ctx, func(q database.Querier) error {
			for range 2 {
				if _, err := q.Exec(ctx, "INSERT INTO words (word) VALUES ($1)", "canary"); err != nil {
					return err
				}
			}
			return nil
		})
		if !database.IsUniqueViolation(err) {
			t.Fatal(err)
		}

		_ = db.Read(ctx, func(q database.Querier) error {
			var n int
			return database.QueryRow(ctx, q, "SELECT missing FROM nowhere", nil, &n)
		})
		lines, byName := end()
		want := "job: write\nwrite: INSERT words\nwrite: INSERT words\njob: read\nread: SELECT nowhere"
		if got := strings.Join(lines, "\n"); got != want {
			t.Errorf("the spans are\n%s\nwant\n%s", got, want)
		}

		if s := byName["write"]; s.Failed || s.Attributes["vitrine.db.rolled_back"] != "true" {
			t.Errorf("the span of the transaction is %+v", s)
		}

		for _, name := range []string{"INSERT words", "SELECT nowhere"} {
			if s := byName[name]; !s.Failed || s.Attributes["error.type"] == "" {
				t.Errorf("the span %s is %+v, want a failed one", name, s)
			}
		}
	})
}

func TestTrace_hasWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	for _, engine := range databasetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			db, err := database.Open(t.Context(), database.Config{URL: databasetest.NewURL(t, engine), Readers: 1})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()

			holds := make(chan struct{})
			release := make(chan struct{})
			released := make(chan error, 1)
			go func() {
				released <- db.Write(t.Context(), func(database.Querier) error {
					close(holds)
					<-release
					return nil
				})
			}()
			<-holds
			ctx, end := traced(t)
			time.AfterFunc(250*time.Millisecond, func() { close(release) }) // the other write waits in real time
			if err := errors.Join(db.Write(ctx, func(database.Querier) error { return nil }), <-released); err != nil {
				t.Fatal(err)
			}

			_, byName := end()
			name := map[string]string{database.SQLite: "wait for the writer",
				database.Postgres: "wait for a connection"}[engine]
			if wait := byName[name]; wait.Duration <= 0 || wait.ParentID != byName["write"].ID {
				t.Errorf("the spans are %v, want one of the wait", byName)
			}
		})
	}
}

// A transaction that finds no connection in time has a failed span without statements.
func TestTrace_ofATransactionThatDoesNotBegin(t *testing.T) {
	t.Parallel()
	eachEngine(t, func(t *testing.T, db *database.DB) {
		ctx, end := traced(t)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if err := db.Write(ended, func(database.Querier) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		lines, byName := end()
		if s := byName["write"]; len(lines) != 1 || !s.Failed || s.Attributes["error.type"] != "canceled" {
			t.Errorf("the spans are %q, %+v", lines, s)
		}
	})
}
