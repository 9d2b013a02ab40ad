package profile

import (
	"bytes"
	"testing"
	"time"
)

// An execution trace ends when it has its most bytes, and is complete.
func TestProfiles_traceEndsAtItsLimit(t *testing.T) {
	const limit = 1 << 10
	p := New(nil, func() bool { return false })
	p.traceBytes = limit
	got, err := p.record(t.Context(), executionTrace, time.Hour)
	if err != nil || !bytes.HasPrefix(got, []byte("go 1.")) || len(got) < limit {
		t.Errorf("the trace has %d bytes, %.20q: %v", len(got), got, err)
	}
}
