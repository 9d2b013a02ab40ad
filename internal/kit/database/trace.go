package database

import (
	"context"
	"errors"
	"strings"
	"time"

	"vitrine/internal/kit/fault"
	"vitrine/internal/kit/trace"
)

// replicaKind is the kind of reads on a replica. It has no measurements.
const replicaKind Kind = "replica"

// transactionTrace is the span of a transaction in the trace of the caller's context. In it are spans of the wait for a
// connection or for the SQLite writer, of each statement, and of the commit. A nil one does nothing.
type transactionTrace struct {
	db   *DB
	span trace.Span
	kind Kind
	wait trace.Interval
	runs int64
	// returned is when the function of the transaction returned, and failed says that it returned an error.
	returned time.Time
	failed   bool
}

// traceTransaction starts the span of a transaction. It returns nil if the context has no trace.
func (db *DB) traceTransaction(ctx context.Context, kind Kind) *transactionTrace {
	span := trace.StartDetail(ctx, string(kind))
	if !span.Recording() {
		return nil
	}
	span.String("db.system.name", db.traceSystem())
	return &transactionTrace{db: db, span: span, kind: kind, wait: span.StartInterval()}
}

// traceSystem returns the name of the engine in the semantic conventions of OpenTelemetry.
func (db *DB) traceSystem() string {
	if db.name == Postgres {
		return "postgresql"
	}
	return db.name
}

// wrap returns fn with a Querier that traces its statements.
func (t *transactionTrace) wrap(fn func(Querier) error) func(Querier) error {
	if t == nil {
		return fn
	}
	return func(q Querier) error {
		if t.runs++; t.runs == 1 {
			t.endWait()
		}
		err := fn(wrappedQuerier{q, t.around})
		t.returned = time.Now()
		t.failed = err != nil
		return err
	}
}

// endWait records how long the transaction has waited before its function was called.
func (t *transactionTrace) endWait() {
	name := "wait for a connection"
	if t.kind == WriteKind && t.db.name == SQLite {
		name = "wait for the writer"
	}
	t.span.Millis("vitrine.db.wait_ms", t.wait.End(name))
}

// end ends the span. The time since the function returned is the time of the commit. On SQLite it includes the writes
// that share the commit. An error that the function returned is not a failure of the transaction.
func (t *transactionTrace) end(err error) {
	if t == nil {
		return
	}

	if t.runs == 0 { // no connection was free in time, or the database is away
		t.endWait()
	}

	if t.runs > 1 {
		t.span.Int("vitrine.db.runs", t.runs)
	}

	switch {
	case t.failed:
		if t.kind == WriteKind {
			t.span.Bool("vitrine.db.rolled_back", true)
		}
	case t.kind == WriteKind && t.runs > 0:
		t.span.Past("COMMIT", t.returned)
	}

	if !t.failed {
		failSpan(t.span, err)
	}

	t.span.End()
}

// failSpan marks a span as failed if there is an error. It leaves out the text, since PostgreSQL quotes values of rows.
func failSpan(span trace.Span, err error) {
	switch {
	case err == nil:

	case errors.Is(err, errReplicaBusy):
		span.Fail("busy")
	case errors.Is(err, errReplicaSlow):
		span.Fail("timeout")
	case errors.Is(err, ErrYielded):
		span.Fail("yielded")
	case errors.Is(err, context.Canceled):
		span.Fail("canceled")
	case errors.Is(err, context.DeadlineExceeded):
		span.Fail("timeout")
	case postgresCode(err) != "":
		span.Fail(postgresCode(err))
	case fault.KindOf(err) == fault.Unavailable:
		span.Fail("unavailable")
	default:
		span.Fail("internal")
	}
}

// around runs a statement in a span. On PostgreSQL a statement of ExecLater is sent with the next one, whose span
// includes it, or before the commit. The span of Query ends when its rows are closed.
func (t *transactionTrace) around(s *wrappedStatement, run func() error) error {
	span := t.statementSpan(s)
	err := run()
	if err == nil && s.rows != nil {
		s.rows = &tracedRows{Rows: s.rows, span: span}
		return nil
	}

	switch {
	case s.reads:
		span.Int("db.response.returned_rows", s.returned)
	case err == nil && !s.later:
		span.Int("vitrine.db.changed_rows", s.changed)
	}

	failSpan(span, err)
	span.End()
	return err
}

// statementSpan starts the span of a statement. The text is as in the program, without arguments and with the
// placeholder of a batch.
func (t *transactionTrace) statementSpan(s *wrappedStatement) trace.Span {
	name := statementName{operation: "BATCH SELECT"}
	if s.queries == 0 {
		name = t.db.statementNameOf(s.sql)
	}

	span := t.span.Detail(name.String())
	if !span.Recording() {
		return span
	}

	span.String("db.operation.name", name.operation)
	if name.table != "" {
		span.String("db.collection.name", name.table)
	}
	span.String("db.query.text", strings.TrimSpace(s.sql))
	if n := max(s.batch, s.queries); n > 0 {
		span.Int("db.operation.batch.size", int64(n))
	}
	if s.later && t.db.name == Postgres {
		span.Bool("vitrine.db.sent_later", true)
	}

	return span
}

// tracedRows ends the span of a query when its rows are closed.
type tracedRows struct {
	Rows
	span  trace.Span
	n     int64
	ended bool
}

func (r *tracedRows) Next() bool {
	if r.Rows.Next() {
		r.n++
		return true
	}
	r.end()
	return false
}

func (r *tracedRows) Close() {
	r.Rows.Close()
	r.end()
}

func (r *tracedRows) end() {
	if r.ended {
		return
	}
	r.ended = true
	r.span.Int("db.response.returned_rows", r.n)
	failSpan(r.span, r.Rows.Err())
	r.span.End()
}
