package database

import (
	"context"
	"testing"
)

// Tracing adds no allocation to transactions outside of a trace.
func TestTraceTransaction_isFreeOutsideOfATrace(t *testing.T) {
	db := &DB{name: SQLite}
	ctx := WithOwner(InBackground(context.Background()), 7)
	fn := func(Querier) error { return nil }
	n := testing.AllocsPerRun(1000, func() {
		traced := db.traceTransaction(ctx, WriteKind)
		if err := traced.wrap(fn)(nil); err != nil {
			t.Error(err)
		}
		traced.end(nil)
	})
	if n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}
