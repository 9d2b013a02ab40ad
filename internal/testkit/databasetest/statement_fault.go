package databasetest

import (
	"context"
	"fmt"
	"sync"
	"syscall"

	"vitrine/internal/kit/database"
)

// StatementFault makes one statement of a write transaction fail, as if the disk were full. A statement counts twice:
// before and after it ran. It is safe for concurrent use.
type StatementFault struct {
	mu   sync.Mutex
	left int
	sql  string
}

// FailStatement returns a fault of the nth statement. The first is 1.
func FailStatement(n int) *StatementFault { return &StatementFault{left: n} }

// In returns a context with which write transactions have the fault. All contexts of a fault count together.
func (f *StatementFault) In(ctx context.Context) context.Context {
	return database.WithStatementHook(ctx, f.hook)
}

// Statement returns the statement that failed, or "" if none did.
func (f *StatementFault) Statement() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sql
}

func (f *StatementFault) hook(sql string, after bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left != 0 {
		return nil
	}
	f.sql = sql
	if after {
		f.sql += " (after it ran)"
	}
	return fmt.Errorf("a failure of the test: %w", syscall.ENOSPC)
}
