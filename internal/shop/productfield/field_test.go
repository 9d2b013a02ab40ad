package productfield

import (
	"math"
	"testing"
)

// Every member has a row with its own bit, in the order of the constants, and all texts.
func TestFields_areComplete(t *testing.T) {
	names := map[string]bool{}
	for i, f := range Fields {
		if f.Set != 1<<i {
			t.Errorf("Fields[%d], %s, has the bit %b; the constants and the rows stand in the same order", i, f.Name,
				f.Set)
		}
		if f.Name == "" || f.Label == "" || f.Plural == "" || names[f.Name] {
			t.Errorf("Fields[%d] lacks a text, or its name is that of another member: %+v", i, f)
		}
		names[f.Name] = true
	}
}

// A product keeps the digests of its last pushes with the members of the token in 16 bits: see push.pushDigests.
func TestFields_fitInADigestEntry(t *testing.T) {
	if All > math.MaxUint16 {
		t.Errorf("the members need the bits %b, but an entry of pushDigests has 16", All)
	}
}
