package table

import "testing"

// Reading a guarded cell returns what was written, also if it began with an apostrophe.
func TestGuard_isTakenAwayByReading(t *testing.T) {
	for cell, want := range map[string]string{"=A1": "'=A1", "'=A1": "''=A1", "''-1": "'''-1", "@x": "'@x",
		"+1+1": "'+1+1", "+79123456789": "+79123456789", "-5": "'-5", "'tis": "'tis", "": "", "a=b": "a=b", "'": "'"} {
		guarded := Guard(cell)
		if guarded != want || unguard(guarded) != cell {
			t.Errorf("%q is written as %q and read as %q, want %q", cell, guarded, unguard(guarded), want)
		}
	}
}
