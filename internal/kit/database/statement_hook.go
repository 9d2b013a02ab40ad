package database

import "context"

// StatementHook is called before each statement of a write transaction, and with after set when it has run. Before the
// commit it is called once more, with the statement COMMIT. If it returns an error, that is the error of the statement.
type StatementHook func(sql string, after bool) error

type hookKey struct{}

// WithStatementHook returns a context for tests of failures: write transactions that are begun with it call hook.
func WithStatementHook(ctx context.Context, hook StatementHook) context.Context {
	return context.WithValue(ctx, hookKey{}, hook)
}

// withHook makes fn call the hook of the context, if it has one.
func withHook(ctx context.Context, fn func(Querier) error) func(Querier) error {
	hook, ok := ctx.Value(hookKey{}).(StatementHook)
	if !ok {
		return fn
	}
	return func(q Querier) error {
		if err := fn(hookedQuerier{q, hook}); err != nil {
			return err
		}
		return hook("COMMIT", false)
	}
}

// hookedQuerier calls a StatementHook.
type hookedQuerier struct {
	Querier
	hook StatementHook
}

// around runs a statement between the two calls of the hook.
func (h hookedQuerier) around(sql string, run func() error) error {
	if err := h.hook(sql, false); err != nil {
		return err
	}
	if err := run(); err != nil {
		return err
	}
	return h.hook(sql, true)
}

func (h hookedQuerier) Exec(ctx context.Context, sql string, args ...any) (n int64, err error) {
	err = h.around(sql, func() error {
		n, err = h.Querier.Exec(ctx, sql, args...)
		return err
	})
	return n, err
}

// Query calls the hook only before the statement, which has not run when Query returns.
func (h hookedQuerier) Query(ctx context.Context, sql string, args ...any) (Rows, error) {
	if err := h.hook(sql, false); err != nil {
		return nil, err
	}
	return h.Querier.Query(ctx, sql, args...)
}

func (h hookedQuerier) ExecRows(ctx context.Context, sql string, batch *Batch, args ...any) (n int64, err error) {
	err = h.around(sql, func() error {
		n, err = h.Querier.ExecRows(ctx, sql, batch, args...)
		return err
	})
	return n, err
}

func (h hookedQuerier) QueryRows(
	ctx context.Context, sql string, batch *Batch, each func(Rows) error, args ...any,
) error {
	return h.around(sql, func() error { return h.Querier.QueryRows(ctx, sql, batch, each, args...) })
}

func (h hookedQuerier) QueryAll(ctx context.Context, queries ...BatchQuery) error {
	return h.around("QueryAll", func() error { return h.Querier.QueryAll(ctx, queries...) })
}

func (h hookedQuerier) ExecLater(ctx context.Context, sql string, batch *Batch, args ...any) error {
	return h.around(sql, func() error { return h.Querier.ExecLater(ctx, sql, batch, args...) })
}
