package database

import (
	"context"
	"errors"
)

// InSavepoint calls fn in a transaction on PostgreSQL, in which a statement that fails would otherwise make all later
// ones fail. If fn returns an error, what it did is undone, and the transaction goes on. On SQLite a failed statement
// has no effect on others, and InSavepoint only calls fn.
func InSavepoint(ctx context.Context, q Querier, fn func() error) error {
	if q.Dialect().Engine != Postgres {
		return fn()
	}
	if _, err := q.Exec(ctx, "SAVEPOINT attempt"); err != nil {
		return err
	}
	err := fn()
	if err != nil {
		_, undo := q.Exec(ctx, "ROLLBACK TO SAVEPOINT attempt")
		return errors.Join(err, undo)
	}
	_, err = q.Exec(ctx, "RELEASE SAVEPOINT attempt")
	return err
}
