package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Only a test that is reported as passed counts: a test that is skipped, fails or did not run does not.
func TestFailedTests(t *testing.T) {
	const out = "=== RUN   TestA\n    a_test.go:3: 12 kills\n--- PASS: TestA (0.00s)\n--- SKIP: TestB (0.00s)\n" +
		"--- FAIL: TestC (0.00s)\n    --- PASS: TestD (0.00s)\n--- PASS: TestEight (0.00s)\nPASS\n"
	got := failedTests(out, []string{"TestA", "TestB", "TestC", "TestD", "TestE"})
	if want := []string{"TestB", "TestC", "TestD", "TestE"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if m := note.FindAllStringSubmatch(out, -1); len(m) != 1 || m[0][1] != "12 kills" {
		t.Errorf("the notes are %q", m)
	}
}

// A page that names what does not exist is not proved, and says so.
func TestProve_failsForATestThatDoesNotRun(t *testing.T) {
	t.Chdir("../../../..")
	page := filepath.Join(t.TempDir(), "promises.md")
	text := "### 1. It holds\n\n- Limit: none.\n- Proof: `TestFailedTests` in `internal/testkit/promise/prove`\n\n" +
		"### 2. It breaks\n\n- Limit: none.\n- Proof: `TestMissing` in `internal/testkit/promise/prove`\n"
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	var out strings.Builder
	err := prove(t.Context(), page, "", &out)
	if err == nil || !strings.Contains(err.Error(), "1 of 2 promises") {
		t.Errorf("prove returns %v", err)
	}

	if !strings.Contains(out.String(), "proved  1. It holds (1 passed, ") ||
		!strings.Contains(out.String(), "FAILED  2. It breaks (") {
		t.Errorf("prove prints %s", out.String())
	}

	if err := prove(t.Context(), page, "1", &out); err != nil {
		t.Errorf("prove of the first promise returns %v", err)
	}
}
