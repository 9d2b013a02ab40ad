package databasetest

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"vitrine/internal/kit/database"
	"vitrine/internal/testkit/promise"
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

// EachFailure calls attempt with the number of each statement that is to fail, until attempt reports that none did.
// Without VITRINE_PROVE it leaves out more and more statements.
func EachFailure(tb testing.TB, attempt func(n int) (failed *StatementFault)) {
	tb.Helper()
	failures := 0
	for n := 1; ; failures++ {
		fault := attempt(n)
		if tb.Failed() {
			tb.Fatalf("the failed statement %d is %.300s", n, fault.Statement())
		}
		if fault.Statement() == "" {
			break
		}

		if n++; !promise.ProveAll() {
			n += n
		}
	}

	if failures < 4 {
		tb.Errorf("only %d statements failed; the test proves less than it says", failures)
	}

	tb.Logf("%d statements failed", failures)
}
