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
		if err := fn(wrappedQuerier{q, hook.around}); err != nil {
			return err
		}
		return hook("COMMIT", false)
	}
}

// around runs a statement between the two calls of the hook. The rows of Query are read after it returns, so for them
// there is no second call.
func (hook StatementHook) around(s *wrappedStatement, run func() error) error {
	if err := hook(s.sql, false); err != nil {
		return err
	}
	if err := run(); err != nil || s.rows != nil {
		return err
	}
	return hook(s.sql, true)
}
