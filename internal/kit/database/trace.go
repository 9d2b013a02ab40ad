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
		err := fn(tracedQuerier{q, t.db, t.span})
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

// end ends the span. The time since the function returned is that of the commit. On SQLite it includes the writes that
// share the commit. An error that the function returned is not a failure of the transaction.
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

// tracedQuerier adds a span for each statement to that of its transaction.
type tracedQuerier struct {
	Querier
	db   *DB
	span trace.Span
}

// begin starts the span of a statement. The text is that of the program, without arguments and with the placeholder of
// a batch.
func (t tracedQuerier) begin(sql string, rows int) trace.Span {
	name := t.db.statementNameOf(sql)
	span := t.span.Detail(name.String())
	if span.Recording() {
		span.String("db.operation.name", name.operation)
		if name.table != "" {
			span.String("db.collection.name", name.table)
		}
		span.String("db.query.text", strings.TrimSpace(sql))
		if rows > 0 {
			span.Int("db.operation.batch.size", int64(rows))
		}
	}
	return span
}

func endStatement(span trace.Span, changed int64, err error) {
	if err == nil {
		span.Int("vitrine.db.changed_rows", changed)
	}
	failSpan(span, err)
	span.End()
}

func (t tracedQuerier) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	span := t.begin(sql, 0)
	n, err := t.Querier.Exec(ctx, sql, args...)
	endStatement(span, n, err)
	return n, err
}

// Query starts a span that ends when the rows are closed.
func (t tracedQuerier) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	span := t.begin(sql, 0)
	rows, err := t.Querier.Query(ctx, sql, args...)
	if err != nil {
		failSpan(span, err)
		span.End()
		return nil, err
	}
	return &tracedRows{Rows: rows, span: span}, nil
}

// ExecRows has no span if the batch is empty, since it then runs no statement.
func (t tracedQuerier) ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (int64, error) {
	if batch.Len() == 0 {
		return t.Querier.ExecRows(ctx, sql, batch, args...)
	}
	span := t.begin(sql, batch.Len())
	n, err := t.Querier.ExecRows(ctx, sql, batch, args...)
	endStatement(span, n, err)
	return n, err
}

// QueryRows has no span if the batch is empty.
func (t tracedQuerier) QueryRows(
	ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any,
) error {
	if batch.Len() == 0 {
		return t.Querier.QueryRows(ctx, sql, batch, each, args...)
	}
	span := t.begin(sql, batch.Len())
	returned := int64(0)
	err := t.Querier.QueryRows(ctx, sql, batch, countEach(each, &returned), args...)
	span.Int("db.response.returned_rows", returned)
	failSpan(span, err)
	span.End()
	return err
}

// QueryAll has one span for all queries, since they take one round trip on PostgreSQL.
func (t tracedQuerier) QueryAll(ctx context.Context, queries ...BatchQuery) error {
	var counted []BatchQuery
	var texts []string
	returned := int64(0)
	for _, q := range queries {
		if q.Batch.Len() > 0 {
			texts = append(texts, strings.TrimSpace(q.SQL))
			q.Each = countEach(q.Each, &returned)
			counted = append(counted, q)
		}
	}

	if len(counted) == 0 {
		return nil
	}

	span := t.span.Detail("BATCH SELECT")
	span.String("db.operation.name", "BATCH SELECT")
	span.String("db.query.text", strings.Join(texts, ";\n"))
	span.Int("db.operation.batch.size", int64(len(counted)))
	err := t.Querier.QueryAll(ctx, counted...)
	span.Int("db.response.returned_rows", returned)
	failSpan(span, err)
	span.End()

	return err
}

func countEach(each func(Rows) error, n *int64) func(Rows) error {
	return func(rows Rows) error {
		*n++
		return each(rows)
	}
}

// ExecLater has a span on SQLite, which runs the statement at once. On PostgreSQL the statement is sent with the next
// one, whose span includes it, or before the commit.
func (t tracedQuerier) ExecLater(ctx context.Context, sql string, batch *Batch, args ...any) error {
	rows := 0
	if batch != nil {
		if rows = batch.Len(); rows == 0 {
			return nil
		}
	}
	span := t.begin(sql, rows)
	if t.Dialect().Engine == Postgres {
		span.Bool("vitrine.db.sent_later", true)
	}
	err := t.Querier.ExecLater(ctx, sql, batch, args...)
	failSpan(span, err)
	span.End()
	return err
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
